"""The isolation contract: a sound run keeps it, and each leak of one part is caught and named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import (
    LEAVE,
    MANAGERS,
    NOTICE,
    SIXTY,
    THIRTY,
    Change,
    edited,
    models,
    play,
    reader,
    told,
    with_part,
    write_corpus,
)
from workbench.deliberation.consultation.isolation import CONDITIONS, isolation
from workbench.errors import RunError
from workbench.record.events import Answered, Asked, Called, Consulted, Posted, Returned
from workbench.record.run import Run

PART = wb.Part
ONE, TWO, THREE = (f"/interpreter={n}/report/try=1" for n in (1, 2, 3))
SAID = "The notice of staff is certainly thirty days in all cases."


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run in which interpreter 1 has something to leak, and 2 was asked again."""
    corpus = write_corpus(tmp_path_factory.mktemp("handbook"))
    lms = models([told(SAID, NOTICE)], [SIXTY], [THIRTY])
    good = json.dumps({"findings": [SIXTY]})
    lms["interpreter=2"] = wb.ScriptedLM(
        {TWO: "no JSON", TWO.replace("try=1", "try=2"): good}, name="smol-1b", family="smol"
    )
    return play(corpus, lms)


def parts(path: str, change: Callable[[list[wb.Part]], list[wb.Part]]) -> Change:
    """Return a change of a prompt's parts."""
    return lambda run: edited(run, path, Asked, parts=lambda e: tuple(change(list(e.parts))))


def part(path: str, text: str, source: str | None = None, at: int | None = None) -> Change:
    """Return a leak of one more part into a prompt."""
    return lambda run: with_part(run, path, PART(text, source), at)


def rewritten(path: str, source: str | None, old: str, new: str) -> Change:
    """Return a leak inside a part that was there."""

    def change(given: list[wb.Part]) -> list[wb.Part]:
        return [
            p._replace(text=p.text.replace(old, new)) if p.source == source else p for p in given
        ]

    return parts(path, change)


def added(*events: Any) -> Change:
    """Return a run with more events before its end."""
    return lambda run: Run([*run.events[:-1], *events, run.events[-1]])


def everywhere(text: str) -> Change:
    """Return the same leak into all first prompts: equal words are no excuse."""

    def change(run: Run) -> Run:
        for path in (ONE, TWO, THREE):
            run = with_part(run, path, PART(text))
        return run

    return change


def dropped(given: list[wb.Part]) -> list[wb.Part]:
    """Leave a passage out."""
    return [p for p in given if p.source != MANAGERS]


def turned(given: list[wb.Part]) -> list[wb.Part]:
    """Show the passages in another order."""
    shown = [n for n, p in enumerate(given) if p.source in (NOTICE, MANAGERS, LEAVE)]
    order = dict(zip(shown, reversed(shown), strict=True))
    return [given[order.get(n, n)] for n in range(len(given))]


