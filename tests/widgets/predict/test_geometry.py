"""The moves of predict and reveal, tested in node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.mark.usefixtures("node")
def test_moves_in_node() -> None:
    """What is next, and where the cursor may stand."""
    script = Path(__file__).with_name("geometry.test.mjs")
    done = subprocess.run(
        ["node", "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:]
