"""Stepping forward and back, live and over a file."""

from __future__ import annotations

import threading
import time
import warnings
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Teller, human, words
from workbench.errors import RunError, RunFailed, RunFileError
from workbench.record.events import ANSWERS, Event
from workbench.record.log import TornLine
from workbench.record.order import turn_of
from workbench.record.run import Run

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


def turns(run: Run) -> set[int | None]:
    """Return the turns that a run has come to."""
    return {turn_of(path) for path in run.commands} - {None}


@pytest.mark.parametrize("name", list(BOUND))
@pytest.mark.parametrize("unit", ["event", "answer", "turn"])
def test_live_to_the_end(name: str, unit: str, tmp_path: Path) -> None:
    """Stepping live to the end gives the run that `run` gives, in memory and in the file."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller()
    if unit == "turn" and not turns(whole(name)):
        unit = "level"
    with wb.Session(BOUND[name], lm=teller, human=human, to=path) as session:
        for _ in range(200):
            if session.done:
                break
            session.step(unit)

    assert session.done
    assert whole(name).digest == session.run.digest == wb.open_run(path).digest
    assert len(teller.paths) == len(set(teller.paths))
    assert len(session.run) == session.cursor


def test_one_answer_a_step() -> None:
    """A step to an answer asks one model, in causal order, and shows what the answer caused."""
    teller = Teller()
    session = wb.Session(BOUND["debate"], lm=teller)

    assert ["/turn=1/a0/speak", "/turn=1/a1/speak", "/turn=1/a2/speak"] == session.pending
    event = session.step()
    assert ["/turn=1/a0/speak"] == teller.paths
    assert isinstance(event, wb.Posted)
    assert "/turn=1/a0/heard" == event.path
    assert 1 == sum(isinstance(e, ANSWERS) for e in session.now)


def test_turns() -> None:
    """A step of a turn ends with the turn; the next turn's asks are not yet passed."""
    session = wb.Session(BOUND["debate"], lm=Teller())
    session.step("turn")

    assert {1} == turns(session.now)
    assert 3 == len(session.now.answers)
    session.step("turn")
    assert session.done
    session.back("turn")
    assert {1} == turns(session.now)
    session.back("turn")
    assert 0 == session.cursor


steps = st.sampled_from(["event", "answer", "turn"])
moves = st.lists(st.tuples(st.booleans(), steps) | st.integers(0, 22), max_size=12)


@given(moves)
def test_now_is_a_function_of_the_cursor(done: list[Any]) -> None:
    """Whatever way one came, at one cursor one sees one run; nothing is undone."""
    run = whole("debate")
    session = wb.Session(run)
    for move in done:
        if isinstance(move, int):
            session.goto(move)
        else:
            (session.step if move[0] else session.back)(move[1])

        assert 0 <= session.cursor <= len(run)
        assert run.before(session.cursor).events == session.now.events
        assert run.events == session.run.events


@given(moves)
def test_live_moves(done: list[Any]) -> None:
    """Going back and forward at a live edge shows the same again, and asks nothing twice."""
    teller = Teller()
    session = wb.Session(BOUND["debate"], lm=teller)
    seen: dict[int, tuple[Any, ...]] = {}
    for move in done:
        if isinstance(move, int):
            session.goto(min(move, len(session.run)))
        else:
            (session.step if move[0] else session.back)(move[1])
        now = session.now.events

        assert now == seen.setdefault(session.cursor, now)
    session.play()

    assert session.done
    assert whole("debate").digest == session.run.digest
    assert 6 == len(teller.paths)
    session.close()


