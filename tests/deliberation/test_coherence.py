"""Coherence maps: what is found, what is not taken for a conflict, and the graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]  # its stubs are one more package
import pytest

from workbench.deliberation.coherence import CoherenceMap, coherence_map
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.extraction import extract
from workbench.knowledge.versions import versions_of


def held(root: Path, files: Mapping[str, str]) -> CoherenceMap:
    """Return the map of a corpus."""
    for name, text in files.items():
        (root / name).write_text(text, "utf-8")
    corpus = Corpus.read(root)
    versions = versions_of(corpus.documents, corpus.passages)
    return coherence_map(extract(corpus, versions), versions)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Notice is given four weeks ahead.", "Notice is given eight weeks ahead.", "numbers"),
        ("The office closes on 24 December.", "The office closes on 31 December.", "dates"),
        ("Dogs are allowed in the office.", "Dogs are not allowed in the office.", "negation"),
    ],
)
def test_contradictions(tmp_path: Path, one: str, other: str, rule: str) -> None:
    """Numbers, dates and polarity tell."""
    told = held(tmp_path, {"a.md": one, "b.md": other})

    assert [("a.md#p1/c1", "b.md#p1/c1", rule)] == [c[:3] for c in told.contradictions]
    assert ("a.md#p1", "b.md#p1") == told.passages


def test_versions_without_an_order_are_left_open(tmp_path: Path) -> None:
    """They stand beside each other: a contradiction, and a line that says what is not known."""
    text = "# Leave\n\nVersion: {}\n\nStaff have {} days of leave in each year."
    told = held(tmp_path, {"a.md": text.format(2019, 20), "b.md": text.format(3, 25)})

    assert (1, 0) == (len(told.contradictions), len(told.temporal))
    assert "left open: a.md (version 2019) and b.md (version 3) have one title" in str(told)
    assert list(told.problems) == told.to_json()["problems"]


def test_two_documents_of_an_older_version_conflict_in_time(tmp_path: Path) -> None:
    """Both are superseded, so that neither contradicts the newer one."""
    text = "# Leave\n\nVersion: {}\n\nStaff have {} days of leave in each year{}."
    files = {"a.md": (1, 20, ""), "b.md": (1, 20, " of work"), "c.md": (2, 25, "")}
    told = held(tmp_path, {name: text.format(*rest) for name, rest in files.items()})

    assert (0, 2) == (len(told.contradictions), len(told.temporal))
    assert () == told.problems


LONG = "Notice is given by staff " * 12
"""Too many words for one claim."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Notice is given four weeks ahead.", "Bread is baked for eight weeks on end."),
        ("Notice is given four weeks ahead.", "Notice is given in writing."),
        ("Notice is given four weeks ahead.", "Notice is given 28 days ahead."),
        (f"{LONG} 2 weeks ahead.", f"{LONG} 4 weeks ahead."),
        ("The desk has 4 chairs.", "The long blue desk near the door has 4 chairs and 3 lamps."),
    ],
)
def test_what_can_both_hold(tmp_path: Path, one: str, other: str) -> None:
    """Other things, other sides of one thing, and one value in two units are no conflict."""
    assert () == held(tmp_path, {"a.md": one, "b.md": other}).contradictions


def test_words_that_may_be_a_scope_are_told(tmp_path: Path) -> None:
    """Only one of the claims has them."""
    files = {
        "a.md": "Notice by staff is given four weeks ahead.",
        "b.md": "Notice by volunteers is given two weeks ahead.",
    }
    (one,) = held(tmp_path, files).contradictions

    assert (("staff",), ("volunteer",)) == (one.only_one, one.only_other)


def test_versions_conflict_in_time_alone(tmp_path: Path) -> None:
    """Old against new is temporal; old against anything else is nothing."""
    files = {
        "rule_v1.md": "# Rule\n\nNotice is given four weeks ahead.",
        "rule_v2.md": "# Rule\n\nNotice is given eight weeks ahead.",
        "guide.md": "# Guide\n\nNotice is given eight weeks ahead.",
    }
    told = held(tmp_path, files)

    assert () == told.contradictions
    assert [("rule_v2.md#p1/c1", "rule_v1.md#p1/c1")] == [one[:2] for one in told.temporal]


FILES = {
    "a.md": '# A\n\n## Rooms\n\nWork is allowed if the room is safe, as set out in "Safety".\n',
    "b.md": (
        '# B\n\n## Safety\n\nThe room is safe if work is allowed, as set out in "Rooms". '
        'Machines are listed in "Nowhere at all".\n'
    ),
    "c.md": "# C\n\nA long loan means a loan of six months.\n",
    "d.md": "# D\n\nA long loan means a loan of twelve months. Long loans are rare.\n",
}


def test_dependencies(tmp_path: Path) -> None:
    """Circles, lost references and terms of two meanings are found."""
    files = {**FILES, "b.md": FILES["b.md"].replace("listed in", "listed as described in")}
    told = held(tmp_path, files)

    assert (("a.md#p1/c1", "b.md#p1/c1"),) == told.circularities
    assert ["Nowhere at all"] == [one.reference for one in told.dangling]
    assert (("term:long-loan", ("c.md#p1/c1", "d.md#p1/c1")),) == told.term_conflicts
    text = str(told)
    for part in ("circle", "leads nowhere: 'Nowhere at all'", "term:long-loan is defined 2 times"):
        assert part in text


def test_the_graph(tmp_path: Path) -> None:
    """It has the claims and terms, and an edge for whatever was found; JSON has the same."""
    told = held(tmp_path, FILES)
    graph = told.graph()

    assert {c.id for c in told.claims} | {"term:long-loan"} == set(graph)
    assert graph.has_edge("c.md#p1/c1", "d.md#p1/c1", "contradicts")
    assert graph.has_edge("c.md#p1/c1", "d.md#p1/c1", "term_conflict")
    assert graph.has_edge("d.md#p1/c2", "d.md#p1/c1", "uses_term")
    assert graph.has_edge("c.md#p1/c1", "term:long-loan", "defines")
    assert [1, 1] == [graph.nodes[id]["circle"] for id in told.circularities[0]]
    assert not nx.is_directed_acyclic_graph(graph)
    plain = json.loads(json.dumps(told.to_json()))
    assert graph.number_of_edges() == len(plain["edges"])
    assert graph.number_of_nodes() == len(plain["nodes"])


def test_nothing_to_find(tmp_path: Path) -> None:
    """A corpus that holds together says so, and how much was compared."""
    told = held(tmp_path, {"a.md": "The desk opens at nine."})

    assert () == told.passages
    assert "nothing was found that does not hold together" in str(told)


def test_order_of_files_does_not_matter(tmp_path: Path) -> None:
    """The map is a function of the corpus."""
    assert held(tmp_path, FILES).to_json() == held(tmp_path, {}).to_json()


def test_a_large_corpus(tmp_path: Path) -> None:
    """Claims in the same words do not make a quadratic of it."""
    text = "\n\n".join(
        f"Team {n} meets for {n} hours in room {n} on each day." for n in range(1500)
    )
    (tmp_path / "a.md").write_text(text, "utf-8")
    structure = extract(Corpus.read(tmp_path))
    told = coherence_map(structure)

    assert told.compared < 200_000
