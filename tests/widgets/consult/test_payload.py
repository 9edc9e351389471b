"""What the pages of a consultation hold, and what they do not tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import workbench as wb
import workbench_widgets as ww
from tests.deliberation.consultation.scripts import LEAVE, MANAGERS, NOTICE
from tests.widgets.consult import sessions
from workbench.errors import RunError
from workbench.record.run import Run
from workbench_widgets.consult import payload
from workbench_widgets.consult.source import ConsultSource
from workbench_widgets.explore import payload as explore
from workbench_widgets.shared.source import BUDGET, JSON, Pages, Source, dumped

Make = Callable[[Path], Run]


def page(source: Source, kind: str, key: str = "") -> JSON:
    """Return a page of a consultation."""
    return payload.MAKERS[f"consult_{kind}"](source, key)


@pytest.fixture
def usual(tmp_path: Path) -> ConsultSource:
    """Return the usual session."""
    return ConsultSource(sessions.usual(tmp_path), None, None)


def test_passages_stand_in_the_order_of_the_corpus(usual: ConsultSource) -> None:
    """Each with one cell an interpreter and what the topology says of it."""
    rows = page(usual, "passages", "0")

    assert [LEAVE, MANAGERS, NOTICE] == [row["id"] for row in rows]
    assert [("unique",), ("one reader",), ("divergence", "overlap")] == [r["states"] for r in rows]
    both = {"divergence": 1, "overlap": 1}
    assert [both, {"divergence": 1}, both] == rows[2]["cells"]
    assert [[], ["C1"], ["D1"]] == [
        rows[1]["claims"][0],
        rows[2]["claims"][0],
        rows[2]["divergences"][0],
    ]


def test_findings_by_passage_interpreter_cell_and_row(usual: ConsultSource) -> None:
    """Whole findings, with ambiguities, alternatives and the citation that names nothing."""
    told = page(usual, "findings", "interpreter/2/0")
    alone = told["findings"][1]

    assert (2, "3.2", ["unique"]) == (told["total"], alone["id"], list(alone["classes"]))
    assert ([["P99"], 0], "low") == (alone["invalid"], alone["confidence"])
    words = [usual.words(text[0]["t"]) for text in alone["ambiguities"] + alone["alternatives"]]
    assert ["It does not say whose leave.", "Two weeks is how long leave lasts."] == words
    ids = {
        key: [one["id"] for one in page(usual, "findings", f"{key}/0")["findings"]]
        for key in ("passage/2", "cell/2.1", "line/2")
    }
    assert {
        "passage/2": ["1.1", "2.1", "3.1"],
        "cell/2.1": ["2.1"],
        "line/2": ["1.1", "3.1"],
    } == ids
    assert "Interpreted" == usual.run.events[alone["at"]].kind  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["passage/9/0", "cell/0/0", "line/0/5", "other/0/0", "passage/x/0"])
def test_pages_that_are_not_there(usual: ConsultSource, key: str) -> None:
    """A key that leads nowhere is told as one."""
    with pytest.raises(KeyError):
        page(usual, "findings", key)


def test_a_score_comes_with_its_parts_and_the_topology(usual: ConsultSource) -> None:
    """The row of a claim names its parts, its classes and what it diverges from."""
    made = page(usual, "topology", "0")
    claim = made["lines"][2]

    assert ("C1", "0.44 = 2/3 \u00d7 1 \u00d7 (1 \u2212 0.33)") == (claim["id"], claim["score"])
    assert [["divergence", "2.1"]] == claim["ties"]
    assert [0, 2] == [node[1] for node in claim["nodes"]]
    kinds = [stroke[0] for stroke in made["strokes"]]
    assert ["overlap", "divergence", "divergence"] == kinds
    assert "score" not in str(page(usual, "about").keys())


def test_a_broken_session_has_no_topology(tmp_path: Path) -> None:
    """No class, no score, no report: citations, and the part that broke the isolation."""
    source = ConsultSource(sessions.broken(tmp_path), None, None)
    about = page(source, "about")
    [breach] = about["proof"]["breaches"]

    assert (False, 0, 0) == (
        about["valid"],
        about["counts"]["lines"],
        about["counts"]["divergences"],
    )
    assert {0} == {n for _, n in about["classes"]}
    assert [{"cited": 1}] * 3 == page(source, "passages", "0")[2]["cells"]
    assert ("i", "reads_other", 2, 7) == tuple(
        breach[name] for name in ("condition", "rule", "interpreter", "part")
    )
    assert [(1, False), (0, False), (0, False), (0, False), (1, True)] == [
        (n, shown) for *_, n, shown in about["proof"]["conditions"]
    ]
    assert [0, 1, 0] == [elsewhere for *_, elsewhere, _ in about["proof"]["reads"]]
    assert "/interpreter=2/report/try=1" == source.run.events[breach["at"]].path  # type: ignore[union-attr]


def marks(make: Make, folder: Path, **options: Path) -> list[str]:
    """Return the marks of a session."""
    source = ConsultSource(make(folder), None, options.get("corpus"))
    return [text for _, text in page(source, "about")["marks"]]


def test_marks_are_told_plainly(tmp_path: Path) -> None:
    """Non-conformant, lost, correlated, superseded: the gravest first."""
    lost = marks(sessions.lost, tmp_path / "a")
    alike = marks(sessions.alike, tmp_path / "b")
    changed = tmp_path / "changed"
    old = marks(sessions.usual, tmp_path / "c", corpus=changed)

    assert lost[0].startswith("NON-CONFORMANT: without a report of interpreter 3: 2 interpreters")
    assert lost[-1].startswith("interpreter 3 is lost: ")
    assert alike[0].startswith("NON-CONFORMANT: 1 model family")
    assert alike[-1].startswith("CORRELATED BIAS is possible")
    assert old[0].startswith("SUPERSEDED: valid for corpus version")
    assert "1 citation of nothing in the package" == old[-1]


def test_versions_and_paths_of_retrieval(tmp_path: Path) -> None:
    """A superseded passage names the newer one; one that was not given has no cell."""
    rows = page(ConsultSource(sessions.versions(tmp_path), None, None), "passages", "0")
    by_id = {row["id"]: row for row in rows}
    old, new = (f"people/annual_leave_{year}.md#p1" for year in (2023, 2025))
    diverse = ConsultSource(sessions.diverse(tmp_path), None, None)

    assert [new] == by_id[old]["superseded"][0]
    assert ["D1"] == by_id[old]["divergences"][0] == by_id[new]["divergences"][0]
    assert (
        "temporal conflict"
        == page(ConsultSource(sessions.versions(tmp_path), None, None), "divergences", "0")[0][
            "type"
        ]
    )
    assert [True, False] == [row["whole"] for row in page(diverse, "passages", "0")]


def test_no_page_grows_with_the_session(tmp_path: Path) -> None:
    """Ten interpreters, 2,000 findings and 500 passages ship in the budget, page by page."""
    widget = ww.Consultation(sessions.large(tmp_path))
    pages = Pages(widget.source, payload.MAKERS)
    sizes = [
        len(dumped(pages.page(kind, key)))
        for kind, key, _ in zip(
            *zip(*payload.first(widget.source), strict=True), range(60), strict=False
        )
    ]

    assert not widget.head["complete"]
    assert sum(len(dumped(getattr(widget, name))) for name in ("pages", "texts")) <= BUDGET
    assert max(sizes) < 60_000
    assert 505 == widget.pages["consult_about/"]["counts"]["lines"]


def test_the_explorer_has_it_for_a_consultation_alone(tmp_path: Path) -> None:
    """Other runs ship none of its pages."""
    consulted = {kind for kind, _ in explore.first(Source(sessions.usual(tmp_path)))}
    other = {
        kind for kind, _ in explore.first(Source(wb.Run([wb.RunStarted(protocol="p", params={})])))
    }

    assert set(payload.MAKERS) <= consulted
    assert not other & set(payload.MAKERS)


def test_it_shares_the_cursor_and_refuses_a_strangers_comparison(tmp_path: Path) -> None:
    """Views of one run move together, also with another source of pages."""
    run = sessions.usual(tmp_path / "a")
    widget, beside = ww.Consultation(run), ww.Stepper(run)
    widget.at = 5

    assert 5 == beside.at
    stranger = wb.run_sync(wb.comparison(sessions.empty(tmp_path / "b")), lm=wb.ScriptedLM({}))
    with pytest.raises(RunError, match="the comparison is about"):
        ww.Consultation(run, comparison=stranger)


@pytest.mark.parametrize("cut", [1, 2, 3, 6, 9])
def test_an_unfinished_session_is_shown(tmp_path: Path, cut: int) -> None:
    """Also before there is a package, and for a run of another protocol."""
    source = ConsultSource(sessions.usual(tmp_path).before(cut), None, None)
    about = page(source, "about")

    assert any("INCOMPLETE" in text or "no retrieval package" in text for _, text in about["marks"])
    assert len(about["proof"]["conditions"]) == 5
    assert "<script" not in ww.Consultation(source.run).face()


def test_another_protocols_run_says_so() -> None:
    """It is no consultation, and nothing is raised."""
    about = page(Source(wb.Run([wb.RunStarted(protocol="debate", params={})])), "about")

    assert [["bad", "this is a run of 'debate', not of a consultation"]] == about["marks"]
    assert ([], None) == (about["interpreters"], about["proof"])
    face = ww.Consultation("sample_runs/aura_hub/aura_hub.run.jsonl").face()
    assert "this is a run of &#x27;bilayer&#x27;, not of a consultation" in face
    assert "interpreters" not in face


def test_the_explorer_takes_a_comparison_and_a_corpus() -> None:
    """It tells what the consultation's own view tells; with another run they are refused."""
    folder = Path("sample_runs/handbook")
    run = folder / "hours.run.jsonl"
    beside = {"comparison": folder / "hours.comparison.run.jsonl", "corpus": "corpora/handbook"}

    explorer = ww.explorer(run, **beside)  # type: ignore[arg-type]

    assert page(explorer.source, "about") == page(ww.Consultation(run, **beside).source, "about")  # type: ignore[arg-type]
    assert page(explorer.source, "about") != page(Source.of(run), "about")
    with pytest.raises(ValueError, match="go with a consultation or a verification"):
        ww.explorer("sample_runs/maven/tree.run.jsonl", corpus="corpora/handbook")
    with pytest.raises(TypeError, match="comparison= takes a Run or the path"):
        ww.explorer(run, comparison=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="an audit is of a deliberation"):
        ww.explorer(run, audit=run, **beside)  # type: ignore[arg-type]
