"""The front end's arithmetic, in node."""

from __future__ import annotations

import subprocess
from pathlib import Path


def test_geometry(node: str) -> None:
    """Every test of the module passes in node."""
    file = Path(__file__).with_name("geometry.test.mjs")
    command = [node, "--test", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-1000:]
