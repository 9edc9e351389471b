"""Runs in line: parents first, rows by path, what differs, and who paid."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.toys import BOUND, Teller, human, words
from tests.widgets.compare.forks import (
    PROPOSE,
    RATIFY,
    again,
    audit_of,
    concluded,
    parent,
    parent_audit,
    voiceless,
)
from workbench.record.events import Failed
from workbench.record.run import Run
from workbench.views.html import run_html
from workbench.views.picture import run_svg
from workbench_widgets import Compare, Stepper
from workbench_widgets.compare import payload
from workbench_widgets.compare.cells import cell, snippet
from workbench_widgets.compare.lineup import AUDIT, CHANGED, MISSING, NOWHERE, ONLY, SAME, Lineup
from workbench_widgets.graph import payload as graph
from workbench_widgets.shared.source import Pages, Source

CONDITIONS = Path(__file__).parents[3] / "sample_runs/conditions"


def debate(**options: Any) -> Run:
    """Return a run of a toy."""
    return wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), **options)


def council() -> Run:
    """Return a run of another toy."""
    return wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human)


def every_page(lineup: Lineup) -> dict[str, Any]:
    """Return all that a comparison has to give, as JSON would carry it."""
    made = Pages(lineup, payload.MAKERS).first(payload.first(lineup), float("inf"))
    assert made["complete"]
    return json.loads(json.dumps(made))


def test_parents_come_first_in_any_order() -> None:
    """However they are given, a fork stands behind its parent and is compared with it."""
    runs = [parent(), concluded(), voiceless(), again()]
    for given in permutations(runs):
        lineup = Lineup(given)
        inline = [column.run for column in lineup.columns]
        assert parent() is inline[0]
        assert inline.index(again()) == inline.index(voiceless()) + 1
        for j, run in enumerate(inline[1:], 1):
            over = lineup.parents[j]
            assert over is not None
            assert run.started.lineage is not None
            assert run.started.lineage.parent == inline[over].digest
        assert lineup.parents == lineup.bases


def test_an_agent_has_one_colour_in_every_view_of_every_run() -> None:
    """Whoever acts first in a run: in the steps, the graph, a comparison, and on the page."""
    runs = [wb.open_run(CONDITIONS / f"full-{n}.run.jsonl") for n in (1, 2)]
    assert Stepper(runs[0]).head["agents"] != Stepper(runs[1]).head["agents"]
    known = {n: hue for n, _, hue in Compare(*runs).head["agents"]}
    assert len(set(known.values())) == len(known) == 4
    for run in runs:
        steps = {n: hue for n, _, hue in Stepper(run).head["agents"]}
        drawn = Pages(Source.of(run), graph.MAKERS).page("graph_shapes", "wide")["page"]
        assert known == steps == dict(zip(drawn["nodes"], drawn["hues"], strict=True))
        for name, title, hue in Stepper(run).head["agents"]:
            assert f'class="wb-f{hue}"' in run_svg(run).split(f">{title}<")[0].split("<text")[-1]
            if name != "meta_agent":
                assert f'<span class="wb-who wb-a{hue}">{title}</span>' in run_html(run)


def test_a_fork_of_a_fork_that_is_not_here() -> None:
    """It is compared with the nearest ancestor that is here."""
    lineup = Lineup([again(), parent()])

    assert [parent(), again()] == [column.run for column in lineup.columns]
    assert [None, 0] == lineup.parents


def test_strangers_are_compared_with_the_first() -> None:
    """Runs that are no relations stay in their order."""
    lineup = Lineup([debate(), council(), debate(seed=3)])

    assert [None, None, None] == lineup.parents
    assert [None, 0, 0] == lineup.bases


def test_states() -> None:
    """Alike, changed, only here, only in the parent; a row that neither has is nowhere."""
    lineup = Lineup([parent(), concluded(), voiceless()])
    row = lineup.rows
    at = {column.run: j for j, column in enumerate(lineup.columns)}
    states = {
        (run, path): lineup.state(at[run], row[path])
        for run in (concluded(), voiceless())
        for path in (PROPOSE, RATIFY, "/turn=2/goal")
    }

    assert SAME == states[concluded(), PROPOSE]
    assert CHANGED == states[concluded(), RATIFY]
    assert MISSING == states[concluded(), "/turn=2/goal"]
    assert CHANGED == states[voiceless(), PROPOSE]
    back = Lineup([concluded(), debate(), council()])
    assert ONLY == back.state(1, back.rows["/turn=1/a0/speak"])
    assert NOWHERE == back.state(2, back.rows["/turn=1/a0/speak"])


def test_what_differs_is_what_diff_says() -> None:
    """Rows that differ are those of `diff`, and the first one is its first divergence."""
    lineup = Lineup([parent(), voiceless()])
    found = wb.diff(parent(), voiceless())
    paths = {c.path for c in (*found.requests, *found.answers, *found.facts)}

    assert paths == {lineup.paths[row] for row in lineup.differing if row}
    page = payload.pair(lineup, "0-1")
    assert found.first is not None
    assert PROPOSE == found.first.path == page["first"]["path"]
    assert lineup.rows[PROPOSE] == page["first"]["place"][0]
    assert len(found.answers) == page["counts"]["answers"]


def test_the_row_of_the_edit_in_full() -> None:
    """The prompt is the same, and of the reply the edited words are told."""
    lineup = Lineup([parent(), voiceless()])
    page = payload.detail(lineup, f"0-1/{lineup.rows[PROPOSE]}")
    parts = {section["name"]: section for section in page["sections"]}

    assert "same" in parts["Prompt"]
    changed = [text for op, text in parts["Reply"]["segs"] if op != "="]
    assert ["On-device voice control for 40 commands", "A pair of wall switches"] == changed
    assert ["own", "edited"] == [side["paid"] for side in page["figures"]]
    assert parent().events[page["at"]] is parent().answers[PROPOSE]


def test_who_paid() -> None:
    """Inherited and edited answers are counted apart from a fork's own."""
    own, inherited, edited = (
        payload_of(voiceless())[who] for who in ("own", "inherited", "edited")
    )

    assert voiceless().usage.calls == own["calls"]
    assert voiceless().usage.tokens_in == own["tokens_in"]
    assert voiceless().usage.inherited == inherited["calls"]
    assert 1 == edited["calls"]
    assert inherited["tokens_in"] > 0


