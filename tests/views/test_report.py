"""Tests of `workbench.views.report`."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.record.deliberation import (
    CASE,
    HOSTILE,
    broken_off,
    deliberate,
    judge,
    shuffled,
    written,
)
from tests.views.test_html import RUNS, Page, check
from workbench.record.events import RunStarted
from workbench.record.log import Log
from workbench.record.run import Run
from workbench.views.export import export
from workbench.views.report import report_html


@pytest.fixture(scope="module")
def run() -> Run:
    """Return a complete run of two turns."""
    return deliberate()


@pytest.fixture(scope="module")
def audit(run: Run) -> Run:
    """Return its audit."""
    return judge(run)


@pytest.mark.parametrize("kind", RUNS)
def test_every_run_has_a_report(kind: str) -> None:
    """A report of any run is one well-formed page that loads nothing and runs nothing."""
    html = report_html(RUNS[kind]())
    assert html.startswith("<!DOCTYPE html>")
    check(html)


def test_a_hostile_audit_is_harmless_beside_its_run() -> None:
    """Reasons of a judge are text too."""
    run = deliberate(HOSTILE)
    page = check(report_html(run, judge(run, HOSTILE)))
    assert page.text.count("<think>plan</think>") > 20


def test_the_order_of_arrival_changes_no_byte(run: Run, audit: Run) -> None:
    """The same run and audit give the same file."""
    page = report_html(run, audit)
    assert page == report_html(shuffled(run, 5), shuffled(audit, 6))


def test_it_tells_what_ran_and_how_to_replay_it(run: Run, tmp_path: Path) -> None:
    """Protocol, model, seed, version, digest, parameters and commands are there."""
    path = written(run, tmp_path / "my trams.run.jsonl")
    text = check(report_html(path)).text
    for words in (
        CASE.title,
        CASE.brief,
        run.digest,
        run.started.package,
        "scripted",
        "workbench verify 'my trams.run.jsonl'",
        "workbench replay 'my trams.run.jsonl'",
        "Parameter turns",
    ):
        assert words in text, words
    assert str(tmp_path) not in text


def test_an_audit_stands_beside_what_it_is_about(run: Run, audit: Run) -> None:
    """Summary figures with n, verdicts in the story, and the rules with how often they broke."""
    text = check(report_html(run, audit)).text
    for words in (
        "ToM Consistency",
        "50.0 %",
        "n = 12",
        "R2 is broken.",
        "cosine 0.62",
        "relevance 0.8",
        "Judged by judge",
        audit.digest,
    ):
        assert words in text, words
    assert re.search(r"R2A plan must name at least one drawback\.620", text)


def test_an_audit_of_another_run_is_left_out(audit: Run) -> None:
    """Verdicts on another run are not put beside this one."""
    text = check(report_html(deliberate(turns=1), audit)).text
    assert "is of another run" in text
    assert "R2 is broken." not in text


def test_an_audit_that_was_broken_off_is_shown_as_far_as_it_goes(run: Run, audit: Run) -> None:
    """Half an audit gives its verdicts and says that it is not whole."""
    half = audit.before(len(audit) // 2)
    text = check(report_html(run, half)).text
    assert "interrupted" in text
    none = Run([RunStarted(protocol="audit", params={}, subject=run.digest)])
    assert "The audit holds no verdict." in check(report_html(run, none)).text


def test_raw_replies_and_mended_ones_are_in_it(run: Run) -> None:
    """Each reply is there as it came, and what the gate had to mend."""
    text = check(report_html(run)).text
    assert "I would rather not answer in JSON." in text
    assert "Gladly: {" in text
    assert re.search(r"\d+ of \d+ questions were answered at once", text)


def test_trouble_is_told_in_the_head() -> None:
    """An interrupted run says so before anything else."""
    text = check(report_html(broken_off())).text
    assert text.index("The run was interrupted") < text.index("Turn by turn")


def test_it_has_landmarks_headings_and_captions(run: Run, audit: Run) -> None:
    """A screen reader finds the way: one h1, landmarks, no skipped level, captions."""
    page: Page = check(report_html(run, audit))
    tags = [tag for tag, _ in page.tags]
    assert {"header", "main", "nav", "footer"} <= set(tags)
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert tags.count("table") == tags.count("caption")
    assert dict(page.tags[[t for t, _ in page.tags].index("html")][1]) == {"lang": "en"}
    targets = {attrs.get("id") for _, attrs in page.tags}
    links = [str(attrs["href"])[1:] for tag, attrs in page.tags if tag == "a"]
    assert [link for link in links if link not in targets] == []


def test_the_file_is_written_whole_or_not_at_all(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that fails leaves the old file and no litter; a good one replaces it."""
    target = tmp_path / "deep" / "report.html"
    assert export(run, target) == target
    assert target.read_text(encoding="utf-8") == report_html(run)

    def full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        export(run, target, title="other")
    assert target.read_text(encoding="utf-8") == report_html(run)
    assert list(target.parent.iterdir()) == [target]


