"""A stepper on a live session, and forks made from it, without a front end."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.toys import Teller, council, debate, human, words
from tests.widgets.stepper import runs
from workbench_widgets.board.widget import Board
from workbench_widgets.stepper.widget import Stepper


def live(lm: Any = None, turns: int = 2) -> Stepper:
    """Return a stepper on a debate that has not begun."""
    return Stepper(wb.Session(debate(turns=turns), lm=lm or wb.ScriptedLM(words)))


def test_a_step_answers_one_question_and_the_cursor_follows_the_edge() -> None:
    """A step answers one question and the cursor follows the edge."""
    widget = live()
    assert widget.head["live"]
    assert 3 == len(widget.head["pending"])
    widget.cursor.at = len(widget.run) - 1
    done = widget.actions()["drive"](unit="answer")
    assert done == {"failed": None, "stopped": False}
    assert 1 == len(widget.run.answers)
    assert widget.at == len(widget.run) - 1 == widget.head["events"] - 1
    assert 2 == len(widget.head["pending"])
    assert {} == widget.pages


def test_the_rest_of_the_turn_then_all() -> None:
    """The turn ends where the next begins; then the run is played to its end."""
    widget = live()
    widget.actions()["drive"](unit="turn")
    assert 3 == len(widget.run.answers)
    widget.actions()["drive"](unit="play")
    assert "complete" == widget.run.status
    assert not widget.head["live"]
    assert widget.head["complete"]
    assert "rows/happened/0" in widget.pages
    with pytest.raises(ValueError, match="finished"):
        Stepper(runs.sample()[0]).actions()["drive"](unit="play")


def test_play_stops_where_a_query_holds() -> None:
    """Play stops where a query holds, and goes on from there."""
    widget = live()
    assert widget.actions()["drive"](unit="play", stops=[{"kind": "Judged"}])["stopped"]
    event = widget.run.events[widget.at]
    assert "Judged" == getattr(event, "kind", None)
    assert "/turn=1/judged" == getattr(event, "path", None)
    assert widget.actions()["drive"](unit="play", stops=[{"agent": "agent1"}])["stopped"]
    assert "/turn=2/a1/speak" == getattr(widget.run.events[widget.at], "path", None)
    assert [] == widget.source.session.breakpoints  # type: ignore[union-attr]


def test_a_failure_is_told_and_the_question_can_be_asked_again() -> None:
    """A failure is told and the question can be asked again."""
    teller = Teller(fail=("/turn=1/a0/speak",))
    widget = live(teller)
    done = widget.actions()["drive"](unit="answer")
    assert "told to fail" in done["failed"]  # type: ignore[index]
    assert "/turn=1/a0/speak" == widget.head["failures"][0]["path"]
    assert "failed" == widget.run.events[widget.at].event
    assert widget.head["live"]
    teller.fail.clear()
    assert widget.actions()["drive"](unit="play") == {"failed": None, "stopped": False}
    assert "complete" == widget.run.status


def test_stop_lets_what_is_under_way_end_and_sends_nothing_new() -> None:
    """Stop lets what is under way end and sends nothing new."""
    widget = live(Teller(latency_s=0.15), turns=50)
    playing = threading.Thread(target=widget.actions()["drive"], kwargs={"unit": "play"})
    playing.start()
    while len(widget.run.answers) < 4:
        widget.grown()
    widget.actions()["stop"]()
    assert widget.head["doing"]["stopping"]
    playing.join(10)
    assert not playing.is_alive()
    assert "interrupted" == widget.run.status
    assert len(widget.run.answers) < 20
    assert widget.head["doing"] is None


def under_way(lm: Any, turns: int = 50) -> tuple[Stepper, Stepper, threading.Thread]:
    """Return two steppers on a session that the first one plays, once some of it is there."""
    session = wb.Session(debate(turns=turns), lm=lm)
    one, two = Stepper(session), Stepper(session)
    playing = threading.Thread(target=one.actions()["drive"], kwargs={"unit": "play"})
    playing.start()
    while len(session.run.answers) < 4:
        time.sleep(0.005)
    return one, two, playing


def test_any_widget_on_a_session_stops_it_and_none_drives_it_twice() -> None:
    """What one widget began is told in all, another can stop it, and it is driven but once."""
    teller = Teller(latency_s=0.1)
    one, two, playing = under_way(teller)
    assert one.head["doing"] == two.head["doing"]
    assert ("play", False) == (one.head["doing"]["what"], one.head["doing"]["stopping"])
    with pytest.raises(RuntimeError, match="under way already"):
        two.actions()["drive"](unit="play")
    assert not two.head["doing"]["stopping"]
    two.actions()["stop"]()
    assert one.head["doing"]["stopping"]
    assert two.head["doing"]["stopping"]
    playing.join(10)
    assert not playing.is_alive()
    assert "interrupted" == one.run.status
    assert len(teller.paths) < 20
    assert one.head["doing"] is None is two.head["doing"]
    assert [] == one.source.session.breakpoints  # type: ignore[union-attr]


def test_widgets_drive_a_session_in_turn() -> None:
    """After one was stopped another goes on, can be stopped too, and leaves no breakpoint."""
    teller = Teller(latency_s=0.05)
    one, two, playing = under_way(teller)
    session = one.source.session
    assert session is not None
    mine = session.breakpoints
    one.actions()["stop"]()
    playing.join(10)
    before = len(teller.paths)
    playing = threading.Thread(target=two.actions()["drive"], kwargs={"unit": "play"})
    playing.start()
    while len(teller.paths) < before + 4:
        time.sleep(0.005)
    assert "play" == one.head["doing"]["what"] == two.head["doing"]["what"]
    one.actions()["stop"]()
    playing.join(10)
    assert not playing.is_alive()
    assert session.live
    assert len(teller.paths) < before + 20
    assert session.breakpoints is mine
    assert [] == mine


@pytest.mark.parametrize("unit", ["play", "turn"])
def test_a_cell_is_told_that_a_widget_drives(unit: str) -> None:
    """It does not wait for the rest of the play; it can go on once that has ended."""
    released = threading.Event()

    def waits(asked: wb.Asked) -> str:
        assert released.wait(20)
        return words(asked)

    widget = live(wb.ScriptedLM(waits))
    session = widget.source.session
    assert session is not None
    driving = threading.Thread(target=lambda: widget.actions()["drive"](unit=unit))
    driving.start()
    while widget.doing is None:
        time.sleep(0.01)
    does = "a widget plays it; stop it there" if unit == "play" else "a widget steps it by turn; "
    for step in (session.step, session.play):
        with pytest.raises(RuntimeError, match=f"this session is under way: {does}"):
            step()
    released.set()
    driving.join(20)
    session.play()

    assert session.done


def test_a_cursor_that_went_back_stays_while_the_run_grows() -> None:
    """A cursor that went back stays while the run grows beside it."""
    widget = live()
    widget.actions()["drive"](unit="answer")
    widget.cursor.at = 1
    before = widget.run
    widget.source.session.step()  # type: ignore[union-attr]
    widget.grown()
    assert len(before) < len(widget.run)
    assert 1 == widget.at


def test_widgets_on_one_session_grow_together() -> None:
    """Widgets on one session grow together and share a cursor."""
    session = wb.Session(debate(), lm=wb.ScriptedLM(words))
    one, two = Stepper(session), Stepper(session)
    one.actions()["drive"](unit="answer")
    assert one.head["events"] == two.head["events"] == len(session.run)
    assert one.at == two.at


def test_a_fork_asks_again_and_keeps_the_rest(tmp_path: Path) -> None:
    """A fork asks one question again, keeps the rest, is looked at, and left again."""
    parent = wb.run_sync(debate(), lm=wb.ScriptedLM(words))
    lm = wb.ScriptedLM(lambda asked: f"again {asked.path}")
    widget = Stepper(parent, lm=lm, forks_to=tmp_path)
    done = widget.actions()["fork"](path="/turn=2/a1/speak")
    file = str(tmp_path / "fork-1.run.jsonl")
    assert done == {"fork": 1, "failed": None, "stopped": False, "file": file}
    made = widget.forks[-1]
    assert "again /turn=2/a1/speak" == made.answer("/turn=2/a1/speak").text  # type: ignore[union-attr]
    assert 1 == made.usage.calls
    assert (tmp_path / "fork-1.run.jsonl").exists()
    assert [{"status": "complete", "events": len(made), "calls": 1}] == widget.head["forks"]
    widget.actions()["look"](number=1)
    assert widget.run is made
    assert parent.digest == widget.head["lineage"]["parent"]
    assert 1 == widget.head["shown"] == widget.head["looking"]
    widget.actions()["look"](number=0)
    assert widget.run is parent
    with pytest.raises(IndexError):
        widget.actions()["look"](number=7)


def test_a_fork_puts_another_answer_in_place() -> None:
    """A fork takes a text for an ask, and JSON for a tool."""
    run = wb.run_sync(council(), lm=wb.ScriptedLM(words), human=human)
    widget = Stepper(run, lm=wb.ScriptedLM(words), human=human)
    path = "/human/ok"
    assert 1 == widget.actions()["fork"](path=path, text="no", rule="unchanged")["fork"]
    assert "no" == widget.forks[-1].answer(path).text  # type: ignore[union-attr]
    called = next(path for path, command in run.commands.items() if command.event == "called")
    value = '[{"id": "p", "text": "other"}, {"id": "q", "text": "last"}]'
    assert 2 == widget.actions()["fork"](path=called, text=value)["fork"]
    with pytest.raises(ValueError, match="JSON"):
        widget.actions()["fork"](path=called, text="{")


def test_a_fork_takes_any_seed() -> None:
    """A seed of more bits than a number of the front end comes whole, as a text."""
    parent = wb.run_sync(debate(), lm=wb.ScriptedLM(words))
    widget = Stepper(parent, lm=wb.ScriptedLM(words))
    widget.actions()["fork"](path="/turn=2", seed=str(2**53 + 1))
    lineage = widget.forks[0].started.lineage
    assert lineage is not None
    assert 2**53 + 1 == lineage.seed
    with pytest.raises(ValueError, match="a seed is a whole number, and 'seven' is none"):
        widget.actions()["fork"](path="/turn=2", seed="seven")
    assert widget.head["doing"] is None


def test_a_fork_that_fails_is_kept_as_far_as_it_came() -> None:
    """A fork that fails is kept as far as it came, and one that names nothing is refused."""
    parent = wb.run_sync(debate(), lm=wb.ScriptedLM(words))
    widget = Stepper(parent, lm=Teller(fail=("/turn=2/a2/speak",)))
    done = widget.actions()["fork"](path="/turn=2")
    assert 1 == done["fork"]  # type: ignore[index]
    assert "told to fail" in done["failed"]  # type: ignore[index]
    assert "interrupted" == widget.forks[0].status
    done = widget.actions()["fork"](path="/nowhere")
    assert done["fork"] is None  # type: ignore[index]
    assert "/nowhere" in done["failed"]  # type: ignore[index]


def until(holds: Any) -> None:
    """Wait for what another thread does; the test's own patience is the limit."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_another_cell_does_is_shown_by_itself() -> None:
    """A session that is stepped in a cell, or on a thread, shows it in every widget on it."""
    session = wb.Session(debate(), lm=wb.ScriptedLM(words))
    stepper, board = Stepper(session), Board(session)
    stepper.cursor.at = len(stepper.run) - 1
    session.step()
    until(lambda: stepper.head["events"] == board.head["events"] == len(session.run))
    assert board.at == stepper.at == len(session.run) - 1
    playing = threading.Thread(target=session.play, daemon=True)
    playing.start()
    playing.join()
    until(lambda: not stepper.head["live"] and not board.head["live"])
    assert "complete" == stepper.head["status"]
    assert stepper.head["complete"]