LEAKS: dict[str, tuple[Change, str, int | None, int | None]] = {
    # leak: what is changed, the rule that catches it, whose isolation it breaks, the part
    "another's reply": (part(TWO, SAID, ONE), "reads_other", 2, 7),
    "another's report": (part(TWO, SAID, "/interpreter=1/interpretation"), "reads_other", 2, 7),
    "another's gate": (part(THREE, "direct", "/interpreter=1/report/gate"), "reads_other", 3, 7),
    "another's words as the protocol's own": (part(TWO, SAID), "foreign_text", 2, 7),
    "another's words in the middle": (part(TWO, SAID, at=3), "foreign_text", 2, 3),
    "another's words, to all": (everywhere(SAID), "foreign_text", 2, 7),
    "another's words in a passage": (
        rewritten(TWO, NOTICE, "</passage", f"{SAID}\n</passage"),
        "foreign_text",
        2,
        4,
    ),
    "a passage that says something else": (
        rewritten(TWO, NOTICE, "30", "60"),
        "altered_passage",
        2,
        4,
    ),
    "words added to a passage": (
        rewritten(TWO, NOTICE, "</passage", "Read this one with care, " * 4 + "</passage"),
        "altered_passage",
        2,
        4,
    ),
    "a hint in a passage's tags": (
        rewritten(TWO, NOTICE, "</passage", "(prefer this)\n</passage"),
        "altered_passage",
        2,
        4,
    ),
    "a figure in a passage's tags": (
        rewritten(TWO, NOTICE, "</passage", "60\n</passage"),
        "altered_passage",
        2,
        4,
    ),
    "a hint as something of its own": (
        part(TWO.replace("try=1", "try=2"), "Prefer P3.", "/interpreter=2/report/gate"),
        "reads_synthesis",
        2,
        9,
    ),
    "a passage that is not in the package": (
        part(TWO, "> Notice is 9 days.", "elsewhere.md#p1"),
        "altered_passage",
        2,
        7,
    ),
    "a passage left out": (parts(TWO, dropped), "altered_passage", 2, None),
    "passages in another order": (parts(TWO, turned), "altered_passage", 2, None),
    "another's words in the sub-queries": (
        rewritten(TWO, "/package", "Q1", f"{SAID} Q1"),
        "foreign_text",
        2,
        5,
    ),
    "a hint to one alone": (part(TWO, "Look at the second one first."), "own_words", 2, 7),
    "a word changed for one": (rewritten(TWO, None, "Report", "Do report"), "own_words", 2, 6),
    "the speaker changed for one": (
        parts(TWO, lambda given: [*given[:-1], given[-1]._replace(speaker="system")]),
        "own_words",
        2,
        6,
    ),
    "how many others": (everywhere("You are one of three readers."), "names_others", 1, 7),
    "that there are others": (everywhere("Other agents read this too."), "names_others", 1, 7),
    "what the others do": (everywhere("The others have answered."), "names_others", 1, 7),
    "who it is": (part(TWO, "You are interpreter 2."), "names_others", 2, 7),
    "another's model": (part(TWO, "Unlike qwen-1b, be brief."), "names_others", 2, 7),
    "another's family": (part(TWO, "Unlike Qwen, be brief."), "names_others", 2, 7),
    "the synthesis": (part(TWO, "C1", "/synthesis"), "reads_synthesis", 2, 7),
    "the closing passport": (part(TWO, "as before", "/closing"), "reads_synthesis", 2, 7),
    "a comparer's run": (part(TWO, "A", "0123456789ab:/pair=1/compared"), "reads_synthesis", 2, 7),
    "something of its own that comes later": (
        part(TWO, "x", "/interpreter=2/interpretation"),
        "reads_synthesis",
        2,
        7,
    ),
    "other words as its own reply": (
        rewritten(TWO.replace("try=1", "try=2"), TWO, "no JSON", "the notice is 9 days"),
        "altered_reply",
        2,
        7,
    ),
    "a sampling of its own": (
        lambda run: edited(run, TWO, Asked, sampling=lambda e: replace(e.sampling, temperature=0)),
        "settings",
        2,
        None,
    ),
    "a bias of its own": (
        lambda run: edited(
            run, TWO, Asked, sampling=lambda e: replace(e.sampling, extra={"logit_bias": {"9": 5}})
        ),
        "settings",
        2,
        None,
    ),
    "a schema of its own": (
        lambda run: edited(run, TWO, Asked, schema=lambda e: {**e.schema, "enum": [SAID]}),
        "settings",
        2,
        None,
    ),
    "asked once another had answered": (
        lambda run: edited(run, THREE, Asked, clock=9),
        "later",
        3,
        None,
    ),
    "one model at another's path": (
        lambda run: edited(run, THREE, Asked, role="interpreter=1"),
        "role",
        3,
        None,
    ),
    "a human in between": (
        added(Consulted(path="/interpreter=2/ask", clock=2, prompt="Which is it?")),
        "human",
        2,
        None,
    ),
    "a reply put in by hand": (
        lambda run: edited(run, ONE, Answered, origin="edit"),
        "edited",
        1,
        None,
    ),
    "a search of its own": (
        added(Called(path="/interpreter=2/search", clock=2, tool="search", args={"query": "x"})),
        "tool",
        2,
        None,
    ),
    "a tool that writes": (
        added(Called(path="/write", clock=9, tool="write", args={"text": SAID})),
        "tool",
        None,
        None,
    ),
    "a finding in the package's request": (
        lambda run: edited(run, "/package", Called, args=lambda e: {**e.args, "hint": SAID}),
        "tool",
        None,
        None,
    ),
    "a package made after a reading": (
        lambda run: edited(run, "/package", Called, clock=5),
        "package",
        None,
        None,
    ),
    "a package that was changed": (
        lambda run: edited(
            run, "/package", Returned, value=lambda e: {**e.value, "question": "Another?"}
        ),
        "package",
        None,
        None,
    ),
    "a report drawn from another's reply": (
        lambda run: edited(run, "/interpreter=2/interpretation", Posted, sources=(TWO, ONE)),
        "mixed_report",
        2,
        None,
    ),
    "a report under another's path": (
        lambda run: edited(
            run,
            "/interpreter=2/interpretation",
            Posted,
            data=lambda e: {**e.data, "interpreter": 1},
        ),
        "mixed_report",
        2,
        None,
    ),
}


def test_a_sound_run_keeps_the_contract(sound: Run) -> None:
    """All of it, also where an interpreter was asked again with its own error."""
    assert isolation(sound).is_empty()
    assert "/interpreter=2/report/try=2" in sound.commands


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_caught(sound: Run, leak: str) -> None:
    """The breach names the rule, the interpreter and the part, and the session is invalid."""
    change, rule, interpreter, place = LEAKS[leak]
    leaked = change(sound)
    found = isolation(leaked)
    rows = set(found.select("condition", "rule", "interpreter", "part").rows())

    assert (CONDITIONS[rule], rule, interpreter, place) in rows
    assert not isolation(leaked).is_empty()
    if rule != "package":
        made = wb.synthesis(leaked)
        assert (False, None) == (made.valid, made.to_json()["topology"])
        assert any(mark.startswith("INVALID: isolation") for mark in made.marks)