def payload_of(run: Run) -> dict[str, Any]:
    """Return the bill of a fork of the sample."""
    head = Lineup([parent(), run]).head()
    return dict(head["columns"][1]["paid"])


def test_flips_of_two_audits() -> None:
    """Verdicts that another audit gives are told, by auditor and peer."""
    audits = (parent_audit(), audit_of(voiceless()))
    lineup = Lineup([parent(), voiceless()], audits)
    flips = lineup.flips(0, 1)

    assert ("/turn=1/product_manager/proposal", "logic", None, "INVALID", "VALID") in flips
    assert {f.auditor for f in flips} >= {"logic", "tom"}
    row = lineup.rows["/turn=1/product_manager/proposal"]
    assert lineup.marks[1][row] & AUDIT
    assert row in lineup.flipped
    assert [["logic", None, "VALID"]] == cell(lineup, 1, row)[4]
    assert [["logic", None, "INVALID"]] == cell(lineup, 0, row)[4]


def test_two_judges_of_one_run() -> None:
    """The runs are equal, their audits are not; and audits go with their runs."""
    lineup = Lineup([parent(), parent()], [audit_of(parent()), audit_of(parent(), strict=True)])

    assert payload.pair(lineup, "0-1")["first"] is None
    assert 4 == payload.pair(lineup, "0-1")["counts"]["verdicts"]
    assert lineup.flipped == lineup.differing
    turned = Lineup([voiceless(), parent()], [audit_of(voiceless()), parent_audit()])
    assert [parent_audit(), audit_of(voiceless())] == [c.audit for c in turned.columns]


def test_verdicts_of_the_runs_themselves() -> None:
    """A fact with a verdict that changed is a flip."""
    run = debate()
    before = run.facts["/turn=2/judged"].data["verdict"]
    text = "odd" if before == "no" else "even"
    fork = wb.wait(wb.fork(run, {"/turn=2/a0/speak": text}, lm=Teller()))
    lineup = Lineup([fork, run])

    assert [("/turn=2/judged", "own", None, before)] == [f[:4] for f in lineup.flips(0, 1)]
    assert ["/turn=2/judged"] == [lineup.paths[row] for row in lineup.flipped]