def test_a_run_is_never_replaced(run: Run, tmp_path: Path) -> None:
    """Not by its name, not by its content, not through a link."""
    named, unnamed, link = (tmp_path / n for n in ("b.run.jsonl", "renamed", "link.html"))
    with Log.create(unnamed) as log:
        log.append([run.started])
        data = unnamed.read_bytes()
        link.symlink_to(unnamed)
        for path in (named, unnamed, link):
            with pytest.raises(FileExistsError, match="choose a"):
                export(run, path)
    named.write_bytes(data)
    with pytest.raises(FileExistsError, match=r"such as b\.html"):
        export(run, str(named))
    assert data == named.read_bytes() == unnamed.read_bytes()
    assert link.is_symlink()


def test_only_a_regular_file_is_replaced(run: Run, tmp_path: Path) -> None:
    """A pipe, a folder and a ring of links stay; through a link its file is written."""
    pipe, folder, ring, link = (tmp_path / n for n in ("pipe", "folder", "ring", "link"))
    os.mkfifo(pipe)
    folder.mkdir()
    ring.symlink_to(ring)
    link.symlink_to(tmp_path / "page.html")

    for path in (pipe, folder, ring, tmp_path / "a\0b"):
        with pytest.raises(OSError, match=r"not a regular file|no place for a report"):
            export(run, path)
    assert export(run, link) == link

    assert pipe.is_fifo()
    assert link.is_symlink()
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report_html(run)


def test_the_title_can_be_given(run: Run) -> None:
    """A title in place of the case's stands in the head and in the tab."""
    assert check(report_html(run, title="Trams & <trains>")).text.count("Trams & <trains>") == 2


def test_it_tells_who_judged_and_of_what_family(run: Run) -> None:
    """A judge of the agents' family is told as one; another is told with its own."""

    def judged_by(family: str) -> str:
        first, *rest = judge(run).events
        assert isinstance(first, RunStarted)
        models = {"*": {"model": "strict", "family": family}}
        return check(report_html(run, Run([replace(first, models=models), *rest]))).text

    own = Run(
        [
            replace(e, models=run.started.models) if isinstance(e, RunStarted) else e
            for e in judge(run)
        ]
    )
    assert "Judged by strict (oak) in a run of its own" in judged_by("oak")
    assert "the agents' own model" in check(report_html(run, own)).text
    assert "strict (scripted), of the same family as the agents, in a" in judged_by("scripted")


def test_the_report_tells_all_rows_of_the_summary(run: Run, audit: Run) -> None:
    """Among them n a group beside Cohen's d; the judge stands above them."""
    text = check(report_html(run, audit)).text

    assert "Judged by" in text
    assert "consistent n=" in text


def test_figures_that_cannot_be_made_say_why(run: Run, audit: Run) -> None:
    """Where a verdict is not of this workbench's making, the reason stands where figures would."""
    odd = [
        replace(e, data=e.data | {"rules": "none"})
        if getattr(e, "kind", "") == "LogicVerdict"
        else e
        for e in audit.events
    ]
    page = check(report_html(run, Run(odd)))

    assert "No figures: " in page.text
    assert "not a LogicVerdict as this workbench makes them" in page.text
    assert "Verdicts, counted" in page.text
