"""What widgets on one run share, and what none of them takes: an audit of another run."""

from __future__ import annotations

import gc
import re
import threading
import weakref
from pathlib import Path

import pytest

import workbench as wb
import workbench_widgets as ww
from tests.toys import debate, words
from workbench_widgets.shared.source import Source, brief

SAMPLES = Path(__file__).parents[3] / "sample_runs"
RUN = wb.open_run(SAMPLES / "aura_hub/aura_hub.run.jsonl")
AUDIT = wb.open_run(SAMPLES / "aura_hub/aura_hub.audit.run.jsonl")
OTHER = wb.open_run(SAMPLES / "vance_v_innovate/vance_v_innovate.run.jsonl")
WIDGETS = [ww.Stepper, ww.ToMBoard, ww.GraphView, ww.Board, ww.Predict, ww.explorer]


@pytest.mark.parametrize("make", WIDGETS)
def test_an_audit_of_another_run_is_refused(make: type) -> None:
    """Verdicts never stand beside the words of a run that they are not about."""
    with pytest.raises(ValueError, match="the audit is about the run 20a3c661cdb7, and this one"):
        make(OTHER, audit=AUDIT)
    with pytest.raises(ValueError, match="the audit is about"):
        ww.handout_html(OTHER, audit=AUDIT)


def test_one_cursor_for_one_run() -> None:
    """Widgets on one run move together, whichever audit they were given."""
    stepper, board, tom = ww.Stepper(RUN), ww.Board(RUN, audit=AUDIT), ww.ToMBoard(RUN)
    stepper.at = 7

    assert (7, 7) == (board.at, tom.at)
    board.order = "path"
    assert stepper.order == "path"


def test_a_cursor_of_its_own() -> None:
    """A widget that was given a cursor goes its own way, and can be linked later."""
    stepper, alone = ww.Stepper(RUN), ww.Board(RUN, cursor=ww.Cursor())
    stepper.at = 9
    assert alone.at == 0

    assert ww.link(stepper, alone) is stepper.cursor
    assert alone.at == 9


def test_what_is_shown_depends_on_the_arguments_alone() -> None:
    """A widget shows no verdicts because another one was given them."""
    judged = ww.Stepper(RUN, audit=AUDIT)
    assert "INVALID" in judged.face()
    assert judged.head["audited"]
    plain = ww.Stepper(RUN)
    assert not plain.head["audited"]
    assert plain.pages != judged.pages
    del judged
    gc.collect()

    assert ww.Stepper(RUN).pages == plain.pages


@pytest.mark.parametrize("make", WIDGETS)
def test_an_unknown_option(make: type) -> None:
    """A slip of the pen is told of."""
    with pytest.raises(TypeError, match="presentr"):
        make(RUN, presentr=True)
    assert make(RUN, presenter=True).options["presenter"] is True


def test_link_takes_something() -> None:
    """There is no cursor of nothing."""
    with pytest.raises(ValueError, match="at least one"):
        ww.link()


@pytest.mark.parametrize("make", [*WIDGETS, ww.handout_html], ids=lambda make: make.__name__)
@pytest.mark.parametrize("what", [None, 3, [], object, RUN.started])
def test_what_is_no_run_is_told_in_one_sentence(make: type, what: object) -> None:
    """Whoever shows runs says the same of what is none."""
    with pytest.raises(TypeError, match=r"takes a Run.* or the path of a run's file, not ") as told:
        make(what)
    assert len(str(told.value)) < 160
    with pytest.raises(TypeError, match=r"audit= takes a Run or the path of a run's file, not "):
        make(RUN, audit=3 if what is None else what)


@pytest.mark.parametrize("make", [*WIDGETS, ww.handout_html], ids=lambda make: make.__name__)
def test_a_path_stands_for_its_run(make: type, tmp_path: Path) -> None:
    """A path is opened; one with no run says what is wrong with it."""
    assert make(str(RUN.path), audit=AUDIT.path)
    with pytest.raises(wb.RunFileError, match=r"nowhere\.jsonl: no such file"):
        make(tmp_path / "nowhere.jsonl")
    (tmp_path / "words.txt").write_text("no run")
    with pytest.raises(wb.RunFileError, match=r"words\.txt, line 1: not JSON"):
        make(tmp_path / "words.txt")
    with pytest.raises(ValueError, match="this is no audit but a run of 'bilayer'"):
        make(RUN, audit=OTHER)


