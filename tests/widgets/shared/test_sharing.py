"""What widgets on one run share, and what none of them takes: an audit of another run."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import workbench as wb
import workbench_widgets as ww

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
