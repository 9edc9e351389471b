"""Pause the collector of cycles while many small objects are made that are no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector; afterwards it does not look through all that was made at once.

    Collecting while a hundred thousand events are read doubles the time. When the collector is
    switched on again, the next allocation would have it go through all of them; freezing and
    unfreezing moves them, in no time, to the objects that have lived long.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:  # else somebody else has objects that are to stay frozen
            gc.freeze()
            gc.unfreeze()
        gc.enable()