def test_a_cursor_is_a_cursor() -> None:
    """What moves widgets together is told of as well."""
    with pytest.raises(TypeError, match="cursor= takes a Cursor, as of another widget, not 3"):
        ww.Stepper(RUN, cursor=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="link takes widgets, not <Run"):
        ww.link(ww.Stepper(RUN), RUN)
    stepper = ww.Stepper(RUN)
    with pytest.raises(TypeError, match="cursor= takes a Cursor, as of another widget, not 5"):
        stepper.cursor = 5  # type: ignore[assignment]
    assert isinstance(stepper.cursor, ww.Cursor)
    stepper.cursor.at = 3
    assert stepper.at == 3


@pytest.mark.parametrize("make", [ww.Stepper, ww.Board])
def test_no_place_is_beyond_the_end(make: type) -> None:
    """A place past the end is the end, for the cursor as for the widget."""
    widget = make(RUN, cursor=ww.Cursor())
    widget.at = 10**9

    assert widget.at == widget.cursor.at == len(RUN) - 1


@pytest.mark.parametrize("make", [*WIDGETS, ww.handout_html], ids=lambda make: make.__name__)
@pytest.mark.parametrize("what", ["yes", 5, None, object()], ids=["text", "int", "None", "object"])
def test_large_type_is_on_or_off(make: type, what: object) -> None:
    """Nothing else is taken for on."""
    with pytest.raises(TypeError, match="presenter= takes True or False, not "):
        make(RUN, presenter=what)


def test_other_arguments_are_refused_in_one_sentence() -> None:
    """Where they are given, and not when they would be needed."""
    notice = SAMPLES / "handbook/notice.run.jsonl"
    refused = {
        "lm= takes language models, such as": lambda: ww.Stepper(RUN, lm=5),  # type: ignore[arg-type]
        "world= takes the tools by name, not 5": lambda: ww.Stepper(RUN, world=5),  # type: ignore[arg-type]
        "human= takes a function that answers, not 5": lambda: ww.Stepper(RUN, human=5),  # type: ignore[arg-type]
        "forks_to= takes the path of a folder, not 5": lambda: ww.Stepper(RUN, forks_to=5),  # type: ignore[arg-type]
        "rail= takes True or False, not 'no'": lambda: ww.Board(RUN, rail="no"),
        "audits= takes a list with an audit or None for each run, not 5": lambda: ww.Compare(
            RUN,
            OTHER,
            audits=5,  # type: ignore[arg-type]
        ),
        "corpus= takes the path of a folder of documents, not 5": lambda: ww.Consultation(
            notice,
            corpus=5,  # type: ignore[arg-type]
        ),
    }
    for told, make in refused.items():
        with pytest.raises(TypeError, match=re.escape(told)):
            make()
    with pytest.raises(ValueError, match="one of the views explorer, predict, not"):
        ww.handout_html(RUN, view=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size is one of wide, narrow, not"):
        ww.GraphView(RUN).svg(size=[])  # type: ignore[arg-type]


@pytest.mark.parametrize("make", WIDGETS)
def test_a_closed_widget_lets_go_of_its_run(make: type) -> None:
    """Nothing that was made for it, its static face among it, keeps the run alive."""
    run = wb.open_run(SAMPLES / "maven/tree.run.jsonl")
    gone = weakref.ref(run)
    widget = make(run)
    widget.face()
    widget.close()
    del run, widget
    gc.collect()

    assert gone() is None


def test_what_was_made_of_a_shorter_run_is_not_kept() -> None:
    """A run that grows while something is made of it waits, so that nothing stale is kept."""
    session = wb.Session(debate(), lm=wb.ScriptedLM(words))
    source = Source(session)
    grown = threading.Event()
    growing = threading.Thread(target=lambda: (source.refresh(), grown.set()), daemon=True)

    def make(of: Source) -> int:
        events = len(of.run)
        session.step()
        growing.start()
        assert not grown.wait(0.2)
        return events

    short = source.keep(make)
    growing.join()
    assert short < len(source.run) == len(session.run)
    assert len(source.run) == source.keep(lambda of: len(of.run)) == len(source.order["path"])
    assert make not in {name for name, _ in source._kept}


def test_long_names_stay_apart() -> None:
    """How much is left out is told once, and the end stays."""
    one, other = brief("a" * 1000 + "b"), brief("a" * 1000 + "c")
    assert one != other
    assert "… (+701) …" in one
    assert 300 == len(one) - len("… (+701) …")
    assert brief("x" * 300) == "x" * 300