def test_a_closed_session_is_not_live() -> None:
    """Widgets on it are told by themselves, say why it stopped, and wait for nothing."""
    session = wb.Session(debate(), lm=Teller(fail=("/turn=1/a0/speak",)))
    stepper, board = Stepper(session), Board(session)
    with pytest.raises(wb.RunFailed), session:
        session.step()
    until(lambda: not stepper.head["live"] and not board.head["live"])
    assert ("interrupted", []) == (stepper.head["status"], stepper.head["pending"])
    assert 0 == stepper.head["waits"]["many"]
    assert "told to fail" in stepper.head["failures"][0]["message"]
    assert stepper.head["complete"]
    assert "rows/happened/0" in stepper.pages
    assert "this session is closed" in stepper.actions()["drive"](unit="play")["failed"]  # type: ignore[index]


def test_a_closed_widget_is_shown_nothing_and_leaves_nothing_behind() -> None:
    """Nobody follows a session after its last widget, and it keeps none of them alive."""
    session = wb.Session(debate(turns=9), lm=wb.ScriptedLM(words))
    session.step()
    before = threading.active_count()  # the loop that answers is among them, and stays
    gone = weakref.ref(closed(session))
    until(lambda: threading.active_count() <= before)
    gc.collect()
    assert gone() is None
    session.step()
    shown = Stepper(session)
    session.step()
    until(lambda: shown.head["events"] == len(session.run))