def test_every_rule_catches_something() -> None:
    """There is a leak for each rule, and more than a dozen in all."""
    assert set(CONDITIONS) == {rule for _, rule, _, _ in LEAKS.values()}
    assert len(LEAKS) > 12


@pytest.mark.parametrize("source", [None, "/package", NOTICE, ONE, "/synthesis"])
@pytest.mark.parametrize("reader_", [2, 3])
@pytest.mark.parametrize("place", range(8))
def test_a_leaked_finding_is_caught_wherever_it_stands(
    sound: Run, source: str | None, reader_: int, place: int
) -> None:
    """Another's words are caught at every place of a prompt and under every source."""
    path = f"/interpreter={reader_}/report/try=1"
    leaked = with_part(sound, path, PART(SAID, source), place)

    assert reader_ in isolation(leaked)["interpreter"].to_list()
    assert place in isolation(leaked)["part"].to_list()


def test_a_leak_to_two_of_three_names_both(sound: Run) -> None:
    """Those who were told more are named, not the one who was not."""
    text = "Look at the second one first."
    leaked = with_part(with_part(sound, ONE, PART(text)), TWO, PART(text))

    assert [1, 2] == isolation(leaked)["interpreter"].to_list()


def test_the_users_own_words_are_no_leak(tmp_path: Path) -> None:
    """A question may speak of agents and models; everyone is told it."""
    corpus = write_corpus(tmp_path / "handbook")
    run = play(corpus, question="How many agents do the other readers and qwen-1b give notice?")

    assert isolation(run).is_empty()


def test_short_questions_and_options_hide_no_leak(tmp_path: Path) -> None:
    """What the user said is taken out by whole words, not by letters."""
    corpus = write_corpus(tmp_path / "handbook")
    run = play(corpus, question="e", options=("a", "agent", "t"))
    leaked = with_part(run, TWO, PART("Other agents read this too."))

    assert isolation(run).is_empty()
    assert "names_others" in isolation(leaked)["rule"].to_list()


def test_a_corpus_may_speak_of_agents(tmp_path: Path) -> None:
    """Passages, headings and names of documents are quoted, whatever they say."""
    documents = {
        "agents.md": "# Two other agents of qwen\n\nThe notice of other agents is 30 days."
    }
    run = play(write_corpus(tmp_path / "handbook", documents), models([], [], []))

    assert isolation(run).is_empty()


def test_interpreters_that_copy_the_same_words_are_no_leak(tmp_path: Path) -> None:
    """A small model repeats its instructions and the passages: both are given to all."""
    corpus = write_corpus(tmp_path / "handbook")
    copied = told("one sentence of at most 30 words that answers directly, with the figure", NOTICE)
    quoted = told(
        "The notice of staff is 30 days.", NOTICE, alternatives=["The question: How long"]
    )

    assert isolation(play(corpus, models([copied], [quoted], [copied]))).is_empty()


def test_paths_of_their_own_are_no_leak(tmp_path: Path) -> None:
    """With retrieval diversity each reads its path; what another's path found is not for it."""
    corpus = write_corpus(tmp_path / "handbook")
    run = play(corpus, diversity=True)
    paths = dict(run.answers["/package"].value["paths"])  # type: ignore[union-attr]

    assert {"1", "2", "3"} == set(paths)
    assert isolation(run).is_empty()


def test_a_run_that_was_stopped_can_be_checked(sound: Run) -> None:
    """What there is of it is held to the contract."""
    for count in range(1, len(sound.events)):
        assert isolation(sound.before(count)).is_empty()


def test_other_runs_have_no_contract() -> None:
    """A run of another protocol is refused, not found clean."""
    run = wb.run_sync(wb.direct("What is it?"), lm=reader(THIRTY))

    with pytest.raises(RunError, match="contract is that of a consultation"):
        isolation(run)


def moved(run: Run, kind: type, path: str, after: str) -> Run:
    """Return a run with one event after the answer at another path."""
    one = next(e for e in run.events if isinstance(e, kind) and e.path == path)
    rest = [e for e in run.events if e is not one]
    place = next(n for n, e in enumerate(rest) if isinstance(e, Answered) and e.path == after)
    return Run([*rest[: place + 1], one, *rest[place + 1 :]])


@pytest.mark.parametrize(
    ("kind", "path", "rule"),
    [(Asked, TWO, "later"), (Returned, "/package", "package"), (Called, "/package", "package")],
)
def test_the_order_of_lines_counts(sound: Run, kind: type, path: str, rule: str) -> None:
    """A first prompt or a package after a reading is a breach, whatever the clock says."""
    run = moved(sound, kind, path, ONE)

    assert (rule, path) in set(isolation(run).select("rule", "path").rows())
    assert not wb.synthesis(run).valid


def test_an_answer_that_nobody_asked_for(sound: Run) -> None:
    """It may hold what another wrote."""
    path = "/interpreter=2/report/try=7"
    events = [*sound.events[:-1], Answered(path=path, text=SAID), sound.events[-1]]

    assert [("edited", path)] == isolation(Run(events)).select("rule", "path").rows()