def test_what_was_cached_alone_is_no_difference() -> None:
    """It is no row that differs; it is counted beside them, and told in the row in full."""
    runs = [wb.open_run(CONDITIONS / f"{name}-1.run.jsonl") for name in ("full", "no_tom")]
    lineup = Lineup(runs)
    pages = Pages(lineup, payload.MAKERS)
    page = pages.page("pair", "0-1")["page"]

    assert page["first"]["path"] == "/turn=2/marketing_lead/queries/try=1"
    assert page["open"] == page["first"]["place"]
    assert page["counts"]["accounting"] == 2
    row = lineup.rows["/turn=2/finance_analyst/queries/try=1"]
    assert row not in lineup.differing
    figures = pages.page("pairdetail", f"0-1/{row}")["page"]["figures"]
    assert [side["tokens_cached"] for side in figures] == [732, 0]
    assert [c["name"] for c in lineup.head()["columns"]] == ["full-1", "no_tom-1"]
    assert lineup.head()["columns"][0]["models"] == ["qwen2.5-coder-1.5b"]
    assert "2 answers alike but for tokens or cost" not in Compare(*runs).face()  # others differ
    assert "qwen2.5-coder-1.5b" in Compare(*runs).face()


def test_runs_that_differ_in_their_models_alone_open_at_what_their_audits_say() -> None:
    """The runs' own row is where to begin only if no other row has anything to show."""
    run, other = parent(), Run([replace(parent().started, models={}), *parent().events[1:]])
    lineup = Lineup([run, other])
    assert lineup.opens(0, 1) == 0
    assert lineup.diff(0, 1).first is not None

    judged = [parent_audit(), audit_of(other)]
    flips = Lineup([run, other], judged).flips(0, 1)
    assert flips
    opened = Lineup([run, other], judged).opens(0, 1)
    assert opened == min(lineup.rows[flip.path] for flip in flips)


def test_a_run_and_itself() -> None:
    """The runs are equal, and nothing differs."""
    widget = Compare(parent(), parent())

    assert "<Compare of 2 runs: the runs are equal>" == repr(widget)
    assert [] == widget.lineup.differing
    assert "the runs are equal" in widget.face()


def test_parameters_models_and_seed() -> None:
    """What the two were started with is told by name, and the first row differs."""
    debates = BOUND["debate"].protocol
    one = wb.run_sync(debates(n=2), lm=wb.ScriptedLM(words))
    two = wb.run_sync(debates(n=3), lm=wb.ScriptedLM(words, name="other"), seed=7)
    lineup = Lineup([one, two])
    changed = {name: (was, now) for name, was, now in payload.pair(lineup, "0-1")["changed"]}

    assert ("2", "3") == changed["Parameters.n"]
    assert ("0", "7") == changed["Seed"]
    assert ("scripted", "other") == changed["Models.*.model"]
    assert 0 == lineup.differing[0]


def test_a_large_seed_is_told_whole() -> None:
    """A seed has more bits than a number of the front end: it goes there as a text."""
    big = 2**63 - 1
    one = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), seed=big)
    two = wb.wait(wb.fork(one, at=("/turn=2",), lm=wb.ScriptedLM(words), seed=big - 1))
    first, second = Lineup([one, two]).head()["columns"]

    assert str(big) == first["seed"] == second["seed"]
    assert str(big - 1) == second["lineage"]["seed"]


def failing() -> Run:
    """Return a run in which one answer never came."""
    try:
        wb.run_sync(BOUND["debate"], lm=Teller(fail=("/turn=2/a1/speak",)))
    except wb.RunFailed as error:
        return error.run
    raise AssertionError("it did not fail")


def test_failed_half_and_empty_runs() -> None:
    """What there is is shown against what is not, in either order."""
    whole, empty = debate(), Run([debate().started])
    for other in (failing(), whole.before(5), whole.before(1), empty, council()):
        for pair in ((whole, other), (other, whole), (other, other)):
            lineup = Lineup(pair)
            assert every_page(lineup)["pages"]
            assert Compare(*pair).face()
            assert repr(Compare(*pair))
    row_of = Lineup([whole, failing()]).rows
    failed = cell(Lineup([whole, failing()]), 1, row_of["/turn=2/a1/speak"])
    assert failed[0] == CHANGED
    assert failed[-1] & 1


