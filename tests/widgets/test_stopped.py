"""Views over a session that failed, and over one that was closed: each says why nothing comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import workbench as wb
import workbench_widgets as ww
from tests.scripts import CASE, WORLD, agents, turn_of, write_case
from tests.widgets.mounted import shown
from workbench.views.turns import cause

VIEWS: dict[str, tuple[Any, str]] = {
    "graph": (ww.GraphView, "graphView"),
    "tom": (ww.ToMBoard, "tomBoard"),
    "predict": (ww.Predict, "predict"),
    "stepper": (ww.Stepper, "stepper"),
}


def dies(asked: Any) -> None:
    """Answer nothing from the second turn on."""
    if turn_of(asked) == 2:
        raise RuntimeError("boom")


def stopping(folder: Path) -> wb.Session:
    """Return a session whose second turn has failed; it can be asked again."""
    case = wb.Case.read(write_case(folder / "case", CASE))
    session = wb.Session(wb.bilayer(case, turns=2), lm=agents(dies), world=WORLD)
    with pytest.raises(wb.RunFailed, match="boom"):
        session.play()
    return session


@pytest.mark.browser
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_views_of_a_session(page: Page, tmp_path: Path, name: str, closed: bool) -> None:
    """It waits to be asked again; a closed one has stopped, and offers nothing."""
    session = stopping(tmp_path)
    if closed:
        session.close()
    make, mount = VIEWS[name]
    shown(page, make(session, cursor=ww.Cursor()), name, tmp_path, mount=mount, kernel=True)
    if name == "predict":
        on = page.get_by_role("button", name="Skip").or_(page.get_by_role("button", name="Next"))
        while not page.get_by_text("My guesses, to copy").count():
            on.first.click()
            page.wait_for_timeout(60)
    page.evaluate("(at) => store.set('at', at)", len(session.run) - 1)
    page.get_by_text("RuntimeError: boom").first.wait_for()
    words = page.locator("#here").inner_text()

    if name == "stepper":
        assert ("Ask again" in words) == (not closed)
        assert ("This session is closed" in words) == closed
    else:
        told = f"The run {'is interrupted' if closed else 'waits'} after {len(session.run)} events"
        assert f"{told}: RuntimeError: boom" in words
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("make", [ww.GraphView, ww.ToMBoard, ww.Board])
def test_faces_of_a_session(tmp_path: Path, make: Any, closed: bool) -> None:
    """The static face says it too; that of a run that goes on, or is complete, says nothing."""
    session = stopping(tmp_path)
    if closed:
        session.close()
    state = "is interrupted" if closed else "waits"
    told = f"<p>The run {state} after {len(session.run)} events: RuntimeError: boom</p>"
    assert told in make(session).face()
    bound = wb.bilayer(wb.Case.read(tmp_path / "case"), turns=2)
    going = wb.Session(bound, lm=agents(), world=WORLD)
    assert "<p>The run " not in make(going).face()
    assert "<p>The run is interrupted after 1 event.</p>" in make(session.run.before(1)).face()
    assert "<p>The run " not in make("sample_runs/aura_hub/aura_hub.run.jsonl").face()


def test_a_cause_is_an_error_or_what_failed_first() -> None:
    """With the class of the error, also where that said nothing."""
    run = wb.open_run("sample_runs/aura_hub/aura_hub.run.jsonl")
    asked = next(e for e in run.events if e.event == "asked")
    failed = wb.record.events.Failed(path=asked.path, error="AssertionError", message="")
    cut = run.before(run.events.index(asked) + 1)
    assert ("", "") == (cause(run), cause(cut))
    assert "AssertionError" == cause(wb.Run([*cut.events, failed]))
