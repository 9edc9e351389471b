"""Replay equals log, or says where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Heard, Teller, human, words
from workbench.engine.loop import wait
from workbench.errors import Diverged, ProtocolError, UnknownProtocol
from workbench.record.run import Run

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


@pytest.mark.parametrize("name", list(BOUND))
@given(data=st.data())
def test_replay_equals_log(name: str, data: st.DataObject) -> None:
    """A replay of a whole run, or of any beginning, makes the recorded events."""
    run = whole(name)
    count = data.draw(st.integers(1, len(run)))
    again = wb.replay(run.before(count))

    assert run.events[:count] == again.events[:count]
    assert set(again.derived) <= set(run.derived)
    assert all(run.derived[path] == event for path, event in again.derived.items())


def test_verification() -> None:
    """A verification says what follows from what."""
    found = wb.verify(whole("debate"))

    assert found
    assert "toy_debate: verified: 15 derived events follow from 6 answers" == str(found)


def test_a_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    """Of several files with one name, each verification says which it is about."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "a.run.jsonl"
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), to=file)
        assert str(wb.verify(file)).startswith(f"{file}: verified: ")
        assert str(wb.verify(wb.open_run(file))).startswith(f"{file}: verified: ")


def _changed(change: Any) -> Run:
    events = [new for e in whole("debate") for new in change(e)]
    return Run(events)


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (
            lambda e: [
                replace(e, data={"text": "forged"})
                if e.event == "posted" and "a1/heard" in e.path
                else e
            ],
            "/turn=1/a1/heard",
            "another event than the recorded one",
        ),
        (
            lambda e: [
                replace(e, text="forged") if e.event == "answered" and "1/a1" in e.path else e
            ],
            "/turn=1/a1/heard",
            "another event",
        ),
        (
            lambda e: [] if e.event == "posted" and e.path == "/turn=2/judged" else [e],
            "/turn=2/judged",
            "that the run does not hold",
        ),
        (
            lambda e: (
                [e, wb.Posted(path="/more", clock=0, kind="x", data={})]
                if e.event == "run_started"
                else [e]
            ),
            "/more",
            "no longer makes",
        ),
        (
            lambda e: [e, wb.Answered(path="/more", text="x")] if e.event == "run_started" else [e],
            "/more",
            "no longer makes",
        ),
        (
            lambda e: [e, e] if e.event == "answered" and "1/a1" in e.path else [e],
            "/turn=1/a1/speak",
            "there are two at this path",
        ),
        (
            lambda e: [wb.Said(path=e.path, text="x") if e.event == "answered" else e],
            "/turn=1/a0/speak",
            "waits for Answered, not Said",
        ),
        (
            lambda e: [replace(e, result=5) if e.event == "run_ended" else e],
            "",
            "the end: the protocol makes another event",
        ),
    ],
)
def test_diverged(change: Any, path: str, message: str) -> None:
    """A forged, missing, added or doubled event is found, with its path."""
    forged = _changed(change)
    with pytest.raises(Diverged, match=message) as caught:
        wb.replay(forged)

    assert path == caught.value.path
    assert not wb.verify(forged)
    assert "DIVERGED" in str(wb.verify(forged))


def test_the_diff_is_of_words() -> None:
    """The error shows the lines of the prompt that changed."""

    def of(words: str) -> Any:
        @wb.protocol("toy_verify")
        def steps():  # noqa: ANN202
            reply = yield from wb.ask("a", "r", f"Hello\n{words}\nEnd")
            yield from wb.post("b", Heard(text=reply.text))

        return steps()

    run = wb.run_sync(of("old words"), lm=Teller())
    with pytest.raises(Diverged) as caught:
        wb.replay(run, of("new words"))

    assert "-old words\n+new words" in str(caught.value)


def test_unknown_protocol() -> None:
    """A run of a protocol that is not registered here names it."""
    first, *others = whole("debate").events
    run = Run([replace(first, protocol="toy_nowhere"), *others])  # type: ignore[call-arg]
    with pytest.raises(UnknownProtocol, match="no protocol 'toy_nowhere' is registered here"):
        wb.verify(run)
    assert wb.verify(run, BOUND["debate"])


def test_a_parameter_that_is_no_more() -> None:
    """A run whose parameters the protocol does not take fails its check, and says which."""
    first, *others = whole("debate").events
    for params, told in ({"m": 1}, "no parameter 'm'"), ({"n": "x"}, r"toy_debate\(n=...\)"):
        run = Run([replace(first, params=params), *others])  # type: ignore[call-arg]
        with pytest.raises(ProtocolError, match=told):
            wb.replay(run)
        found = wb.verify(run)

        assert not found
        assert "NOT REPLAYABLE" in str(found)
        assert isinstance(found.problem, ProtocolError)


@pytest.mark.parametrize("value", [[[]], float("nan"), 2**5000], ids=["deep", "nan", "large"])
def test_a_value_that_no_execution_takes(value: Any) -> None:
    """A run made by hand with a value that is not JSON, or nested too deep, fails its check."""
    for _ in range(80 if value == [[]] else 0):
        value = [value]
    events = [
        replace(e, value=value) if isinstance(e, wb.Returned) else e for e in whole("council")
    ]

    found = wb.verify(Run(events))

    assert isinstance(found.problem, Diverged)


def test_wait() -> None:
    """`wait` returns what the coroutine returns and raises what it raises."""

    async def of(value: int) -> int:
        return 1 // value

    assert 1 == wait(of(1))
    with pytest.raises(ZeroDivisionError):
        wait(of(0))


def test_causes_come_first() -> None:
    """A run with an answer before its command, or with an event after its end, is no run."""
    run = whole("debate")
    start, asked, *rest = run.events
    answered = next(e for e in rest if isinstance(e, wb.Answered))
    others = [e for e in rest if e is not answered]

    assert wb.verify(run)
    assert not wb.verify(Run([start, answered, asked, *others]))
    assert not wb.verify(Run([start, rest[-1], asked, *rest[:-1]]))
