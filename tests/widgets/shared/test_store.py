"""What a store does where the kernel answers late, and how views say why a run stopped: in node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("name", ["store", "halted"])
def test_in_node(name: str) -> None:
    """Late pages are taken, nothing is said of a kernel that is not known; a failure is named."""
    script = Path(__file__).with_name(f"{name}.test.mjs")
    done = subprocess.run(
        ["node", "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
