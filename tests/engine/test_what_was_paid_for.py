"""What a run in memory has come to is in the error that ends it, whatever that is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import workbench as wb
from tests.toys import BOUND, human, words
from workbench.errors import RunError
from workbench.record.events import Event


class Stubborn(Exception):
    """Takes no run."""

    @property
    def run(self) -> None:
        """Stay None."""


@pytest.mark.parametrize("error", [ValueError("full"), KeyboardInterrupt(), Stubborn("no")])
def test_a_listener_raises(error: BaseException) -> None:
    """The error of a listener goes on with the run, and is itself where it takes no run."""

    def listener(event: Event) -> None:
        if event.event == "answered":
            raise error

    with pytest.raises((type(error), RunError)) as caught:
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), on_event=listener)
    if not isinstance(error, Stubborn):
        assert caught.value.run.answers
        assert caught.value.run.status == "interrupted"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_tool_stops_the_process(stop: type[BaseException]) -> None:
    """What a tool raises to stop everything ends the run, and what was answered is kept."""

    def search(query: str, top: int) -> None:
        raise stop

    with pytest.raises(RunError) as caught:
        wb.run_sync(
            BOUND["council"], lm=wb.ScriptedLM(words), world={"search": search}, human=human
        )
    assert caught.value.run is not None
    assert "/plan/b/level=1" in caught.value.run.answers


def test_a_run_that_an_error_has_already_stays() -> None:
    """An error that tells of another run is not told of this one."""
    other = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words))
    events: Iterator[int] = iter(range(9))

    def listener(event: Event) -> None:
        if next(events) == 8:
            raise RunError("the other one", other)

    with pytest.raises(RunError) as caught:
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), on_event=listener)
    assert caught.value.run is other


def test_an_error_that_is_raised_twice_has_the_run_that_it_ended_last() -> None:
    """An error object that is kept and raised again does not carry the first run's answers."""
    kept = KeyError("again")

    def listener(event: Event) -> None:
        if event.event == "answered":
            raise kept

    for seed in (1, 2):
        with pytest.raises(KeyError) as caught:
            wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), seed=seed, on_event=listener)
        assert caught.value is kept
        assert seed == kept.run.started.seed  # type: ignore[attr-defined]
