"""Threads beside the kernel's own, which may speak to the front end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def in_marimo() -> bool:
    """Return whether this is a marimo notebook's kernel."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


def beside(work: Callable[[], object]) -> None:
    """Do something on a thread of its own; in marimo only its own kind reaches the front end."""
    kind = sys.modules["marimo"].Thread if in_marimo() else threading.Thread
    kind(target=work, daemon=True).start()
