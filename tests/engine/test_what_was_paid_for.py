"""What a run in memory has come to is in the error that ends it, whatever that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.toys import BOUND, human, words
from workbench.errors import RunError, RunFileError
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


class Shy(Exception):
    """Raises when it is looked at."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(f"no {name}")


def test_an_error_that_raises_when_it_is_looked_at(tmp_path: Path) -> None:
    """It goes on as it is, and the file is free for a resume."""
    path = tmp_path / "a.run.jsonl"

    def listener(event: Event) -> None:
        if event.event == "answered":
            raise Shy("no")

    with pytest.raises(Shy):
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), to=path, on_event=listener)
    assert "complete" == wb.wait(wb.resume(path, lm=wb.ScriptedLM(words))).status


def test_a_tool_whose_error_raises_when_it_is_looked_at() -> None:
    """The call has failed, and the run says so."""

    def search(query: str, top: int) -> None:
        raise Shy("no")

    with pytest.raises(wb.RunFailed, match="Shy"):
        wb.run_sync(
            BOUND["council"], lm=wb.ScriptedLM(words), world={"search": search}, human=human
        )


@pytest.mark.parametrize("move", [Path.unlink, lambda path: path.rename(f"{path}.old")])
def test_a_file_that_is_taken_away_under_way(
    tmp_path: Path, move: Callable[[Path], object]
) -> None:
    """The run says that its file is gone, and has what it came to."""
    path = tmp_path / "a.run.jsonl"

    def listener(event: Event) -> None:
        if path.exists():
            move(path)

    with pytest.raises(RunFileError, match="was moved or deleted while it was written") as caught:
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), to=path, on_event=listener)
    assert "complete" == caught.value.run.status  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"tokens_in": -5}, "tokens_in is -5: less than nothing"),
        ({"cost_usd": -0.1}, "cost_usd is"),
    ],
)
def test_less_than_nothing(fields: dict[str, Any], why: str) -> None:
    """A model of one's own that tells of a negative usage has not answered."""
    lm = wb.ScriptedLM(lambda asked: wb.Answered(path=asked.path, text="x", **fields))
    with pytest.raises(wb.RunFailed, match=why):
        wb.run_sync(BOUND["debate"], lm=lm)
