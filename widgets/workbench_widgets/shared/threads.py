"""Threads beside the kernel's own, which may speak to the front end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def beside(work: Callable[[], object]) -> None:
    """Do something on a thread of its own; in marimo only its own kind reaches the front end."""
    marimo = sys.modules.get("marimo")
    inside = marimo is not None and marimo.running_in_notebook()
    kind = marimo.Thread if marimo is not None and inside else threading.Thread
    kind(target=work, daemon=True).start()