def test_goto() -> None:
    """A path goes just after its last event; a place that is none is told of."""
    session = wb.Session(whole("debate"))

    assert isinstance(session.goto("/turn=1/a0/speak"), wb.Answered)
    assert isinstance(session.goto("/turn=1/a0/heard"), wb.Posted)
    assert session.goto(0) is None
    with pytest.raises(KeyError, match="/turn=9 has not happened yet"):
        session.goto("/turn=9")
    for place in (-1, 1000):
        with pytest.raises(IndexError, match="is not between 0 and 22"):
            session.goto(place)
    with pytest.raises(TypeError):
        session.goto(1.5)  # type: ignore[arg-type]
    assert 0 == session.cursor


@pytest.mark.parametrize("live", [True, False])
def test_breakpoints(live: bool) -> None:
    """Play stops after each event for which a breakpoint holds, then goes on to the end."""

    def judged(event: Any) -> bool:
        return isinstance(event, wb.Posted) and event.kind == "Judged"

    source: Any = BOUND["debate"] if live else whole("debate")
    session = wb.Session(source, lm=Teller() if live else None, breakpoints=[judged])
    stops = []
    while not session.done:
        event = session.play()
        stops.append(getattr(event, "path", "the end"))

    assert ["/turn=1/judged", "/turn=2/judged", "the end"] == stops
    session.goto(0)
    session.step("turn")
    assert isinstance(session.event, wb.Posted)
    assert "/turn=1/judged" == session.event.path


@pytest.mark.parametrize("live", [True, False])
def test_a_stop_of_one_call(live: bool) -> None:
    """A stop holds for the call that it is given to, beside the breakpoints, and no longer."""

    def judged(event: Any) -> bool:
        return isinstance(event, wb.Posted) and event.kind == "Judged"

    def by_second(event: Any) -> bool:
        return isinstance(event, wb.Answered) and event.path.endswith("/a1/speak")

    source: Any = BOUND["debate"] if live else whole("debate")
    session = wb.Session(source, lm=Teller() if live else None, breakpoints=[judged])
    calls: list[Any] = [
        lambda: session.play(stop=by_second),
        lambda: session.step("turn", stop=by_second),
        lambda: session.step("turn", stop=by_second),
        session.play,
        session.play,
    ]
    stops = [getattr(call(), "path", "the end") for call in calls]

    assert "/turn=1/a1/speak" == stops[0]
    assert "/turn=1/judged" == stops[1]
    assert "/turn=2/a1/speak" == stops[2]
    assert ["/turn=2/judged", "the end"] == stops[3:]
    assert [judged] == session.breakpoints
    assert whole("debate").digest == session.run.digest


def test_stopped_from_another_thread() -> None:
    """Where a stop begins to hold while a run is played, nothing new is sent."""
    teller, pressed = Teller(latency_s=0.05), threading.Event()
    session = wb.Session(BOUND["debate"], lm=teller)

    def press() -> None:
        while not teller.paths:
            time.sleep(0.001)
        pressed.set()

    in_threads(lambda: session.play(stop=lambda _: pressed.is_set()), press)

    assert 3 == len(teller.paths) == len(session.run.answers)
    assert session.live
    session.play()
    assert whole("debate").digest == session.run.digest


