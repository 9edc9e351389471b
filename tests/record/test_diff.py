"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Heard, Teller, human, words
from workbench.record.diff import Change
from workbench.record.events import Answered, Asked, Event, Lineage, Posted, RunEnded
from workbench.record.parts import Part
from workbench.record.run import Run

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


def edited(path: str, text: str) -> Run:
    """Return a fork of the debate with one answer changed."""
    return wb.wait(wb.fork(whole("debate"), {path: text}, lm=Teller()))


def test_equal() -> None:
    """A run does not differ from itself, nor from a rerun with the same answers."""
    found = wb.diff(whole("debate"), wb.run_sync(BOUND["debate"], lm=Teller()))

    assert not found
    assert "the runs are equal" == str(found)


@given(st.sampled_from([f"/turn={t}/a{i}/speak" for t in (1, 2) for i in range(3)]))
def test_first_is_the_edit(path: str) -> None:
    """The first divergence is the edited answer, and counts are the same both ways."""
    parent, child = whole("debate"), edited(path, "Even words")
    there, back = wb.diff(parent, child), wb.diff(child, parent)

    assert there.first is not None
    assert back.first is not None
    assert (path, "answer", "Even words") == (there.first.path, there.first.kind, there.first.after)
    assert (path, "answer", "Even words") == (back.first.path, back.first.kind, back.first.before)
    for name in ("answers", "facts", "verdicts"):
        assert len(getattr(there, name)) == len(getattr(back, name))
    assert "first divergence: " + path in str(there)
    assert "+ Even words" in there.first.words()


def test_requests() -> None:
    """Asks whose prompt changed are listed: those that read the edited answer."""
    found = wb.diff(whole("debate"), edited("/turn=1/a0/speak", "Even words"))

    assert [f"/turn=2/a{i}/speak" for i in range(3)] == [c.path for c in found.requests]
    assert all("Even words" in c.after for c in found.requests)
    assert () == wb.diff(whole("debate"), whole("debate")).requests


def test_verdicts() -> None:
    """A fact with a field `verdict` that changed is listed with the two verdicts."""
    before = whole("debate").facts["/turn=2/judged"].data["verdict"]
    text = "odd" if before == "no" else "even"
    found = wb.diff(whole("debate"), edited("/turn=2/a0/speak", text))

    assert [("/turn=2/judged", before)] == [(v.path, v.before) for v in found.verdicts]
    assert f"/turn=2/judged: {before} -> " in str(found)


def test_other_protocols() -> None:
    """Runs of different protocols differ in all that they did; no order of them raises."""
    found = wb.diff(whole("debate"), whole("council"))

    assert found
    assert len(found.answers) == len(wb.diff(whole("council"), whole("debate")).answers)
    assert found.params
    assert found._repr_mimebundle_()["text/html"].startswith("<pre>")


def test_interrupted_and_empty() -> None:
    """What an interrupted or empty run lacks stands as None."""
    for count in range(1, 22):
        found = wb.diff(whole("debate"), whole("debate").before(count))
        assert found.first is not None
        assert found.first.after is None or found.first.kind == "status"
        assert str(found)
    empty = Run([whole("debate").started])
    assert not wb.diff(empty, empty)
    assert 6 == len(wb.diff(empty, whole("debate")).answers)


def test_kind_and_result() -> None:
    """Facts of another kind, and another result, are differences."""

    class Said(wb.Fact):
        text: str

    def of(fact: type[Any], result: int) -> Run:
        @wb.protocol("toy_diff")
        def steps():  # noqa: ANN202
            yield from wb.post("a", fact(text="x"))
            return result

        return wb.run_sync(steps())

    kind, result = (
        wb.diff(of(Heard, 1), of(Said, 1)).first,
        wb.diff(of(Heard, 1), of(Heard, 2)).first,
    )
    assert kind is not None
    assert result is not None
    assert ("/a", "Said") == (kind.path, kind.kind)
    assert ("/", "result", 1, 2) == tuple(result)


def altered(test: Callable[[Event], bool], **fields: Any) -> Run:
    """Return the debate with fields of its first event that passes `test` changed."""
    events = list(whole("debate").events)
    place = next(i for i, event in enumerate(events) if test(event))
    events[place] = replace(events[place], **fields)
    return Run(events)


def is_(kind: type[Any]) -> Callable[[Event], bool]:
    """Return a test for a kind of event."""
    return lambda event: isinstance(event, kind)