def closed(session: wb.Session) -> Any:
    """Return what two widgets on a session shared, both of them shown something and closed."""
    one, two = Stepper(session), Board(session)
    session.step()
    until(lambda: one.head["events"] == len(session.run))
    held = one.head["events"]
    one.close()
    session.step()
    until(lambda: two.head["events"] == len(session.run))
    assert held == one.head["events"]
    two.close()
    return one.source.common


def test_a_session_tells_what_it_waits_for() -> None:
    """Whose calls are pending, at which path, and which model is to answer them."""
    widget = live()
    waits = widget.head["waits"]
    assert ["/turn=1/a0/speak", "Agent0", "scripted"] == waits["calls"][0]
    assert (3, []) == (waits["many"], waits["loading"])
    widget = Stepper(wb.Session(debate(n=20), lm={"*": Loading(), "agent3": Teller()}))
    waits = widget.head["waits"]
    assert (20, 6, ["slow"]) == (waits["many"], len(waits["calls"]), waits["loading"])
    assert Stepper(runs.sample()[0]).head["waits"] is None


class Loading(Teller):
    """A model that is not loaded before its first answer, and then waits to be let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "slow"
        self.ready = threading.Event()
        self.go_on = threading.Event()

    def info(self) -> dict[str, Any]:
        """Return whether it is loaded."""
        return {"loaded": self.ready.is_set()}

    async def answer(self, asked: wb.Asked) -> wb.Answered:
        """Answer once it may; the first question of a turn at once."""
        while not (asked.path.endswith("a0/speak") and self.ready.is_set()):
            if self.go_on.is_set():
                break
            await asyncio.sleep(0.01)
        return await super().answer(asked)


def test_a_fork_under_way_tells_what_it_waits_for_and_is_stopped(tmp_path: Path) -> None:
    """It tells the model, whether it is loading, and the calls; stopped, it keeps its answers."""
    parent = wb.run_sync(debate(), lm=wb.ScriptedLM(words))
    lm = Loading()
    widget = Stepper(parent, lm=lm, forks_to=tmp_path)
    done: list[Any] = []
    fork = widget.actions()["fork"]
    making = threading.Thread(target=lambda: done.append(fork(path="/turn=2")), daemon=True)
    making.start()
    until(lambda: (widget.head["doing"] or {}).get("waits", {}).get("loading") == ["slow"])
    doing = widget.head["doing"]
    assert ["/turn=2/a0/speak", "Agent0", "slow"] == doing["waits"]["calls"][0]
    assert (3, 0, "/turn=2") == (doing["waits"]["many"], doing["answered"], doing["path"])
    assert 0 <= time.time() - doing["began"] < 60
    lm.ready.set()
    until(lambda: widget.head["doing"]["answered"] == 1)
    assert (2, []) == tuple(widget.head["doing"]["waits"][k] for k in ("many", "loading"))
    widget.actions()["stop"]()
    making.join(20)
    assert not making.is_alive()
    file = tmp_path / "fork-1.run.jsonl"
    assert done == [{"fork": 1, "failed": None, "stopped": True, "file": str(file)}]
    kept = wb.open_run(file)
    assert kept.answer("/turn=2/a0/speak") is not None
    assert "/turn=2/a1/speak" not in kept.answers
    assert widget.forks[0].digest == kept.digest
    assert "interrupted" == widget.head["forks"][0]["status"]
    assert widget.head["doing"] is None


def test_a_fork_of_a_session_asks_the_session_s_models() -> None:
    """Once a live run has ended, its forks, and forks of them, are answered by who answered it."""
    widget = live()
    widget.actions()["drive"](unit="play")
    path = "/turn=2/a1/speak"
    assert widget.actions()["fork"](path=path) == {
        "fork": 1, "failed": None, "stopped": False, "file": None,
    }  # fmt: skip
    widget.actions()["look"](number=1)
    assert widget.actions()["fork"](path=path)["failed"] is None
    assert ["complete"] * 2 == [fork.status for fork in widget.forks]
