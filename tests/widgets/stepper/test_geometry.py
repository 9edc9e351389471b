"""The pure geometry of the front end, tested in node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def test_geometry() -> None:
    """Geometry."""
    if (node := shutil.which("node")) is None:
        pytest.skip("no node: the stepper's geometry is not tested")
    command = [node, "--test", str(Path(__file__).with_name("geometry.test.mjs"))]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