def test_a_failing_answer(tmp_path: Path) -> None:
    """Each step that fails says so; the session goes on once the model does."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller(fail=("/turn=1/a0/speak",))
    session = wb.Session(BOUND["debate"], lm=teller, to=path)
    for number in range(3):
        with pytest.raises(RunFailed, match=r"/turn=1/a0/speak.*told to fail") as caught:
            session.step()
        assert caught.value.run is not None
        assert number + 1 == sum(isinstance(e, wb.Failed) for e in session.run)
    assert 0 == session.cursor
    teller.fail = {"/turn=1/a1/speak"}
    session.step()
    assert {} == session.run.failures
    with pytest.raises(RunFailed, match="/turn=1/a1/speak"):
        session.play()
    teller.fail = set()
    session.play()

    assert session.done
    assert whole("debate").digest == session.run.digest == wb.open_run(path).digest


def test_the_new_failure_is_raised() -> None:
    """Where an older failure is still unanswered, the error is about the one that just came."""
    teller = Teller(fail=("/turn=1/a0/speak", "/turn=1/a2/speak"))
    session = wb.Session(BOUND["debate"], lm=teller)
    with pytest.raises(RunFailed, match="/turn=1/a0/speak"):
        session.step()
    teller.fail = {"/turn=1/a2/speak"}
    session.step()
    session.step()
    teller.fail = {"/turn=1/a2/speak"}
    with pytest.raises(RunFailed, match="/turn=1/a2/speak"):
        session.step()


def test_over_a_file_that_is_gone_on_with(tmp_path: Path) -> None:
    """The file of an interrupted run is read without a model, and gone on with given one."""
    path = tmp_path / "a.run.jsonl"
    with pytest.raises(RunFailed):
        wb.run_sync(BOUND["debate"], lm=Teller(fail=("/turn=2/a1/speak",)), to=path)
    data = path.read_bytes()
    reading = wb.Session(path)
    reading.play()
    assert reading.done
    assert not reading.live
    path.write_bytes(data[:-7])  # torn
    teller = Teller()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornLine)
        session = wb.Session(path, lm=teller)
    with pytest.raises(RunFileError, match="is writing"):
        wb.Session(path, lm=teller)
    while not session.done:
        session.step("event")

    assert ["/turn=2/a1/speak"] == teller.paths
    assert whole("debate").digest == session.run.digest == wb.open_run(path).digest


def test_closed(tmp_path: Path) -> None:
    """A closed session is read on, pays for nothing more, and frees its file."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller()
    with wb.Session(BOUND["debate"], lm=teller, to=path) as session:
        session.step()
        assert session.live
        ear = Ear()
        session.listen(ear.hear)
    assert [None] == ear.paths
    session.close()
    assert (False, [], True) == (session.live, session.pending, session.done)
    session.back()
    session.step("event")
    for go in (session.play, session.step, lambda: session.step("event")):
        session.goto(len(session.run))
        with pytest.raises(RunError, match="this session is closed"):
            go()

    assert 1 == len(teller.paths)
    assert whole("debate").digest == wb.wait(wb.resume(path, lm=teller)).digest


def test_a_protocol_that_raises() -> None:
    """The step at which the protocol raises says so; the run can be looked at."""

    @wb.protocol("toy_session_raising")
    def raising():  # noqa: ANN202
        yield from wb.ask("a", "r", "x")
        raise ValueError("oh")

    session = wb.Session(raising(), lm=Teller())
    with pytest.raises(RunError, match="ValueError: oh"):
        session.step()
    session.play()

    assert session.done
    assert "failed" == session.now.status


def test_no_model() -> None:
    """A session without a model shows the first asks and fails at the edge only."""
    session = wb.Session(BOUND["debate"])
    for _ in range(4):
        assert session.step("event") is not None
    with pytest.raises(RunFailed, match="no language model"):
        session.step("event")


def test_static_face(tmp_path: Path) -> None:
    """A session says where it is, at any cursor, and shows it without a script."""
    session = wb.Session(BOUND["debate"], lm=Teller())
    for unit in ("event", "answer", "turn"):
        session.step(unit)
        shown = session._repr_mimebundle_()
        assert repr(session) == shown["text/plain"]
        assert "<script" not in shown["text/html"]
    assert repr(wb.Session(whole("debate"))).startswith("<Session toy_debate: 0 of 22 events")


def test_a_seed_that_is_none(tmp_path: Path) -> None:
    """What cannot begin leaves no file that would be in the way of the next try."""
    for odd in (2**70, True, "1"):
        with pytest.raises((TypeError, ValueError)):
            wb.Session(BOUND["debate"], lm=Teller(), to=tmp_path / "a.run.jsonl", seed=odd)  # type: ignore[arg-type]

    assert [] == list(tmp_path.iterdir())


