"""The MAVEN protocol: Algorithm 1's order, its endings, its ablations, and a person as Skeptic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.maven.scripts import (
    OPTIONS,
    QUESTION,
    Override,
    Reply,
    agents,
    facts,
    found,
    judging,
    play,
    title,
    usual,
)
from workbench.deliberation.maven.maven import maven
from workbench.deliberation.maven.scrutiny import questions_of
from workbench.deliberation.maven.separation import separation
from workbench.errors import ProtocolError
from workbench.knowledge.corpus import Corpus
from workbench.record.events import Asked, Called
from workbench.record.run import Run
from workbench.testing import check_protocol

REJECTED = judging("reject", "accept")
REPLANNED = judging("replan", "accept")


def simple(asked: Asked) -> Reply:
    """Find every question simple."""
    return {"reason": "One step.", "complexity": 1} if title(asked) == "Complexity" else None


SHAPES: dict[str, tuple[Override | None, dict[str, Any]]] = {
    "full": (None, {}),
    "fast": (simple, {}),
    "open": (REJECTED, {"options": ()}),
    "open_fast": (simple, {"options": ()}),
    "rejected": (REJECTED, {}),
    "replanned": (REPLANNED, {}),
    "never_accepted": (judging("reject"), {}),
    "always_replanned": (judging("replan"), {}),
    "no_router": (REJECTED, {"router": False}),
    "no_fast_proposers": (REJECTED, {"fast_proposers": False}),
    "no_fast_proposers_fast": (simple, {"fast_proposers": False}),
    "no_multi_proposer": (REPLANNED, {"multi_proposer": False}),
    "no_cache": (REJECTED, {"cache": False}),
    "one_iteration": (judging("reject"), {"max_iterations": 1}),
    "no_iterations": (None, {"max_iterations": 0}),
    "six_iterations": (judging("reject"), {"max_iterations": 6}),
    "corpus": (REJECTED, {"corpus": "care"}),
    "human": (REJECTED, {"skeptic": "human"}),
}


@pytest.fixture(scope="module", params=SHAPES)
def shape(request: pytest.FixtureRequest) -> Run:
    """Give a run of each shape, after `check_protocol` has gone over it."""
    override, options = SHAPES[request.param]
    bound = maven(QUESTION, **{"options": OPTIONS, **options})
    return check_protocol(bound, agents(override), world={"search": found}, seeds=[0])


def path_of(run: Run) -> int:
    """Return the calls on the critical path: the longest chain of answers that wait for another.

    Lamport clocks count facts as well, so the chain is counted over asks and calls alone: an ask
    stands one behind the deepest that ended before its clock.
    """
    waits = sorted((e for e in run.commands.values()), key=lambda e: e.clock)
    depth: dict[int, int] = {}
    for event in waits:
        before = max((d for clock, d in depth.items() if clock < event.clock), default=0)
        depth[event.clock] = max(depth.get(event.clock, 0), before + 1)
    return max(depth.values())


def test_every_shape_keeps_the_contract(shape: Run) -> None:
    """Every path, ablation and ending passes `check_protocol` and keeps the separations."""
    assert "complete" == shape.status
    assert separation(shape).is_empty()
    final = shape.facts["/final"].data
    concluded = shape.facts["/concluded"].data
    assert final["answer"] == concluded["answer"] == shape.result["answer"] != ""
    assert concluded["ended"] == shape.result["ended"]
    use = shape.usage
    assert use.tokens_in + use.tokens_out == shape.result["tokens"]


@pytest.mark.parametrize("options", [OPTIONS, ()])
def test_made_up_words(options: tuple[str, ...]) -> None:
    """Whatever fits the schemas is carried through, and keeps the contract and the separations."""
    run = check_protocol(maven(QUESTION, options, router=False), seeds=range(2))

    assert run.result["ended"] in {"accepted", "out_of_iterations"}
    assert separation(run).is_empty()


def test_order_of_the_full_path() -> None:
    """Router, FastProposers, Planner, MultiProposer, Synthesizer, the loop, the Stylist."""
    run = play()
    first: dict[str, int] = {}
    for event in run.by_path():
        if isinstance(event, Asked):
            first.setdefault(f"{event.role} {title(event)}", event.clock)
    order = sorted(first, key=lambda name: first[name])

    assert [
        "router Complexity",
        "fast_proposer Intuition",
        "planner Plan",
        "multi_proposer Draft",
        "synthesizer Draft",
        "skeptic Doubts",
        "researcher Probe",
        "responder Defence",
        "researcher Comparisons",
        "judge Judgement",
        "stylist Style",
    ] == order
    assert first["researcher Probe"] == first["responder Defence"]
    assert ("accepted", True, 1) == tuple(
        run.result[name] for name in ("ended", "judged", "iterations")
    )


def test_critical_path() -> None:
    """The path has at most 11 calls, and 5 more for each further iteration of the loop."""
    assert 10 == path_of(play())
    for further in range(1, 6):
        verdicts = [*["reject"] * further, "accept"]
        assert path_of(play(judging(*verdicts), max_iterations=6)) == 10 + 5 * further
    rejected = play(judging("reject"), max_iterations=4)
    assert 11 + 5 * 3 == path_of(rejected)  # the last reject is revised as well
    # A Replan is phase I again: Planner, MultiProposer and Synthesizer in place of the reviser.
    assert 10 + 5 + 2 == path_of(play(REPLANNED))
    assert 2 == path_of(play(simple))


def test_fast_path() -> None:
    """A simple question is answered by the most frequent intuition, and nothing else is asked."""

    def split(asked: Asked) -> Reply:
        if title(asked) == "Intuition":
            number = int(asked.path[len("/turn=0/fast_proposer=")])
            letter = "B" if number in {2, 4} else "C" if number == 5 else "A"
            sure = 50 if number == 3 else 40
            return {"rationale": f"r{number}", "answer": letter, "confidence": sure}
        return simple(asked)

    run = play(split)

    assert {"router", "fast_proposer"} == {a.role for a in run.commands.values()}
    spread = run.facts["/turn=0/spread"].data
    assert ("A", 0.4, 5, 5) == tuple(
        spread[name] for name in ("leading", "agreement", "n", "asked")
    )
    assert round(1 - (0.16 + 0.16 + 0.04), 6) == spread["answer_variance"]
    assert 0.42 == spread["confidence_mean"]
    assert 0.0016 == spread["confidence_variance"]
    concluded = run.facts["/concluded"].data
    assert ("A", "r3", "/turn=0/fast_proposer=3/intuited") == tuple(
        concluded[name] for name in ("answer", "text", "draft")
    )
    assert "fast path" == run.facts["/final"].data["how"]


def test_amounts_of_one_value_are_one_intuition() -> None:
    """The fast path counts an amount however it is written, and the surest of those speaks."""
    said = ["$18", "20", "18 dollars", "20.0", "18"]

    def reply(asked: Asked) -> Reply:
        if title(asked) != "Intuition":
            return simple(asked)
        number = int(asked.path[len("/turn=0/fast_proposer=")])
        sure = 95 if number == 3 else 50
        return {"rationale": f"r{number}", "answer": said[number - 1], "confidence": sure}

    run = play(reply, options=())

    spread = run.facts["/turn=0/spread"].data
    assert ("$18", 0.6, 0.48) == tuple(
        spread[name] for name in ("leading", "agreement", "answer_variance")
    )
    concluded = run.facts["/concluded"].data
    assert ("18 dollars", "r3") == (concluded["answer"], concluded["text"])
    assert said[2] == run.facts[concluded["draft"]].data["answer"] == run.result["answer"]


@pytest.mark.parametrize(("h", "path"), [(0, "fast"), (2, "fast"), (3, "full"), (20, "full")])
def test_threshold(h: int, path: str) -> None:
    """The fast path is taken where h is at most tau."""
    run = play(lambda a: {"reason": "r", "complexity": h} if title(a) == "Complexity" else None)

    assert (h, path) == tuple(facts(run, "Routed")[0][name] for name in ("h", "path"))


def test_intuitions_are_drawn_apart() -> None:
    """The proposers read the same and draw with other seeds, at a temperature of their own."""
    asked = [a for a in play().commands.values() if a.role == "fast_proposer"]

    assert 1 == len({a.parts for a in asked})
    assert 5 == len({a.sampling.seed for a in asked})
    assert {0.7} == {a.sampling.temperature for a in asked}
    rest = [a for a in play().commands.values() if a.role != "fast_proposer"]
    assert {0.0} == {a.sampling.temperature for a in rest}


def test_reject_then_accept() -> None:
    """A rejected draft is revised by the evidence and the feedback, and the revision is judged."""
    run = play(REJECTED)

    made = facts(run, "DraftMade")
    assert [("synthesizer", 0, 0), ("reviser", 1, 1)] == [
        (d["author"], d["number"], d["iteration"]) for d in made
    ]
    assert [(0, "reject"), (1, "accept")] == [
        (j["draft"], j["verdict"]) for j in facts(run, "Judged")
    ]
    read = {p.source for p in run.commands["/turn=1/reviser/revision/try=1"].parts if p.source}
    assert {
        "/turn=0/synthesizer/draft",
        "/turn=0/planner/planned",
        "/turn=1/researcher/reported",
        "/turn=1/judge/judged",
    } == read
    assert made[1]["text"] == run.facts["/final"].data["explanation"]


def test_replan() -> None:
    """A Replan plans anew from the feedback and drafts anew from R; the Judge then reads both."""
    run = play(REPLANNED)

    def read(path: str) -> set[str | None]:
        return {part.source for part in run.commands[path].parts if part.source}

    assert {"/turn=1/judge/judged"} == read("/turn=1/planner/plan/try=1")
    intuitions = {f"/turn=0/fast_proposer={n}/intuited" for n in range(1, 6)}
    drafting = "/turn=1/multi_proposer/lens=data/draft/try=1"
    assert {"/turn=1/planner/planned", *intuitions} == read(drafting)
    assert {
        "/turn=1/planner/planned",
        "/turn=1/synthesizer/draft",
        "/turn=2/researcher/reported",
    } == read("/turn=2/judge/judgement/try=1")
    assert not any("reviser" in path for path in run.commands)


@pytest.mark.parametrize("verdict", ["reject", "replan"])
def test_out_of_iterations(verdict: str) -> None:
    """After T_max the last draft is returned, and the run says that nobody judged it."""
    run = play(judging(verdict))

    assert ("out_of_iterations", False, 3) == tuple(
        run.result[name] for name in ("ended", "judged", "iterations")
    )
    concluded = run.facts["/concluded"].data
    last = facts(run, "DraftMade")[-1]
    assert (3, last["text"]) == (last["iteration"], concluded["text"])
    assert 3 == len(facts(run, "Judged"))


def test_priorities_come_first() -> None:
    """The questions of high priority are the first, each with its dimension."""
    asked = facts(play(), "Questioned")[0]["questions"]

    assert [(1, "factual", "high"), (2, "logical", "medium"), (3, "causal", "low")] == [
        (q["number"], q["dimension"], q["priority"]) for q in asked
    ]


def test_prompts_share_their_beginning() -> None:
    """All prompts begin alike; Skeptic and Responder share the draft, Judge and reviser more."""
    run = play(REJECTED)

    def parts(path: str) -> tuple[wb.Part, ...]:
        return run.commands[f"{path}/try=1"].parts

    assert 1 == len({a.parts[:2] for a in run.commands.values()})
    skeptic, responder = parts("/turn=1/skeptic/attack"), parts("/turn=1/responder/defence")
    judge, reviser = parts("/turn=1/judge/judgement"), parts("/turn=1/reviser/revision")
    assert skeptic[:3] == responder[:3] == judge[:3]
    assert judge[:5] == reviser[:5]
    probes = [parts(f"/turn=1/researcher/claim={n}/probe") for n in (1, 2, 3)]
    assert 1 == len({probe[:3] for probe in probes})


def test_claims_in_the_cache_are_not_probed_again() -> None:
    """A claim in other writing is found in K: its evidence is in E, and nobody is asked for it."""

    def same(asked: Asked) -> Reply:
        if title(asked) == "Doubts":
            claim = (
                "The tank holds 20 gallons."
                if "turn=1" in asked.path
                else "the TANK holds 20 gallons"
            )
            new = [] if "turn=1" in asked.path else [f"New claim {asked.path}."]
            return {
                "questions": [
                    {"dimension": "factual", "claim": c, "question": "So?", "priority": "high"}
                    for c in [claim, claim.upper(), *new]
                ]
            }
        return judging("replan", "reject", "accept")(asked)

    run = play(same)
    probed = [fact.path for fact in run.facts_of("Probed")]

    assert [
        "/turn=1/researcher/claim=1/probed",
        "/turn=2/researcher/claim=3/probed",
        "/turn=3/researcher/claim=3/probed",
    ] == probed
    second = facts(run, "EvidenceReported")[1]["findings"]
    assert [(True, probed[0]), (False, probed[1])] == [(f["cached"], f["probed"]) for f in second]
    without = play(same, cache=False)
    assert 5 == len(without.facts_of("Probed"))
    assert {False} == {
        f["cached"] for e in facts(without, "EvidenceReported") for f in e["findings"]
    }


def test_contrast_calibrates() -> None:
    """The contrast changes a finding's confidence and says who agrees, never the verdict."""
    lines = facts(play(), "EvidenceReported")[0]["findings"]

    assert {("supported", 0.75, "agrees")} == {
        (f["verdict"], f["confidence"], f["agreement"]) for f in lines
    }
    assert {0.7} == {f["confidence"] for f in facts(play(), "Probed")}