@pytest.mark.parametrize(
    ("test", "fields", "kind"),
    [
        (is_(wb.RunStarted), {"seed": 7}, "seed"),
        (is_(wb.RunStarted), {"models": {"*": {"model": "other"}}}, "models"),
        (is_(wb.RunStarted), {"protocol": "other"}, "protocol"),
        (is_(wb.RunStarted), {"subject": "0" * 64}, "subject"),
        (is_(wb.RunStarted), {"params": {"n": 3.0, "turns": 2}}, "parameters"),
        (is_(Asked), {"sampling": wb.Sampling(temperature=0.5)}, "request"),
        (is_(Asked), {"schema": {"title": "T"}}, "request"),
        (is_(Asked), {"role": "other"}, "request"),
        (is_(Asked), {"clock": 9}, "request"),
        (is_(Answered), {"finish_reason": "length"}, "answer"),
        (is_(Answered), {"model": "other"}, "answer"),
        (is_(Answered), {"tokens_out": 1}, "accounting"),
        (is_(Posted), {"sources": ()}, "Heard"),
        (is_(Posted), {"clock": 99}, "Heard"),
        (is_(RunEnded), {"clock": 99}, "end"),
        (is_(RunEnded), {"status": "failed"}, "status"),
    ],
)
def test_a_field_of_any_event(
    test: Callable[[Event], bool], fields: dict[str, Any], kind: str
) -> None:
    """A field that a digest is made of is a difference, and is told by its name or value."""
    other = altered(test, **fields)
    found = wb.diff(whole("debate"), other)

    assert other.digest != whole("debate").digest
    assert found
    assert found.first is not None
    assert kind == found.first.kind
    assert found.first.words()
    assert wb.diff(other, whole("debate"))


@pytest.mark.parametrize(
    ("test", "fields"),
    [
        (is_(wb.RunStarted), {"at": 1.0, "package": "9", "lineage": None}),
        (is_(Answered), {"at": 1.0, "latency_s": 9.0, "attempts": 9, "origin": "0" * 64}),
    ],
)
def test_metadata_is_no_difference(test: Callable[[Event], bool], fields: dict[str, Any]) -> None:
    """When, how long, how often and who paid take no part, nor do package and lineage."""
    assert not wb.diff(whole("debate"), altered(test, **fields))


def test_what_was_cached_is_no_divergence() -> None:
    """Answers that differ in tokens alone are told apart; the first divergence is one of words."""
    events = list(edited("/turn=2/a1/speak", "Even words").events)
    place = next(i for i, event in enumerate(events) if isinstance(event, Answered))
    events[place] = replace(events[place], tokens_cached=732)
    found = wb.diff(whole("debate"), Run(events))

    assert found.first is not None
    assert ("/turn=2/a1/speak", "answer") == (found.first.path, found.first.kind)
    assert ["/turn=1/a0/speak"] == [change.path for change in found.accounting]
    assert [{"tokens_cached": 732}] == [change.after for change in found.accounting]
    assert ["/turn=2/a1/speak"] == [change.path for change in found.answers]
    assert "answers alike but for tokens or cost: 1" in str(found)


def test_what_differs_is_told_in_words() -> None:
    """Parameters, models and facts stand field by field, and nothing as Python writes it."""
    case = {"title": "One", "rules": [{"id": "R1", "text": "word " * 30}], "phases": ["a", "b"]}
    other = {**case, "title": "Two", "phases": ["a"], "rules": [{"id": "R1", "text": "x"}]}
    runs = [
        Run(
            [
                wb.RunStarted(
                    protocol="p", params={"case": c}, models={"*": {"model": c["title"]}}
                ),
                Posted(path="/a", clock=0, kind="Found", data={"hits": [{"passage": c["title"]}]}),
            ]
        )
        for c in (case, other)
    ]
    told = str(wb.diff(*runs)).splitlines()

    assert ["- hits[1].passage: One", "+ hits[1].passage: Two"] == told[1:3]
    assert "  models.*.model: One -> Two" in told
    assert "  parameter case.title: One -> Two" in told
    assert "  parameter case.phases: a, b -> a" in told
    assert f"  parameter case.rules[1].text: {('word ' * 30)[:80]}... -> x" in told
    many = [
        Run([wb.RunStarted(protocol="p", params=dict.fromkeys("abcdefghijklmno", n))])
        for n in (1, 2)
    ]
    assert "  ... 3 more parameter values that differ" in str(wb.diff(*many)).splitlines()


