"""What all sources of one run have in common, and the thread that shows what comes in a session."""

from __future__ import annotations

import threading
import time
import weakref
from functools import partial
from typing import Any

from workbench import Session
from workbench.record.events import Event
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.threads import beside

TICK_S = 0.2
"""How often the front end is shown what has come meanwhile."""


class Common:
    """A cursor, a lock, and the widgets on a run, which are shown what comes in its session.

    Attributes
    ----------
    watchers : WeakSet of RunWidget
    lock : threading.RLock
        Whoever reads what sources have made of the run holds it, and so does who lets them grow.
    """

    def __init__(self, session: Session | None) -> None:
        self.cursor = Cursor()
        self.watchers: weakref.WeakSet[Any] = weakref.WeakSet()
        self.lock = threading.RLock()
        self._heard = None if session is None else threading.Event()
        self._following = False
        if session is not None:
            session.listen(self._hear)

    def watch(self, widget: Any) -> None:
        """Show a widget what comes, until it is closed or gone."""
        with self.lock:
            self.watchers.add(widget)
            if self._heard is not None and not self._following:
                self._following = True
                wake = self._heard.set
                beside(partial(_follow, weakref.ref(self, lambda _: wake()), self._heard))

    def unwatch(self, widget: Any) -> None:
        """Show a widget nothing more; after the last one nobody follows the session."""
        with self.lock:
            self.watchers.discard(widget)
        if self._heard is not None:
            self._heard.set()

    def show(self) -> bool:
        """Show what has come; returns whether there is a widget to show it in."""
        with self.lock:
            widget = next(iter(self.watchers), None)
            self._following = widget is not None
            if widget is not None:
                widget.follow()
            return self._following

    def _hear(self, event: Event | None) -> None:
        assert self._heard is not None  # it listens only where there is a session
        self._heard.set()


def _follow(known: weakref.ref[Common], heard: threading.Event) -> None:
    """Show what is heard, and end with the last widget; it keeps none of them alive."""
    while heard.wait():
        heard.clear()
        common = known()
        if common is None or not common.show():
            return
        del common
        time.sleep(TICK_S)