def test_corpus() -> None:
    """With documents every claim is searched, and its evidence cites passages by their ids."""
    run = play(corpus="care", world={"search": found}, passages=2)

    calls = [e for e in run.commands.values() if isinstance(e, Called)]
    assert {f"/turn=1/researcher/claim={n}/search" for n in (1, 2, 3)} == {e.path for e in calls}
    assert {2} == {e.args["k"] for e in calls}
    assert {("care.md#p1",)} == {tuple(f["passages"]) for f in facts(run, "Probed")}
    assert "[care.md#p1]" in run.prompt("/turn=1/judge/judgement/try=1")
    schema = run.commands["/turn=1/researcher/claim=1/probe/try=1"].schema
    assert ["passages", "evidence", "verdict", "confidence"] == list(schema["properties"])


def test_corpus_without_a_hit() -> None:
    """A search that finds nothing is told so, and there is nothing to cite."""

    async def nothing(*, query: str, corpus: str, k: int) -> list[Any]:
        return []

    run = play(corpus="care", world={"search": nothing})

    assert "found no passage" in run.prompt("/turn=1/researcher/claim=1/probe/try=1")
    assert separation(run).is_empty()


def test_documents(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Researcher searches a real folder; one that has changed since is refused."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "care"
    folder.mkdir()
    (folder / "care.md").write_text("# Goldfish\n\nA goldfish needs 20 gallons, a claim.\n")
    documents = {"corpus": str(folder), "passport": Corpus.read(folder).passport.sha256}

    run = play(**documents)
    assert ["care.md#p1"] == facts(run, "Probed")[0]["passages"]
    moved = maven(QUESTION, OPTIONS, corpus="care", passport=documents["passport"])
    assert {"search"} == set(moved.world(near=tmp_path))
    with pytest.raises(wb.CorpusError, match="no such folder"):
        moved.world()
    (folder / "care.md").write_text("# Goldfish\n\nA goldfish needs 30 gallons, a claim.\n")
    with pytest.raises(wb.RunFailed, match="has changed"):
        play(**documents)


def test_a_persons_number_is_no_bullet() -> None:
    """What a person types is the claim: only what a blank follows numbers a line."""
    lines = [
        "3.5 gallons are enough",
        "-5 degrees is cold",
        "0.5 % die",
        "1. a claim",
        "- b",
        "2) logical: c",
    ]
    told = [one.claim for one in questions_of("\n".join(lines))]
    assert [*lines[:3], "a claim", "b", "c"] == told


def test_a_person_as_skeptic() -> None:
    """A person sees the draft and writes a question a line, which is defended and probed."""
    shown: list[str] = []

    def person(consulted: wb.Consulted) -> str:
        shown.append(consulted.prompt)
        return "1. factual: It needs 20 gallons\n\n- Is an isopod not harder?"

    run = play(skeptic="human", human=person)

    assert "a goldfish needs 20 gallons" in shown[0]
    asked = facts(run, "Questioned")[0]
    assert "human" == asked["by"]
    assert [("factual", "It needs 20 gallons"), ("adversarial", "Is an isopod not harder?")] == [
        (q["dimension"], q["claim"]) for q in asked["questions"]
    ]
    assert 2 == len(facts(run, "Probed"))
    assert "accepted" == run.result["ended"]


def test_ablations_leave_out_one_part() -> None:
    """Each ablation lacks the asks of its part and no other."""
    every = {a.role for a in play(REJECTED).commands.values()}

    for option, role in (
        ("router", "router"),
        ("fast_proposers", "fast_proposer"),
        ("multi_proposer", "multi_proposer"),
    ):
        run = play(REJECTED, **{option: False})
        assert every - {role} == {a.role for a in run.commands.values()}
    none = play(max_iterations=0)
    loop = {"skeptic", "responder", "researcher", "judge", "reviser"}
    assert every - loop == {a.role for a in none.commands.values()}
    assert ("out_of_iterations", False) == (none.result["ended"], none.result["judged"])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"question": " "}, "blank"),
        ({"options": ("only",)}, "no choice"),
        ({"options": ("yes", "")}, "blank"),
        ({"options": tuple(map(str, range(27)))}, "26"),
        ({"proposers": 0}, "greater than"),
        ({"max_iterations": -1}, "greater than"),
        ({"accept": 6.0}, "less than"),
        ({"weights": {"factual": 0, "coherence": 0, "completeness": 0, "neutrality": 0}}, "weight"),
        ({"weights": {"beauty": 1}}, "beauty"),
        ({"skeptic": "nobody"}, "skeptic"),
    ],
)
def test_parameters(given: dict[str, Any], why: str) -> None:
    """What cannot be run is refused before a model is asked."""
    with pytest.raises(ProtocolError, match=why):
        maven(**{"question": QUESTION, "options": OPTIONS, **given})


