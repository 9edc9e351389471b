"""Who read what in MAVEN runs: the check finds none of these leaks in a sound run, and each one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.maven.scripts import found, judging, play
from workbench.deliberation.maven import adjudication, prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.separation import MAY_READ, separation
from workbench.errors import RunError
from workbench.record.events import Asked, Event, Posted
from workbench.record.parts import Part
from workbench.record.run import Run

RUN = play(
    judging("reject", "replan", "accept"),
    corpus="care",
    world={"search": found},
)
KINDS = sorted({fact.kind for fact in RUN.facts.values()} - {"Gated"})


def edited(run: Run, path: str, **fields: Any) -> Run:
    """Return a run with other fields in the event at a path, as a careless protocol makes it."""
    events: list[Event] = [
        replace(e, **fields)
        if getattr(e, "path", None) == path and e in run.derived.values()
        else e
        for e in run.events
    ]
    return Run(events)


def ask_of(role: str, title: str) -> Asked:
    """Return the last ask of a role for something."""
    return next(
        e
        for e in reversed(RUN.by_path())
        if isinstance(e, Asked) and (e.role, (e.schema or {})["title"]) == (role, title)
    )


def leaked(role: str, title: str, source: str) -> Run:
    """Return the run with one more part in a prompt."""
    asked = ask_of(role, title)
    return edited(RUN, asked.path, parts=(*asked.parts, Part("a leak", source)))


def test_a_sound_run_has_no_breach() -> None:
    """A run with a reject, a replan and a corpus keeps every separation."""
    assert separation(RUN).is_empty()
    assert {(role, title) for role, title in MAY_READ} == {
        (e.role, (e.schema or {})["title"]) for e in RUN.commands.values() if isinstance(e, Asked)
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("role", "title"), MAY_READ)
def test_every_leak_is_found(role: str, title: str, kind: str) -> None:
    """One part of a fact that is not for this agent is one breach; one that is for it is none."""
    source = RUN.facts_of(kind)[0].path
    breaches = separation(leaked(role, title, source))

    if kind in MAY_READ[role, title]:
        assert breaches.is_empty()
    else:
        rule = "probes_blind" if (title, kind) == ("Probe", "Defended") else "reads"
        expected = (rule, ask_of(role, title).path, role, source, kind)
        assert [expected] == breaches.rows()


@pytest.mark.parametrize(
    ("reader", "title", "author", "source"),
    [
        ("responder", "Defence", "researcher", "/turn=1/researcher/claim=1/probe/try=1"),
        ("researcher", "Probe", "responder", "/turn=1/responder/defence/try=1"),
        ("judge", "Judgement", "responder", "/turn=1/responder/defence/try=1"),
        ("fast_proposer", "Intuition", "fast_proposer", "/turn=0/fast_proposer=1/answer/try=1"),
    ],
)
def test_a_raw_reply_is_a_leak_too(reader: str, title: str, author: str, source: str) -> None:
    """Another agent's reply, before it was made a fact of, is no way around."""
    (breach,) = separation(leaked(reader, title, source)).iter_rows(named=True)

    assert (reader, author, source) == (breach["role"], breach["kind"], breach["source"])


@pytest.mark.parametrize("role", ["responder", "judge", "skeptic"])
def test_passages_are_the_researchers(role: str) -> None:
    """Nobody but the Researcher reads the corpus, and it does so while it probes."""
    title = next(t for r, t in MAY_READ if r == role)

    assert ["passage"] == separation(leaked(role, title, "care.md#p1"))["kind"].to_list()


def test_the_maker_must_not_check() -> None:
    """A Judge that writes the revised draft, as Algorithm 1 has it, is found."""
    sources = ["/turn=1/judge/judgement/try=1"]
    breaches = separation(edited(RUN, "/turn=1/reviser/draft", sources=tuple(sources)))

    assert {("makes_and_checks", "judge")} == set(breaches.select("rule", "role").rows())
    assert {"/turn=1/reviser/draft"} == set(breaches["source"])
    assert 3 == len(breaches)


def test_a_claim_has_one_probe() -> None:
    """With the cache on, a claim that is probed again is found, however it is written."""
    first, second = RUN.facts_of("Probed")[:2]
    again = second.data | {"claim": first.data["claim"].upper()}
    breaches = separation(edited(RUN, second.path, data=again))

    assert [("probed_twice", second.path)] == breaches.select("rule", "path").rows()


def run_with(monkeypatch: pytest.MonkeyPatch, target: Any, name: str, made: Any) -> Run:
    """Run MAVEN with a mutation in its code."""
    monkeypatch.setattr(target, name, made)
    return play(judging("reject", "accept"))


def test_mutations_of_the_protocol_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that leaks, not only a record that does, ends in a breach."""
    ask = Blackboard.ask

    def as_judge(self: Any, key: str, role: str, *args: Any, **options: Any) -> Any:
        return ask(self, key, "judge" if role == "reviser" else role, *args, **options)

    with monkeypatch.context() as patch:
        run = run_with(patch, Blackboard, "ask", as_judge)
        assert {"makes_and_checks", "reads"} == set(separation(run)["rule"])

    read = adjudication._read

    def with_defence(board: Any, *rest: Any) -> Any:
        return [*read(board, *rest), prompts.defences(board.now.justifications)]

    with monkeypatch.context() as patch:
        run = run_with(patch, adjudication, "_read", with_defence)
        assert {("judge", "Defended"), ("reviser", "Defended")} == set(
            separation(run).select("role", "kind").rows()
        )

    def of_the_defence(*_: Any) -> Part:
        return Part("It is surely so.", "/turn=1/responder/defended")

    with monkeypatch.context() as patch:
        run = run_with(patch, prompts, "claim", of_the_defence)
        assert {"probes_blind"} == set(separation(run)["rule"])


def test_every_quoted_text_has_its_source() -> None:
    """What an agent wrote stands in prompts with the path of the fact that holds it."""
    for asked in RUN.commands.values():
        for part in asked.parts if isinstance(asked, Asked) else ():
            for marked in re.findall(r"mark-[\w-]+", part.text):
                fact = RUN.facts.get(part.source or "")
                assert fact is not None, f"{marked} in {asked.path} has no source"
                assert marked in str(fact.data)


def test_confidence_of_the_responder() -> None:
    """The Responder's confidence stands in the contrast, after the probes, and nowhere before."""
    holding = {
        path
        for path, asked in RUN.commands.items()
        if isinstance(asked, Asked) and "97%" in RUN.prompt(path)
    }

    assert {f"/turn={n}/researcher/contrast/try=1" for n in (1, 2, 3)} == holding
    clock = {path: e.clock for path, e in RUN.derived.items()}
    for turn in (1, 2, 3):
        probes = [
            e.clock
            for e in RUN.facts.values()
            if isinstance(e, Posted) and e.path.startswith(f"/turn={turn}/researcher/claim=")
        ]
        assert max(probes) < clock[f"/turn={turn}/researcher/contrast/try=1"]


def test_sample_runs_keep_them() -> None:
    """Every recorded MAVEN run keeps every separation."""
    folder = Path(__file__).parents[3] / "sample_runs"
    runs = [wb.open_run(path) for path in sorted(folder.rglob("*.run.jsonl"))]

    for run in runs:
        if run.started.protocol == "maven":
            assert separation(run).is_empty(), run.path


def test_another_protocol_is_refused() -> None:
    """A run that is not MAVEN's has not kept the separations: there are none."""
    other = Run([wb.RunStarted(protocol="bilayer", params={})])

    with pytest.raises(RunError, match="bilayer"):
        separation(other)
