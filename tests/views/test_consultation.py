"""The page of a consultation: what it tells, and what it does not where isolation was broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import workbench as wb
from tests.deliberation.consultation import scripts
from tests.deliberation.consultation.scripts import NOTICE, models, play, write_corpus
from tests.widgets.consult import sessions
from workbench.cli import main
from workbench.knowledge.embedding import MiniLM
from workbench.record.run import Run
from workbench.views.consultation.account import account
from workbench.views.consultation.graph import TALL, WIDE, lines, middle, strokes
from workbench.views.consultation.page import consultation_html
from workbench.views.consultation.proof import proof, reads
from workbench.views.report import report_html


@pytest.fixture(scope="module", autouse=True)
def _lexical() -> Iterator[None]:
    """Have no encoder: these tests are not about embeddings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "installed", staticmethod(lambda: False))
        yield


def make(name: str, folder: Path) -> Run:
    """Return a session by its name."""
    made: Callable[[Path], Run] = getattr(sessions, name)
    return made(folder)


def test_a_broken_session_tells_no_topology(tmp_path: Path) -> None:
    """No class of a finding, no score and no report; the broken part is named."""
    html = consultation_html(make("broken", tmp_path))

    assert (
        "INVALID: isolation condition (i) is broken at /interpreter=2/report/try=1, part 7" in html
    )
    assert "None is shown: isolation was broken" in html
    for word in ('class="wb-c-overlap"', "confidence =", "Recommended"):
        assert word not in html


def test_every_mark_is_said(tmp_path: Path) -> None:
    """Non-conformant sessions, lost interpreters, possible bias."""
    lost, alike = (consultation_html(make(name, tmp_path / name)) for name in ("lost", "alike"))

    assert "NON-CONFORMANT: without a report of interpreter 3" in lost
    assert "interpreter 3 is lost" in lost
    assert "n = 2 of 3 interpreters reported" in lost
    assert "CORRELATED BIAS is possible: all agree on C1; nobody saw anything alone" in alike
    for html in (lost, alike):
        assert "isolated interpreters · NON-CONFORMANT" in html
        assert "No confidence is told: the session is not conformant" in html
        assert "confidence =" not in html
        assert not re.search(r"\d\.\d\d = \d", html)


def test_a_session_without_an_end_is_not_called_conformant(tmp_path: Path) -> None:
    """An interpreter whose endpoint failed, and a session that stopped after all had read."""
    whole = make("versions", tmp_path)
    for path, told in (("/interpreter=2/interpretation", "NON-CONFORMANT"), ("/closing", "INCOMP")):
        events = list(whole.events)
        at = next(n for n, e in enumerate(events) if getattr(e, "path", None) == path)
        html = consultation_html(Run(events[:at]))

        assert f"isolated interpreters · {told}" in html
        assert "· conformant" not in html


def test_the_proof_counts_what_was_checked(tmp_path: Path) -> None:
    """All parts of all prompts, by where they came from; the sum is the number of parts."""
    run = make("lost", tmp_path)
    told = account(run)
    asks = [c for c in run.commands.values() if isinstance(c, wb.Asked)]
    read = reads(told)

    assert sum(len(ask.parts) for ask in asks) == sum(one.parts for one in read)
    assert [1, 1, 3] == [one.prompts for one in read]
    assert [0, 0, 2] == [one.own for one in read]  # asked again, with its own reply
    assert {0} == {one.elsewhere for one in read}
    assert ["i", "ii", "iii", "iv", "v"] == [one.name for one in proof(told)]
    assert proof(told)[0].checked.startswith("39 parts of 5 prompts: 20 of the package")


def test_rows_that_diverge_stand_together(tmp_path: Path) -> None:
    """Every finding is in one row; lines keep off the nodes of rows that they pass."""
    told = account(make("versions", tmp_path))
    made = lines(told)

    assert ["1.1", "C1", "3.2"] == [line.id for line in made]
    assert {0} == {line.block for line in made}
    assert len(told.findings) == len({node.finding for line in made for node in line.nodes})
    assert {("divergence", 1), ("undecided", 2)} == set(made[0].ties)
    passing = next(
        s for s in strokes(made) if s.kind == "undecided" and s.path.startswith("M22 24")
    )
    assert abs(passing.x - middle(1, 1)[0]) > 9
    assert (passing.x / WIDE, passing.y / TALL) != (1.5, 1.5)


def test_what_nobody_decided_is_told(tmp_path: Path) -> None:
    """Two claims that may contradict each other are not called one reading."""
    said = ["Notice is 30 days."] * 2 + ["The notice period is sixty days."] * 2
    families = ("qwen", "smol") * 2
    lms = models(*([scripts.told(text, NOTICE)] for text in said), families=families)
    run = play(write_corpus(tmp_path / "handbook"), lms, families=families)
    html = consultation_html(run)

    assert "None: but 1 pair of readings is undecided." in html
    assert "no passage is read in two ways" not in html
    assert "1 pair undecided: rules do not tell, and no comparer was asked" in html
    usual = consultation_html(make("alike", tmp_path / "alike"))
    assert "None: no passage is read in two ways." in usual
    assert "Readings that share no passage are not held against each other." in usual


def test_what_a_comparer_left_undecided_is_counted(tmp_path: Path) -> None:
    """It says one thing in one order, and another in the other."""

    def reply(asked: wb.Asked) -> str:
        kind = "compatible" if "order=1" in asked.path else "contradictory"
        return json.dumps({"reason": "So it is.", "relation": kind})

    said = ["Notice is 30 days."] * 2 + ["The notice period is sixty days."]
    run = play(
        write_corpus(tmp_path / "handbook"), models(*([scripts.told(t, NOTICE)] for t in said))
    )
    cmp = wb.ScriptedLM(reply, name="cmp", family="judge")
    marks = [m.text for m in account(run, wb.run_sync(wb.comparison(run), lm=cmp)).marks]

    asked = "1 pair that rules do not decide: 0 decided by cmp, 1 left undecided"
    assert f"{asked}; 1 finding unclassified" in marks


def test_a_large_sheet_shows_first_what_diverges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says how much it leaves out."""
    sessions.put_in(monkeypatch)
    html = consultation_html(make("large", tmp_path))

    assert 3 == html.count('<article class="wb-c-report">')
    assert "239 more reports: the run holds all" in html
    assert "more rows (first shown is what diverges)" in html


def test_an_unfinished_or_other_run_is_told(tmp_path: Path) -> None:
    """A page never fails, and claims nothing that was not checked."""
    run = make("usual", tmp_path)
    other = consultation_html(wb.Run([wb.RunStarted(protocol="debate", params={})]))

    for cut in range(1, len(run) + 1):
        assert "<main" not in consultation_html(run.before(cut))
    assert "not of a consultation" in other
    assert "It was not checked." in other
    assert "kept" not in other.split("</style>")[1]


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the comparison beside the run and a corpus; the long report is still to be had."""
    folder = sessions.write_corpus(tmp_path / "handbook")
    file = tmp_path / "a.run.jsonl"
    run = sessions.play(folder, to=file)
    out = tmp_path / "a.html"
    (folder / "new.md").write_text("More.", encoding="utf-8")

    assert 0 == main(["export", str(file), "--html", str(out), "--corpus", str(folder)])
    assert "SUPERSEDED: valid for corpus version" in out.read_text("utf-8")
    assert "workbench check isolation a.run.jsonl" in out.read_text("utf-8")
    assert "Raw replies" in report_html(run)
    capsys.readouterr()