def test_a_fork_without_an_edit_is_equal() -> None:
    """Its digest differs from its parent's by the lineage alone."""
    fork = wb.wait(wb.fork(whole("debate")))

    assert isinstance(fork.started.lineage, Lineage)
    assert fork.digest != whole("debate").digest
    assert not wb.diff(whole("debate"), fork)


def test_an_event_twice() -> None:
    """What no view by path can tell is a difference all the same."""
    events = whole("debate").events
    found = wb.diff(whole("debate"), Run([*events, events[-2]]))

    assert found
    assert "/ (events)" in str(found)


def test_sources_of_a_prompt() -> None:
    """A prompt of the same words from elsewhere is told with its parts."""
    first = wb.RunStarted(protocol="p", params={})

    def of(source: str | None) -> Run:
        ask = Asked(path="/a", clock=0, role="r", parts=(Part("same", source),))
        return Run([first, ask])

    found = wb.diff(of(None), of("/b")).first
    assert found is not None
    assert ["parts"] == list(found.before)
    assert "/b" in found.words()


def test_an_ask_in_place_of_a_fact() -> None:
    """Events of two kinds at one path are compared without an error."""
    first = wb.RunStarted(protocol="p", params={})
    ask = Asked(path="/a", clock=0, role="r", parts=(Part("words"),))
    fact = Posted(path="/a", clock=0, kind="Judged", data={"verdict": "no"})

    found = wb.diff(Run([first, ask]), Run([first, fact]))

    assert [(None, "no")] == [(v.before, v.after) for v in found.verdicts]
    assert wb.diff(Run([first, fact]), Run([first, ask]))


def test_the_rest_of_long_texts_is_counted() -> None:
    """Of thousands of changed lines none is left out in silence."""
    old, new = (
        "\n".join(f"line {i} of the {who} with some more words" for i in range(4000))
        for who in ("parent", "child")
    )
    words = Change("/a", "answer", old, new).words().splitlines()

    assert 201 == len(words)
    assert "... 7,800 more lines are left out" == words[-1]
    assert 8000 == len(Change("/a", "answer", old, new).words(most=8000).splitlines())


def test_lines_around_a_change() -> None:
    """A changed line stands among its neighbours; those further off are left to the run."""
    old = [str(i) for i in range(30)]
    new = [*old[:10], "x", *old[11:25], "y", *old[26:]]
    words = Change("/a", "answer", "\n".join(old), "\n".join(new)).words()

    assert "  9\n- 10\n+ x\n  11\n" in words
    assert "  13\n...\n  22\n" in words
    assert words.startswith("  7\n")


def test_nothing_raw_is_shown() -> None:
    """Control, direction and zero-width characters are written out in text and in HTML."""
    evil = "\x1b[2J\u202e\u200b<b>"
    changed = {"models": {evil: {"model": evil}}, "params": {"n": evil}, "seed": 1}
    events = [replace(whole("debate").started, **changed), *edited("/turn=1/a0/speak", evil)]
    del events[1]
    found = wb.diff(whole("debate"), Run(events))

    told = found._repr_mimebundle_()
    for text in told.values():
        assert not {"\x1b", "\u202e", "\u200b"} & set(text)
    assert "+ \\x1b[2J\\u202e\\u200b<b>" in told["text/plain"]
    assert "&lt;b&gt;" in told["text/html"]
    assert "<b>" not in told["text/html"]


def test_line_ends_are_told() -> None:
    """Texts that differ in their line ends alone do not look equal."""
    assert "\\x0d" in Change("/a", "answer", "a\r\nb", "a\nb").words()
    assert Change("/a", "answer", "a\n", "a").words()


def test_half_a_surrogate_pair() -> None:
    """Runs that no file could hold are compared all the same."""
    odd = "\ud800"
    started = wb.RunStarted(protocol="p", params={odd: odd})
    ask = Asked(path="/a", clock=0, role=odd, parts=(Part(odd),))
    run = Run([started, ask])

    assert not wb.diff(run, Run([started, ask]))
    assert "/a" == getattr(wb.diff(run, Run([started])).first, "path", None)
    assert {odd: (odd, "x")} == wb.diff(run, Run([replace(started, params={odd: "x"}), ask])).params
    assert "\\ud800" in str(wb.diff(run, Run([started])))
