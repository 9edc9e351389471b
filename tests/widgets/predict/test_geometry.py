"""The moves of predict and reveal, tested in node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to run the moves in")
def test_moves_in_node() -> None:
    """What is next, and where the cursor may stand."""
    script = Path(__file__).with_name("geometry.test.mjs")
    done = subprocess.run(
        ["node", "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:]