def in_threads(*steps: Any) -> None:
    """Call each in a thread of its own, and wait for all."""
    threads = [threading.Thread(target=step) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


@pytest.mark.parametrize("unit", ["play", "turn", "answer", "event"])
def test_two_threads(unit: str, tmp_path: Path) -> None:
    """Two threads on one session pay for each answer once, and leave a file that verifies."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller(latency_s=0.02)
    session = wb.Session(BOUND["debate"], lm=teller, to=path)

    def go() -> None:
        while not session.done:
            if unit == "play":
                session.play()
            else:
                session.step(unit)

    in_threads(go, go)

    assert len(teller.paths) == len(set(teller.paths))
    assert wb.verify(path)
    assert whole("debate").digest == wb.open_run(path).digest


def test_closed_while_another_thread_plays(tmp_path: Path) -> None:
    """What is under way is recorded before the file is closed, and nothing more is sent."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller(latency_s=0.1)
    session = wb.Session(BOUND["debate"], lm=teller, to=path)

    def close() -> None:
        while not teller.paths:
            time.sleep(0.001)
        session.close()

    in_threads(session.play, close)

    assert 3 == len(teller.paths) == len(wb.open_run(path).answers)
    assert wb.verify(path)
    assert whole("debate").digest == wb.wait(wb.resume(path, lm=teller)).digest


def test_held_by_one_thread(tmp_path: Path) -> None:
    """Meanwhile steps of other threads are refused, and closing waits as ever."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller(latency_s=0.1)
    session = wb.Session(BOUND["debate"], lm=teller, to=path)

    def play() -> None:
        with session.held("a widget plays it"):
            session.play()

    def meddle() -> None:
        while not teller.paths:
            time.sleep(0.001)
        for step in (session.step, session.play):
            with pytest.raises(RuntimeError, match="under way: a widget plays it; stop it there"):
                step()
        session.close()

    in_threads(play, meddle)

    assert 3 == len(teller.paths) == len(wb.open_run(path).answers)
    assert wb.verify(path)


def test_a_step_from_within() -> None:
    """Who answers cannot step or close the session that waits for the answer; it is told so."""

    def nosy(asked: wb.Asked) -> str:
        for call in (session.step, session.play, session.close):
            with pytest.raises(RuntimeError, match="cannot step or close"):
                call()
        return "well"

    session = wb.Session(BOUND["debate"], lm=wb.ScriptedLM(nosy))
    session.play()

    assert session.done


class Ear:
    """Keeps the paths that it is told."""

    def __init__(self) -> None:
        self.paths: list[str | None] = []

    def hear(self, event: Event | None) -> None:
        """Take note."""
        self.paths.append(event and getattr(event, "path", event.event))


def test_who_listens_is_told_whoever_steps_and_is_held_by_nobody() -> None:
    """Each event is told once as it comes; a listener that is gone is forgotten."""
    session = wb.Session(BOUND["debate"], lm=Teller())
    one, two = Ear(), Ear()
    before = len(session.run)
    session.listen(one.hear)
    session.listen(two.hear)
    session.step()
    assert [e.path for e in session.run.events[before:]] == one.paths == two.paths  # type: ignore[union-attr]
    known = weakref.ref(two)
    del two
    assert known() is None
    session.play()
    assert len(session.run) - before == len(one.paths)
    assert "run_ended" == one.paths[-1]
    assert {"*"} == set(session.models)
    assert {} == wb.Session(session.run).models


@pytest.mark.parametrize("given", [{"to": "b.run.jsonl"}, {"seed": 0}, {"sampling": wb.Sampling()}])
def test_what_a_run_has_of_its_own_is_not_given(given: dict[str, Any], tmp_path: Path) -> None:
    """Over a run, a file, seed or sampling that would be passed over is refused."""
    path = tmp_path / "a.run.jsonl"
    run = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), to=path)
    for source in (run, path):
        with pytest.raises(ValueError, match=f"{next(iter(given))}= goes with a protocol"):
            wb.Session(source, lm=Teller(), **given)