def bounds(schema: Any) -> Iterator[int]:
    """Yield the bounds on the strings and lists of a schema; fail where one has none."""
    if isinstance(schema, dict):
        if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
            yield schema["maxLength"]
        if schema.get("type") == "array":
            yield schema["maxItems"]
        schema = list(schema.values())
    for inner in schema if isinstance(schema, list) else ():
        yield from bounds(inner)


@pytest.mark.parametrize("options", [OPTIONS, ()])
def test_schemas_are_bounded(options: tuple[str, ...]) -> None:
    """Every string and list has a bound, below the 2,000 repetitions that llama.cpp takes."""
    run = play(REJECTED, options=options, corpus="care", world={"search": found})
    schemas = {title(a): a.schema for a in run.commands.values() if isinstance(a, Asked)}

    assert 10 == len(schemas)
    assert max(bound for schema in schemas.values() for bound in bounds(schema)) < 2000


def test_steps_by_turn() -> None:
    """A session steps phase I as turn 0, then pass after pass."""
    session = wb.Session(maven(QUESTION, OPTIONS), lm=agents(REJECTED))
    ends = [getattr(session.step("turn"), "path", "the end") for _ in range(3)]

    assert ["/turn=0/synthesizer/draft", "/turn=1/reviser/draft", "the end"] == ends


def test_an_open_question_is_answered_in_words() -> None:
    """Without options an answer is a short text, compared in normal form."""

    def same(asked: Asked) -> Reply:
        if title(asked) == "Intuition":
            odd = asked.path.startswith(("/turn=0/fast_proposer=2", "/turn=0/fast_proposer=4"))
            return usual(asked) | {"answer": "A Goldfish!" if odd else "a goldfish"}
        return simple(asked)

    run = play(same, options=())

    assert ("a goldfish", 1.0) == (run.result["answer"], facts(run, "Spread")[0]["agreement"])
