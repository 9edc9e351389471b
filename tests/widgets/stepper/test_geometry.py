"""The pure geometry of the front end, tested in node."""

from __future__ import annotations

import subprocess
from pathlib import Path


def test_geometry(node: str) -> None:
    """Geometry."""
    command = [node, "--test", str(Path(__file__).with_name("geometry.test.mjs"))]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
