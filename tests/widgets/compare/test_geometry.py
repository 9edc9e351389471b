"""The front end's arithmetic, in node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def test_geometry() -> None:
    """Every test of the module passes in node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: the arithmetic of the front end is not tested")
    file = Path(__file__).with_name("geometry.test.mjs")
    command = [node, "--test", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-1000:]