def test_a_failure_alone_makes_a_row() -> None:
    """A path that holds nothing but a failure is a row."""
    start = debate().started
    lineup = Lineup([Run([start]), Run([start, Failed(path="/a", error="E", message="m")])])

    assert "/a" in lineup.paths
    assert every_page(lineup)


def test_nothing_aligned() -> None:
    """Runs of two protocols have no path in common, which is told."""
    page = payload.pair(Lineup([debate(), council()]), "0-1")

    assert 0 == page["aligned"]
    assert all(page["only"])


def test_hostile_texts_stay_as_they_are() -> None:
    """What a model wrote is in the pages as it was, and escaped in the face."""
    evil = "</script><script>alert(1)</script>\u202e and more words"
    run = debate()
    fork = wb.wait(wb.fork(run, {"/turn=1/a0/speak": evil}, lm=Teller()))
    pages = every_page(Lineup([run, fork]))
    face = Compare(run, fork).face()

    assert any("<script>alert(1)</script>\u202e" in text for text in pages["texts"].values())
    assert "<script" not in face
    assert "\u202e" not in face


def test_bad_arguments() -> None:
    """Too few runs, too few audits, or the audit of another run are refused with a reason."""
    with pytest.raises(ValueError, match="at least two runs, not 1"):
        Compare(parent())
    with pytest.raises(ValueError, match="2 runs and 1 audit:"):
        Compare(parent(), voiceless(), audits=(parent_audit(),))
    with pytest.raises(ValueError, match="audit 2 is about the run 20a3c661"):
        Compare(parent(), voiceless(), audits=(None, parent_audit()))
    with pytest.raises(TypeError, match=r"a widget takes a Run, a Session or the path .*not 7$"):
        Compare(parent(), 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"audits= takes Runs, None or the path .*not ..x.*"):
        Compare(parent(), voiceless(), audits=[None, ("x",)])  # type: ignore[list-item]
    with pytest.raises(wb.RunFileError):
        Compare(parent(), "nowhere.run.jsonl")


def test_runs_by_their_files() -> None:
    """A run may be given by its path, as everywhere."""
    runs = [f"sample_runs/maven/{name}.run.jsonl" for name in ("tree", "cleopatra")]
    assert repr(Compare(*map(wb.open_run, runs))) == repr(Compare(*runs))


def test_pages_that_are_not_there() -> None:
    """A wrong key is a KeyError, which the front end shows."""
    pages = Pages(Lineup([parent(), voiceless()]), payload.MAKERS)
    for kind, key in (
        ("pair", "0-2"),
        ("pair", "x"),
        ("pairrows", "differs/9"),
        ("pairrows", "odd/0"),
        ("pairplace", "9"),
        ("pairdetail", "0-1/99"),
    ):
        with pytest.raises(KeyError):
            pages.page(kind, key)


def test_it_moves_with_the_first_run() -> None:
    """The cursor is that of the run in front, whichever was given first."""
    widget = Compare(voiceless(), parent())
    stepper = Stepper(parent())
    stepper.at = 7

    assert 7 == widget.at
    place = payload.where(widget.lineup, "0")["places"][7]
    assert widget.lineup.paths[place[0]] == getattr(parent().events[7], "path", "/")


def test_a_session_among_the_runs() -> None:
    """A session's run is compared as far as it has come, and anew when it grows."""
    whole = debate()
    session = wb.Session(BOUND["debate"], lm=wb.ScriptedLM(words))
    widget, stepper = Compare(whole, session), Stepper(session)
    before = len(widget.lineup.differing)
    session.play()
    stepper.grown()

    assert before > len(widget.lineup.differing)
    assert [] == widget.lineup.differing
    assert 0 == widget.head["differing"]


def test_snippets() -> None:
    """A label begins where two texts part, at the beginning of the word."""
    assert ("the ", "dog sat") == snippet("the cat sat", "the dog sat")
    assert ("…words here and then ", "new") == snippet(
        "many common words here and then old", "many common words here and then new"
    )
    long = "folder_with_a_name_of_some_length/"
    assert f"{long}two" == "".join(snippet(f"{long}one", f"{long}two"))
    assert "(ends here)" == snippet("a b c", "a b ")[1]
    assert ("", "x" * 90 + "…") == snippet("", "x" * 200)
