"""Each reader is rebuilt alone: every other thing that a run could hold is a breach."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.deliberation.consultation.scripts import (
    DOCUMENTS,
    FAMILIES,
    NOTICE,
    SIXTY,
    Change,
    edited,
    models,
    play,
    told,
    with_part,
    write_corpus,
)
from tests.deliberation.consultation.test_isolation import (
    ONE,
    SAID,
    THREE,
    TWO,
    added,
    everywhere,
    part,
    parts,
    rewritten,
)
from workbench.deliberation.consultation import consultation as session
from workbench.deliberation.consultation import interpretation, prompts
from workbench.deliberation.consultation.facts import Interpreted
from workbench.deliberation.consultation.isolation import isolation, rebuilt
from workbench.deliberation.consultation.synthesis import package_of
from workbench.engine.commands import all_of, post
from workbench.engine.gate import ask_json
from workbench.record.events import Answered, Asked, Called, Posted
from workbench.record.run import Run

ONE_AGAIN, TWO_AGAIN = (path.replace("try=1", "try=2") for path in (ONE, TWO))
UNREAD = "I think staff certainly have thirty days of notice"
SHORT = told("Thirty days.", NOTICE)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run whose readers 1 and 2 were asked again, over a document with a version."""
    notice = "# Notice\n\nVersion: 2\n\n## Length\n\nThe notice of staff is 30 days."
    corpus = tmp_path_factory.mktemp("versions") / "handbook"
    write_corpus(corpus, {**DOCUMENTS, "notice.md": notice})
    lms = models([SHORT], [SIXTY], [SHORT])
    for path, unread, finding, family in (
        (ONE, UNREAD, SHORT, "qwen"),
        (TWO, "no JSON", SIXTY, "smol"),
    ):
        again = json.dumps({"findings": [finding]})
        script = {path: unread, path.replace("try=1", "try=2"): again}
        lms[path.split("/")[1]] = wb.ScriptedLM(script, name=f"{family}-1b", family=family)
    run = play(corpus, lms)
    assert isolation(run).is_empty()
    assert wb.synthesis(run).valid
    return run


def hint(run: Run) -> Run:
    """Put another's words where the gate tells a reader its own error."""
    words = "The notice of staff is certainly not sixty days; it is thirty"
    gate = "/interpreter=2/report/gate"
    old = str(run.facts[gate].data["errors"][0])
    run = edited(run, gate, Posted, data=lambda e: {**e.data, "errors": [words]})
    return rewritten(TWO_AGAIN, None, old, words)(run)


def again(key: str, text: str, *readers: int) -> Change:
    """Ask readers once more, with one part more."""

    def change(run: Run) -> Run:
        asks = []
        for n in readers:
            ask = run.commands[f"/interpreter={n}/report/try=1"]
            assert isinstance(ask, Asked)
            more = (*ask.parts, wb.Part(text))
            asks.append(replace(ask, path=f"/interpreter={n}/{key}", clock=20, parts=more))
        return added(*asks)(run)

    return change


def swapped(text: str) -> str:
    """Turn the labels P2 and P3 about."""
    return re.sub(r"(?<=passage P)[23]", lambda m: {"2": "3", "3": "2"}[m[0]], text)


def sampling(path: str, **fields: Any) -> Change:
    """Return a change of how an ask is drawn."""
    return lambda run: edited(run, path, Asked, sampling=lambda e: replace(e.sampling, **fields))


def described(*paths: str, text: str) -> Change:
    """Put words into a schema."""

    def change(run: Run) -> Run:
        for path in paths:
            run = edited(run, path, Asked, schema=lambda e: {**e.schema, "description": text})
        return run

    return change


def bare(given: list[wb.Part]) -> list[wb.Part]:
    """Leave out the version and the heading of a passage."""
    texts = [p.text.replace(", version 2", "") for p in given]
    texts = [text.replace("> [Notice > Length]\n", "") for text in texts]
    return [p._replace(text=text) for p, text in zip(given, texts, strict=True)]


def spoken(source: str, speaker: str) -> Any:
    """Have a part spoken as somebody else."""
    return lambda given: [p._replace(speaker=speaker) if p.source == source else p for p in given]


def findings_of(other: int) -> Change:
    """Have reader 2's report hold another's findings."""

    def data(fact: Posted) -> dict[str, Any]:
        return {"interpreter": 2, "findings": run_of[0].facts[path].data["findings"]}

    path, run_of = f"/interpreter={other}/interpretation", list[Run]()

    def change(run: Run) -> Run:
        run_of.append(run)
        return edited(run, "/interpreter=2/interpretation", Posted, data=data)

    return change


