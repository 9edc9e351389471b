"""The pause of the collector: it ends however the work ends, and leaves others' objects alone."""

from __future__ import annotations

import gc

import pytest

from workbench.record.garbage import collector_paused


def test_it_ends_also_after_an_error() -> None:
    """The collector is on again."""
    with pytest.raises(ZeroDivisionError), collector_paused():
        _ = 1 / 0

    assert gc.isenabled()


def test_one_within_another() -> None:
    """The outer pause goes on."""
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()

    assert gc.isenabled()


def test_what_is_frozen_stays_frozen() -> None:
    """Who froze objects before a fork finds them as they were."""
    gc.freeze()
    try:
        with collector_paused():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_new_objects_are_not_looked_through_at_once() -> None:
    """They count as old: the next small collection has nothing to do with them."""
    with collector_paused():
        made = [[] for _ in range(5000)]

    assert gc.get_count()[0] < 1000
    assert len(made) == 5000
