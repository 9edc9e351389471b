"""Replies that are broken or contradict themselves: each has an outcome that the run tells of."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.deliberation.maven.scripts import (
    Override,
    Reply,
    facts,
    garbled,
    judging,
    play,
    title,
    usual,
)
from workbench.deliberation.maven.separation import separation
from workbench.record.events import Asked
from workbench.record.run import Run


def missing(run: Run) -> list[tuple[str, str, str]]:
    """Return who could not be read, in what, and what was done instead."""
    return [(m["author"], m["what"], m["instead"]) for m in facts(run, "Missing")]


def ending(run: Run) -> tuple[str, str | None]:
    """Return why a run ended, and its answer; it replays, and keeps its separations."""
    assert "complete" == run.status
    assert wb.verify(run)
    assert separation(run).is_empty()
    assert run.result["ended"] == run.facts["/concluded"].data["ended"]
    return run.result["ended"], run.result["answer"]


def rated(verdict: str, **scores: int) -> Override:
    """Return an override whose first verdict has these scores; then all is accepted."""

    def reply(asked: Asked) -> Reply:
        if title(asked) == "Judgement" and "turn=1" in asked.path:
            return usual(asked, verdict=verdict) | scores
        return None

    return reply


@pytest.mark.parametrize(
    ("scores", "mean"),
    [
        ({"factual": 3}, 4.5),  # the mean is met, the factual score is not
        ({"factual": 4, "coherence": 4, "neutrality": 3}, 4.0),
        (dict.fromkeys(("factual", "coherence", "completeness", "neutrality"), 1), 1.0),
    ],
)
def test_an_accept_below_the_thresholds(scores: dict[str, int], mean: float) -> None:
    """A Judge that accepts what its own scores do not is overruled to a reject."""
    run = play(rated("accept", **scores))
    first = facts(run, "Judged")[0]

    assert mean == first["score"]
    assert ("accept", "reject", True, "accepts_below_thresholds") == tuple(
        first[name] for name in ("said", "verdict", "overruled", "contradiction")
    )
    assert "too low to accept" in run.prompt("/turn=1/reviser/revision/try=1")
    assert ("accepted", "A") == ending(run)
    assert 2 == run.result["iterations"]


@pytest.mark.parametrize("scores", [{"coherence": 2}, {"factual": 4, "neutrality": 4}])
def test_an_accept_at_the_thresholds(scores: dict[str, int]) -> None:
    """A mean of at least 4.2 and a factual score of at least 4 are enough."""
    run = play(rated("accept", **scores))

    assert [("accept", "", False)] == [
        (j["verdict"], j["contradiction"], j["overruled"]) for j in facts(run, "Judged")
    ]


def refuting(verdict: str) -> Override:
    """Return a script whose Researcher refutes, and whose Judge rates all with 5."""
    rate = rated(verdict)

    def reply(asked: Asked) -> Any:
        if asked.role == "researcher" and "verdict" in (asked.schema or {}).get("properties", {}):
            return {"evidence": "It is known not to be so.", "verdict": "refuted", "confidence": 90}
        return rate(asked)

    return reply


def test_an_accept_against_the_evidence() -> None:
    """Full marks for facts although a claim is refuted: the accept is not silent."""
    run = play(refuting("accept"), max_iterations=1)
    (first,) = facts(run, "Judged")

    assert {"refuted"} == {one["verdict"] for one in facts(run, "Probed")}
    assert ("accept", "accept", False, "accepts_refuted", 5) == tuple(
        first[name] for name in ("said", "verdict", "overruled", "contradiction", "factual")
    )

    loose = play(refuting("accept"), max_iterations=1, factual=3.0)
    assert [""] == [one["contradiction"] for one in facts(loose, "Judged")]


@pytest.mark.parametrize("verdict", ["reject", "replan"])
def test_a_reject_above_the_thresholds(verdict: str) -> None:
    """Of two contradicting signals the more cautious holds, and the contradiction is told."""
    run = play(rated(verdict))
    first = facts(run, "Judged")[0]

    assert (verdict, verdict, False, "rejects_above_thresholds") == tuple(
        first[name] for name in ("said", "verdict", "overruled", "contradiction")
    )
    assert ("accepted", "A") == ending(run)


def test_weights_and_thresholds() -> None:
    """The weights make the mean, and the thresholds are parameters."""
    weights = {"factual": 3, "coherence": 1, "completeness": 0, "neutrality": 0}
    scores = {"factual": 5, "coherence": 1, "completeness": 1, "neutrality": 1}

    run = play(rated("accept", **scores), weights=weights, accept=4.0)
    assert [4.0] == [judged["score"] for judged in facts(run, "Judged")]
    run = play(rated("accept", **scores), accept=1.0, factual=5.0)
    assert [2.0] == [judged["score"] for judged in facts(run, "Judged")]


def test_scores_out_of_range() -> None:
    """A score beyond 5 is asked for again, and not brought into range."""

    def six(asked: Asked) -> Reply:
        if title(asked) == "Judgement" and asked.path.endswith("try=1"):
            return usual(asked) | {"factual": 6}
        return None

    run = play(six)

    assert 2 == run.facts["/turn=1/judge/judgement/gate"].data["attempts"]
    assert ("accepted", "A") == ending(run)


def test_a_verdict_that_cannot_be_read() -> None:
    """It is a reject: the draft is revised by the evidence, and never accepted."""
    run = play(garbled("Judgement"))

    assert [(None, "reject", None)] * 3 == [
        (j["said"], j["verdict"], j["score"]) for j in facts(run, "Judged")
    ]
    assert [("judge", "verdict", "the draft is rejected")] * 3 == missing(run)
    assert "could not be read" in run.prompt("/turn=1/reviser/revision/try=1")
    assert ("out_of_iterations", "A") == ending(run)
    assert not run.result["judged"]


@pytest.mark.parametrize("reply", ['{"questions": []}', "None."])
def test_a_skeptic_with_no_question(reply: str) -> None:
    """Nothing is examined, so that an accept is overruled, whatever the scores are."""
    run = play(lambda asked: reply if title(asked) == "Doubts" else None)

    assert [("unparsed", [])] * 3 == [(q["by"], q["questions"]) for q in facts(run, "Questioned")]
    assert not {"responder", "researcher"} & {a.role for a in run.commands.values()}
    assert [("accept", "reject", "accepts_unexamined", False)] * 3 == [
        (j["said"], j["verdict"], j["contradiction"], j["examined"]) for j in facts(run, "Judged")
    ]
    assert "no claim of this draft was examined" in run.prompt("/turn=1/judge/judgement/try=1")
    assert ("out_of_iterations", "A") == ending(run)


@pytest.mark.parametrize("said", ["", "  \n \n", "-\n*", "factual:"])
def test_a_person_with_no_question(said: str) -> None:
    """A person who doubts nothing leaves the draft unexamined."""
    run = play(skeptic="human", human=lambda consulted: said)

    assert [("human", [])] * 3 == [(q["by"], q["questions"]) for q in facts(run, "Questioned")]
    assert "out_of_iterations" == ending(run)[0]


def test_a_skeptic_that_asks_too_much() -> None:
    """More questions than it may have are asked for again."""

    def many(asked: Asked) -> Reply:
        if title(asked) != "Doubts":
            return None
        said = usual(asked)
        return {"questions": said["questions"] * (2 if asked.path.endswith("try=1") else 1)}

    run = play(many)

    assert 2 == run.facts["/turn=1/skeptic/attack/gate"].data["attempts"]
    assert 3 == len(facts(run, "Questioned")[0]["questions"])


@pytest.mark.parametrize("reply", ['{"contradictions": [], "verifications": [], "steps": []}', "?"])
def test_an_empty_plan(reply: str) -> None:
    """There is no answer without a plan: the run ends under that name."""
    run = play(lambda asked: reply if title(asked) == "Plan" else None)

    assert ("no_plan", None) == ending(run)
    assert [("planner", "plan", "the run ends (no_plan)")] == missing(run)
    assert "no plan" == run.facts["/final"].data["how"]


def test_a_replan_that_fails() -> None:
    """The run ends with the last draft there was, under the name of the failure."""

    def fails(asked: Asked) -> Reply:
        if "turn=1/planner" in asked.path:
            return "?"
        return judging("replan")(asked)

    run = play(fails)

    assert ("no_plan", "A") == ending(run)
    assert "/turn=0/synthesizer/draft" == run.facts["/concluded"].data["draft"]
    assert not any(asked.role == "stylist" for asked in run.commands.values())


@pytest.mark.parametrize("fast", [False, True])
def test_all_proposers_malformed(*, fast: bool) -> None:
    """With no intuition at all the run ends under that name, on either path."""

    def reply(asked: Asked) -> Reply:
        if title(asked) == "Complexity":
            return {"reason": "r", "complexity": 1 if fast else 9}
        return garbled("Intuition")(asked)

    run = play(reply)

    assert ("no_intuitions", None) == ending(run)
    assert 5 == len(missing(run))
    assert (0, 5, None, None) == tuple(
        run.facts["/turn=0/spread"].data[n] for n in ("n", "asked", "leading", "answer_variance")
    )


def test_some_proposers_malformed() -> None:
    """The others make up R, and the spread says how many there were."""
    run = play(
        lambda a: (
            "?"
            if a.path.startswith(("/turn=0/fast_proposer=1", "/turn=0/fast_proposer=4"))
            else None
        )
    )

    assert (3, 5) == tuple(run.facts["/turn=0/spread"].data[n] for n in ("n", "asked"))
    assert [2, 3, 5] == [one["number"] for one in facts(run, "Intuited")]
    assert ("accepted", "A") == ending(run)


@pytest.mark.parametrize("h", [-1, 21, 2.5, "many", None, True])
def test_a_router_answer_out_of_range(h: object) -> None:
    """What is no complexity is asked again and then takes the full path."""
    run = play(lambda a: {"reason": "r", "complexity": h} if title(a) == "Complexity" else None)

    assert [(None, "full", "unparsed")] == [
        (r["h"], r["path"], r["by"]) for r in facts(run, "Routed")
    ]
    assert [("router", "complexity", "the full path is taken")] == missing(run)
    assert ("accepted", "A") == ending(run)


def test_an_answer_that_is_no_option() -> None:
    """An option that is not there is asked again; a FastProposer that insists is left out."""

    def reply(asked: Asked) -> Reply:
        if asked.path.startswith("/turn=0/fast_proposer=1"):
            return usual(asked) | {"answer": "D"}
        return None

    run = play(reply)

    assert 3 == run.facts["/turn=0/fast_proposer=1/answer/gate"].data["attempts"]
    assert 4 == run.facts["/turn=0/spread"].data["n"]


def test_drafts_that_cannot_be_read() -> None:
    """Some lenses: the others go on. All: no draft. The Synthesizer: the first lens stands in."""
    some = play(lambda asked: "?" if "lens=general" in asked.path else None)
    assert ["critical", "data"] == [d["lens"] for d in facts(some, "Drafted")]
    assert ("accepted", "A") == ending(some)

    none = play(lambda asked: "?" if "lens=" in asked.path else None)
    assert ("no_draft", None) == ending(none)

    alone = play(lambda asked: "?" if asked.role == "synthesizer" else None)
    made = facts(alone, "DraftMade")[0]
    general = alone.facts["/turn=0/multi_proposer/lens=general/drafted"].data
    assert ("multi_proposer", general["text"]) == (made["author"], made["text"])
    assert ("accepted", "A") == ending(alone)

    neither = play(lambda asked: "?" if asked.role == "synthesizer" else None, multi_proposer=False)
    assert ("no_draft", None) == ending(neither)


def test_a_responder_that_cannot_be_read() -> None:
    """There is nothing to contrast, and the findings stand as they were probed."""
    run = play(garbled("Defence"))

    assert {(0.7, None)} == {
        (f["confidence"], f["agreement"]) for f in facts(run, "EvidenceReported")[0]["findings"]
    }
    assert not any("contrast" in path for path in run.commands)
    assert ("accepted", "A") == ending(run)


def test_a_contrast_that_cannot_be_read() -> None:
    """The findings stand as they were probed."""
    run = play(garbled("Comparisons"))

    assert {(0.7, None)} == {
        (f["confidence"], f["agreement"]) for f in facts(run, "EvidenceReported")[0]["findings"]
    }
    assert ("accepted", "A") == ending(run)


def test_probes_that_cannot_be_read() -> None:
    """Such a claim is in no report and not in K; with none examined nothing is accepted."""
    run = play(lambda asked: "?" if "claim=2/" in asked.path else None)
    assert 2 == len(facts(run, "EvidenceReported")[0]["findings"])
    assert ("accepted", "A") == ending(run)

    run = play(garbled("Probe"))
    assert {"accepts_unexamined"} == {j["contradiction"] for j in facts(run, "Judged")}
    assert not any("contrast" in path for path in run.commands)
    assert "out_of_iterations" == ending(run)[0]


def test_a_revision_that_cannot_be_read() -> None:
    """The draft stays as it is, and goes into the next iteration."""

    def reply(asked: Asked) -> Reply:
        return "?" if asked.role == "reviser" else judging("reject", "accept")(asked)

    run = play(reply)

    assert 1 == len(facts(run, "DraftMade"))
    assert [0, 0] == [judged["draft"] for judged in facts(run, "Judged")]
    assert ("accepted", "A") == ending(run)
    assert run.result["judged"]


def test_a_last_revision_that_cannot_be_read() -> None:
    """The draft that was rejected is what there is; it is told as judged, and not as accepted."""

    def reply(asked: Asked) -> Reply:
        return "?" if asked.role == "reviser" else judging("reject")(asked)

    run = play(reply, max_iterations=1)

    assert ("out_of_iterations", "A") == ending(run)
    assert run.result["judged"]


def test_replies_that_were_cut_off() -> None:
    """A reply that stopped at the token limit is a structural failure, and is asked again."""

    def reply(asked: Asked) -> Any:
        import json

        text = json.dumps(usual(asked))
        cut = asked.role == "planner" and asked.path.endswith("try=1")
        stop = "length" if cut else "stop"
        return wb.Answered(path=asked.path, text=text, finish_reason=stop)

    from tests.deliberation.maven.scripts import OPTIONS, QUESTION
    from workbench.deliberation.maven.maven import maven

    run = wb.run_sync(maven(QUESTION, OPTIONS), lm=wb.ScriptedLM(reply))

    assert 2 == run.facts["/turn=0/planner/plan/gate"].data["attempts"]
    assert ("accepted", "A") == ending(run)


def test_overlooked_contradictions() -> None:
    """A Planner that finds no contradiction where the intuitions differ is told of."""

    def reply(asked: Asked) -> Reply:
        if asked.path.startswith("/turn=0/fast_proposer=1"):
            return usual(asked) | {"answer": "B"}
        return usual(asked) | {"contradictions": []} if title(asked) == "Plan" else None

    assert [True] == [plan["overlooked"] for plan in facts(play(reply), "Planned")]
    assert [False] == [plan["overlooked"] for plan in facts(play(), "Planned")]