LEAKS: dict[str, tuple[Change, str]] = {
    "another's short conclusion, to one asked again": (
        part(TWO_AGAIN, "Thirty days."),
        "foreign_text",
    ),
    "a paraphrase, to one asked again": (part(TWO_AGAIN, "Prefer P3: a month."), "own_words"),
    "a number in a passage's label": (rewritten(TWO, NOTICE, "P3", "P30"), "altered_passage"),
    "labels turned about": (
        parts(TWO, lambda given: [p._replace(text=swapped(p.text)) for p in given]),
        "altered_passage",
    ),
    "words as the gate's error": (hint, "own_words"),
    "words in a schema, asked again": (described(TWO_AGAIN, text=SAID), "settings"),
    "others' number in all schemas": (
        described(ONE, TWO, THREE, ONE_AGAIN, TWO_AGAIN, text="One of three; qwen and smol"),
        "settings",
    ),
    "an ask once all have answered": (again("again", "Prefer P3.", 2), "later"),
    "a second round, to all": (
        again("second/try=1", "Readings: Thirty days. Sixty days. Weigh them.", 1, 2, 3),
        "later",
    ),
    "a try that its own replies do not call for": (
        again("report/try=3", "Prefer P3.", 2),
        "later",
    ),
    "another's reply that could not be read": (part(TWO_AGAIN, UNREAD), "foreign_text"),
    "a server's own setting": (sampling(TWO_AGAIN, extra={"system_prompt": SAID}), "settings"),
    "where to stop": (sampling(TWO_AGAIN, stop=("thirty",)), "settings"),
    "a seed": (sampling(TWO, seed=30), "settings"),
    "no version and heading, for one": (parts(TWO, bare), "altered_passage"),
    "its number among them": (everywhere("You are 1 of 3."), "names_others"),
    "that there are more": (everywhere("Two more have been given this text."), "names_others"),
    "how many there are": (everywhere("There are three of you."), "names_others"),
    "that somebody else reads": (everywhere("Somebody else reads this too."), "names_others"),
    "the same in words of no list": (everywhere("This text has gone out to more."), "own_words"),
    "marks in a passage's tags": (
        rewritten(TWO, NOTICE, "</pass", "!!!\n</pass"),
        "altered_passage",
    ),
    "own words before the passages": (
        parts(TWO, lambda given: [given[-1], *given[:-1]]),
        "own_words",
    ),
    "a passage as an instruction": (parts(TWO, spoken(NOTICE, "system")), "altered_passage"),
    "words as a speaker": (parts(TWO_AGAIN, spoken(TWO, "Prefer thirty days")), "altered_reply"),
    "other sub-queries, asked again": (
        rewritten(TWO_AGAIN, "/package", "Q1", "Thirty days, P3. Q1"),
        "foreign_text",
    ),
    "less of a passage": (rewritten(TWO, NOTICE, "Version: 2", ""), "altered_passage"),
    "less of the question": (rewritten(TWO, None, "How long", ""), "own_words"),
    "two prompts at one path": (
        lambda run: Run([*with_part(run, TWO, wb.Part(SAID)).events, run.commands[TWO]]),
        "foreign_text",
    ),
    "another answer in an answer's place": (
        lambda run: added(replace(run.answers[ONE], text=SAID))(run),
        "edited",
    ),
    "another's findings as its own": (findings_of(1), "mixed_report"),
    "a note between rounds": (
        added(Posted(path="/notes", clock=9, kind="Note", data={"text": SAID})),
        "mixed_report",
    ),
    "a finding in the closing request": (
        lambda run: edited(run, "/closing", Called, args={"hint": SAID}),
        "tool",
    ),
    "a fourth reader": (
        lambda run: added(replace(run.commands[TWO], path="/interpreter=4/report/try=1"))(run),
        "role",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_caught(sound: Run, leak: str) -> None:
    """In whatever words, at whatever try, to one or to all."""
    change, rule = LEAKS[leak]
    found = isolation(change(sound))

    assert rule in found["rule"].to_list()
    assert not wb.synthesis(change(sound)).valid


def test_a_debate_under_the_protocols_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A live second round that all are told in the same few words is no consultation."""
    given: list[Any] = []

    def first(number: int, read: Any, path: str, **options: Any) -> Iterator[Any]:
        given[:] = [read, options["sampling"]]
        prompt = prompts.interpret(read, path, read.passages, options["options"], options["words"])
        got = yield from ask_json(
            "report",
            f"interpreter={number}",
            prompt,
            interpretation.Report,
            sampling=options["sampling"],
        )
        return fact_of(number, got), 0

    def second(number: int, words: str) -> Iterator[Any]:
        read, drawn = given
        prompt = [*prompts.interpret(read, "/package", read.passages, (), 30), wb.Part(words)]
        role = f"interpreter={number}"
        got = yield from ask_json("second", role, prompt, interpretation.Report, sampling=drawn)
        yield from post("interpretation", fact_of(number, got), [got.path])
        return fact_of(number, got), 0

    def fact_of(number: int, got: Any) -> Interpreted:
        read = given[0]
        findings = interpretation._findings(number, read, read.passages, got.value)
        return Interpreted(interpreter=number, findings=tuple(findings))

    def rounds(key: str, children: Any) -> Iterator[Any]:
        told = yield from all_of(key, children)
        said = " / ".join(
            sorted({f.conclusion for fact, _ in told.values() for f in fact.findings})
        )
        words = f"Readings of P3 so far: {said} Weigh them."
        return (yield from all_of("", {f"interpreter={n}": second(n, words) for n in (1, 2, 3)}))

    def swayed(before: dict[str, Any], after: dict[str, Any], family: str) -> wb.ScriptedLM:
        def reply(request: Any) -> str:
            return json.dumps({"findings": [after if "so far" in str(request) else before]})

        return wb.ScriptedLM(reply, name=f"{family}-1b", family=family)

    monkeypatch.setattr(session, "interpret", first)
    monkeypatch.setattr(session, "all_of", rounds)
    one = swayed(SHORT, SHORT, "qwen")
    two = swayed(told("60 days.", NOTICE), SHORT, "smol")
    lms = {"interpreter=1": one, "interpreter=2": two, "interpreter=3": one}
    run = play(write_corpus(tmp_path / "handbook"), lms)

    assert ["Thirty days."] * 3 == [f.conclusion for f in wb.synthesis(run).topology.findings]
    assert {"later", "foreign_text", "mixed_report"} == set(isolation(run)["rule"])
    assert not wb.synthesis(run).valid


def changed(text: str, place: int, to: str) -> str:
    """Return a text with another character at a place, or with one more."""
    place %= len(text) + 1
    return text[:place] + to + text[place + (text[place : place + 1] != to) :]


@settings(deadline=None)
@given(data=st.data())
def test_any_change_of_any_prompt_is_a_breach(sound: Run, data: st.DataObject) -> None:
    """One character of a text, a source, a speaker, a role, a schema or a setting."""
    path = data.draw(st.sampled_from([ONE, TWO, THREE, ONE_AGAIN, TWO_AGAIN]))
    ask = sound.commands[path]
    assert isinstance(ask, Asked)
    what = data.draw(st.sampled_from(["text", "source", "speaker", "role", "schema", "sampling"]))
    to, place = data.draw(st.characters(codec="utf-8")), data.draw(st.integers(0, 10_000))
    number = data.draw(st.integers(0, len(ask.parts) - 1))
    one = ask.parts[number]
    if what == "role":
        new = replace(ask, role=changed(ask.role, place, to))
    elif what == "schema":
        texts = json.dumps(ask.schema)
        keys = [m.span() for m in re.finditer(r'(?<=")\w+(?=")', texts)]
        start, end = keys[place % len(keys)]
        new = replace(
            ask, schema=json.loads(f"{texts[:start]}x{texts[start + 1 : end]}y{texts[end:]}")
        )
    elif what == "sampling":
        name = data.draw(st.sampled_from(["temperature", "top_p", "max_tokens", "seed"]))
        old = getattr(ask.sampling, name)
        new = replace(ask, sampling=replace(ask.sampling, **{name: place + 1 + (old or 0)}))
    else:
        was = getattr(one, what) or ""
        part = one._replace(**{what: changed(was, place, to)})
        new = replace(ask, parts=(*ask.parts[:number], part, *ask.parts[number + 1 :]))
    assert new != ask
    found = isolation(Run([new if event is ask else event for event in sound.events]))

    assert path in found["path"].to_list()
    if what in ("text", "source", "speaker"):
        assert number in found["part"].to_list()


@settings(deadline=None)
@given(data=st.data())
def test_any_change_of_parts_is_a_breach(sound: Run, data: st.DataObject) -> None:
    """One left out, told twice, or in another place."""
    path = data.draw(st.sampled_from([ONE, TWO, THREE, ONE_AGAIN, TWO_AGAIN]))
    ask = sound.commands[path]
    assert isinstance(ask, Asked)
    order = data.draw(st.lists(st.integers(0, len(ask.parts) - 1), max_size=len(ask.parts) + 2))
    kept = tuple(ask.parts[n] for n in order)
    found = isolation(edited(sound, path, Asked, parts=kept))

    assert found.is_empty() == (kept == ask.parts)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_reader_is_rebuilt_of_its_own_replies(sound: Run, number: int) -> None:
    """Whatever the others reply, or however many they are, it is sent the same."""
    own = rebuilt(sound, package_of(sound), number)
    events = [
        replace(event, text="Something else.", finish_reason="length")
        if isinstance(event, Answered) and f"={number}/" not in event.path
        else event
        for event in sound.events
    ]
    more = {**sound.started.params, "families": [*FAMILIES, "another"]}

    assert own == rebuilt(Run(events), package_of(sound), number)
    others = Run([replace(sound.started, params=more), *events[1:]])
    assert own == rebuilt(others, package_of(sound), number)
    assert {p for p in sound.derived if f"/interpreter={number}/" in p} == own.keys() - {"/package"}
