"""What a store does where the kernel answers late, or not at all: in node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.mark.usefixtures("node")
def test_store() -> None:
    """Late pages are taken; nothing is said of a kernel that is not known."""
    script = Path(__file__).with_name("store.test.mjs")
    done = subprocess.run(
        ["node", "--test", str(script)], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
