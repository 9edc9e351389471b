"""The baselines: who reads what, how answers are counted, and replies that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.deliberation.answers import counted
from workbench.deliberation.baselines.answering import reply_type
from workbench.deliberation.baselines.reconcile import calibrated
from workbench.deliberation.facts import Candidate, FinalAnswer, Tally
from workbench.engine.gate import json_schema
from workbench.engine.protocol import BUILT_IN, Bound, find_protocol
from workbench.errors import CorpusError, ProtocolError, RunFailed
from workbench.record.events import Asked, Called
from workbench.record.run import Run
from workbench.testing import check_protocol

QUESTION = "Which is heavier, litre for litre?"
OPTIONS = ("iron", "gold")
NAMES = [name for name, home in BUILT_IN.items() if ".baselines." in home]
CALLS = {
    "direct": 1,
    "chain_of_thought": 1,
    "self_consistency": 5,
    "self_refine": 5,
    "multi_agent_debate": 6,
    "mixture_of_agents": 7,
    "reconcile": 12,
    "self_discover": 4,
    "react": 5,
}
"""Most model calls of a run with the default parameters, when every reply can be read."""

Override = Callable[[Asked], Any]


def made(name: str, options: tuple[str, ...] = OPTIONS, **params: Any) -> Bound[Any]:
    """Return a baseline bound to the question."""
    if name == "react":
        params.setdefault("corpus", "library")
    protocol: Any = find_protocol(name)
    bound: Bound[Any] = protocol(question=QUESTION, options=options, **params)
    return bound


def usual(asked: Asked) -> dict[str, Any]:
    """Return what an agent answers when nothing is the matter: gold, and why."""
    schema = asked.schema or {}
    given: dict[str, Any] = {
        "explanation": f"because-{asked.path.split('/')[1]}-{asked.role}",
        "answer": "B" if "enum" in schema["properties"].get("answer", {}) else "gold",
        "confidence": 90,
        "feedback": f"feedback-{asked.path.split('/')[1]}",
        "needs_change": True,
        "modules": [2, 5, 2],
        "steps": ["step-one", "step-two"],
        "thought": f"thought-{asked.path.split('/')[1]}",
        "action": "search",
        "query": f"density {asked.path.split('/')[1]}",
    }
    return {key: given[key] for key in schema["properties"]}


def agents(override: Override | None = None) -> wb.ScriptedLM:
    """Return a model that plays all agents; `override` may answer in its place."""

    def reply(asked: Asked) -> str:
        said = override(asked) if override is not None else None
        said = usual(asked) if said is None else said
        return said if isinstance(said, str) else json.dumps(said)

    return wb.ScriptedLM(reply)


async def found(*, query: str, corpus: str, k: int) -> list[dict[str, Any]]:
    """Search nothing and find the same passage each time, and one of the query's own."""
    return [
        {"passage": "metals.md#p1", "text": "passage of metals"},
        {"passage": f"metals.md#{query.rpartition('=')[2]}", "text": f"passage of {query}"},
    ]


def play(name: str, override: Override | None = None, **params: Any) -> Run:
    """Run a baseline with scripted agents."""
    return wb.run_sync(made(name, **params), lm=agents(override), world={"search": found})


def asks(run: Run) -> list[Asked]:
    """Return a run's asks in causal order."""
    return [e for e in run.by_path() if isinstance(e, Asked)]


def sources(run: Run, path: str) -> set[str]:
    """Return the sources of a prompt's parts."""
    asked = run[path]
    assert isinstance(asked, Asked)
    return {part.source for part in asked.parts if part.source is not None}


def turns(run: Run) -> list[str]:
    """Return the turns that a run had."""
    return sorted({path.split("/")[1].removeprefix("turn=") for path in run.answers})


def answers(by: dict[str, Any]) -> Override:
    """Return a script of answers by agent (letter, or letter and confidence)."""

    def reply(asked: Asked) -> dict[str, Any] | None:
        if asked.role not in by or "answer" not in (asked.schema or {})["properties"]:
            return None
        said = by[asked.role]
        letter, sure = said if isinstance(said, tuple) else (said, 50)
        given = {"answer": letter, "explanation": f"why {letter}", "confidence": sure}
        return {key: given[key] for key in (asked.schema or {})["properties"]}

    return reply


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [(), OPTIONS], ids=["open", "choice"])
def test_the_contract_of_protocols(name: str, options: tuple[str, ...]) -> None:
    """Every baseline resumes, replays and forks, with made-up replies and with sensible ones."""
    for lm in (None, agents()):
        run = check_protocol(made(name, options), lm=lm, world={"search": found}, seeds=(0,))
        assert 1 == len(run.facts_of("FinalAnswer"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [(), OPTIONS], ids=["open", "choice"])
def test_an_answer_with_its_explanation(name: str, options: tuple[str, ...]) -> None:
    """Each ends in the fact that its result is, drawn from what was posted before."""
    run = play(name, options=options)
    (posted,) = run.facts_of("FinalAnswer")
    final = FinalAnswer.read(posted)

    assert run.result == final.data()
    assert ("B" if options else "gold") == final.answer
    assert final.explanation.startswith("because-")
    assert final.how
    assert "/final" == posted.path
    assert set(posted.sources) <= set(run.facts)
    assert Candidate.read(run.facts[posted.sources[-1]]).explanation == final.explanation


@pytest.mark.parametrize("name", NAMES)
def test_calls(name: str) -> None:
    """What a run costs in calls is as written, and nothing is asked in vain."""
    run = play(name, answers({f"agent_{k}": "AB"[k % 2] for k in range(4)}))

    assert CALLS[name] == run.usage.calls


@pytest.mark.parametrize("name", NAMES)
def test_prompts_begin_alike(name: str) -> None:
    """The charge and the question with lettered options come first, for all agents of all runs."""
    for asked in asks(play(name)):
        assert "system" == asked.parts[0].speaker
        assert asks(play("direct"))[0].parts[:2] == asked.parts[:2]
        assert f"Question: {QUESTION}\nA. iron\nB. gold" == asked.parts[1].text


@pytest.mark.parametrize("name", NAMES)
def test_every_quoted_text_has_its_source(name: str) -> None:
    """What an agent or a passage said stands in prompts with its source, never as our own."""
    run = play(name)

    for asked in asks(run):
        for part in asked.parts:
            for word in ("because-", "feedback-", "step-one", "thought-", "passage of"):
                assert part.source is not None or word not in part.text
            if part.source is not None and part.source.startswith("/"):
                assert part.source in run.derived


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_bounded(name: str) -> None:
    """Every text and list that a model is asked for has a bound, for one that runs on."""

    def check(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "string" and "enum" not in node and "const" not in node:
                assert node["maxLength"] < 2000  # what llama.cpp's grammars can count
            if node.get("type") == "array":
                assert node["maxItems"] <= 10
            for below in node.values():
                check(below)
        elif isinstance(node, list):
            for below in node:
                check(below)

    for asked in asks(play(name, options=())):
        check(asked.schema)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_can_be_read(name: str) -> None:
    """With no readable reply at all, the run ends with an answer of None and says why."""
    run = play(name, lambda asked: "no JSON here")

    assert "complete" == run.status
    assert run.result["answer"] is None
    assert "" == run.result["explanation"]
    assert "could be read" in run.result["how"]
    assert wb.verify(run)


@pytest.mark.parametrize("name", NAMES)
def test_a_letter_beyond_the_options_is_asked_again(name: str) -> None:
    """An answer that is no option does not pass the gate."""

    def odd(asked: Asked) -> Any:
        has = "answer" in (asked.schema or {})["properties"]
        return {**usual(asked), "answer": "C"} if has and asked.path.endswith("try=1") else None

    run = play(name, odd)
    assert "B" == run.result["answer"]
    assert {2} == {g.data["attempts"] for g in run.facts_of("Gated") if "answer" in g.path}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"options": ("one",)}, "nothing to choose"),
        ({"options": [str(n) for n in range(27)]}, "at most 26"),
        ({"options": ("a", " ")}, "must not be blank"),
        ({"words": 0}, "greater than or equal to 1"),
    ],
)
def test_bad_parameters(name: str, params: dict[str, Any], why: str) -> None:
    """What cannot be asked is refused before anything is."""
    with pytest.raises(ProtocolError, match=why):
        made(name, **params)


def test_a_blank_question() -> None:
    """A question that says nothing is refused."""
    with pytest.raises(ProtocolError, match="must not be blank"):
        wb.direct(question=" ")


def test_direct_answers_before_it_explains() -> None:
    """The schema has the answer first, where a chain of thought has it last."""
    direct = json_schema(reply_type("AB", "answer first", 10, confidence=False))
    thought = json_schema(reply_type("AB", "explanation first", 10, confidence=True))

    assert ["answer", "explanation"] == list(direct["properties"])
    assert ["explanation", "answer", "confidence"] == list(thought["properties"])
    assert ["answer", "explanation"] == list((asks(play("direct"))[0].schema or {})["properties"])
    order = list((asks(play("chain_of_thought"))[0].schema or {})["properties"])
    assert ["explanation", "answer"] == order


def test_samples_read_nobody() -> None:
    """The chains of self-consistency are draws of one prompt, made at the same time."""
    run = play("self_consistency", n=3)

    assert 1 == len({asked.parts for asked in asks(run)})
    assert 1 == len({asked.clock for asked in asks(run)})
    assert 3 == len({asked.sampling.seed for asked in asks(run)})


@pytest.mark.parametrize(
    ("by", "answer", "weights", "tied", "unread"),
    [
        ({"sample_1": "A"}, "B", {"A": 1, "B": 2}, False, 0),
        ({"sample_1": "A", "sample_2": "A"}, "A", {"A": 2, "B": 1}, False, 0),
    ],
)
def test_a_majority(
    by: dict[str, Any], answer: str, weights: dict[str, int], tied: bool, unread: int
) -> None:
    """The answer with most votes is the run's, with the explanation of the first who gave it."""
    run = play("self_consistency", answers(by), n=3)
    tally = Tally.read(run.facts["/vote"])

    assert (weights, answer, tied, unread) == (
        tally.weights,
        tally.chosen,
        tally.tied,
        tally.unread,
    )
    assert answer == run.result["answer"]


def test_a_tie_is_told() -> None:
    """Of answers with as many votes the first is taken, and it is told that they were tied."""
    run = play("self_consistency", answers({"sample_1": "A"}), n=2)

    assert ("A", True) == (run.result["answer"], run.facts["/vote"].data["tied"])
    assert "majority vote: 1 of 2, tied" == run.result["how"]


def test_who_cannot_be_read_has_no_vote() -> None:
    """A candidate without an answer is counted as unread, and no answer is put in its place."""
    run = play("self_consistency", lambda a: "?" if a.role == "sample_1" else None, n=3)

    assert {"B": 2} == run.facts["/vote"].data["weights"]
    assert 1 == run.facts["/vote"].data["unread"]
    assert "majority vote: 2 of 2, 1 unread" == run.result["how"]
    assert run.facts["/turn=1/sample_1/candidate"].data["answer"] is None


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        ([" New  York. ", "new york", "New York, USA"], 2),
        (["Paris", "Paris, France"], 2),
        (["$18", "18", "18 dollars", "18.00 USD"], 1),
        (["18", "18 eggs", "$18"], 3),
        (["18", "18 eggs", "18 egg", "I do not know"], 2),
        (["3", "3 million", "3m", "3rd", "3 pm"], 5),
        (["1,018", "1018", "1.018", "1,01"], 3),
        (["-5", "5", "\u22125"], 2),
        (["50 %", "50 percent", "50", "0.5"], 2),
        (["C", "C#", "C++"], 3),
        (["3/4", "3", "12:30", "12.30"], 4),
        (["2\u00b2", "22", "2"], 3),
        (["$5 €", "5", "$5"], 2),
        ([".5", "5", "0.5", "$.50"], 2),
        (["\u20135", "\u20115", "5", "-5"], 2),
        (["3 millions", "3", "3 million"], 3),
        (["18 dozens", "18", "2 thirds", "2", "2 lakh"], 5),
        (["6'", '6"', "6 inches", "6 feet", "6 inch"], 2),
        (["5 \u2030", "5 %", "5"], 3),
        (["Coca\u2011Cola", "coca-cola"], 1),
        (["12 inches", "12", "12 inch"], 1),
        (["2", "2\u03c0", "2 pi", "2x", "2i"], 5),
        (["5", "5 mil", "5 eighths", "5 squared", "5th"], 5),
        (["-$5", "$-5", "5", "+5"], 2),
        (["5 kg", "5"], 1),
        (["12 months", "12", "12.0 month"], 1),
        (["5 mg", "5.0 mg", "10 lb", "10 lbs"], 2),
        (["2(x+3)", "2x+3", "(2(x + 3))."], 2),
        (["(x+1)/2", "x+1/2"], 2),
        (["[0, 1)", "(0, 1]"], 2),
        (["[0,1]", "(0,1)"], 2),
        (["(2, x)", "(2x)", "(2; x)"], 2),
        (["f'(x)", "f(x)"], 2),
        (["x \u2022 y", "x y"], 2),
        (["\u2013x", "x", "- x"], 2),
        (["y = \u2013x", "y = x"], 2),
        (["- sin x", "sin x"], 2),
        (["O\u2013", "O", "O\u2212", "O-"], 2),
        (["x \u2212 3", "x - 3", "x \u2013 3"], 1),
        (["1990\u20131995", "1990-1995"], 1),
        (["- Paris", "Paris", "**Paris**", "\u201cParis\u201d.", "(Paris)", "\u2022 Paris"], 1),
        (["(B) gold", "B. gold", "B) gold"], 1),
        (["October 5, 1990", "October 5 1990"], 1),
        (["7 hundredths", "7", "7 thousandths", "7 millionths", "7 tens", "7 grand"], 6),
        (["5!", "5 factorial", "5"], 3),
        (["5 alpha", "5", "5.0"], 2),
        (["18 people", "18"], 1),
        (["1/2", "0.5", "2/4"], 1),
        (["6/8", "3/4"], 2),
        (["$18$", "18", "\\(18\\)", "$$18$$"], 1),
        (["2\u207f", "2n", "2^n"], 2),
        (["\\$18", "18", "$18"], 1),
        (["20\\%", "20%"], 1),
        (["McDonald's", '"McDonald\'s"', "\u201cMcDonald\u2019s\u201d"], 1),
        (["5' 3\"", "5'3\""], 1),
        (["60 mph", "60"], 1),
        (["45 min", "45"], 1),
    ],
)
def test_wordings_that_count_as_one(answers: list[str], groups: int) -> None:
    """Case, spaces, a full stop and an amount's spelling make no other answer; more words do."""
    assert groups == len(set(counted(answers)))


@pytest.mark.parametrize("order", list(permutations(["$18", "18", "18 dollars", "20"])))
def test_amounts_in_a_vote(order: tuple[str, ...]) -> None:
    """An amount has its votes however it is written, and whoever says it first."""
    by = {f"sample_{k}": answer for k, answer in enumerate(order, 1)}
    run = play("self_consistency", answers(by), n=4, options=())

    assert "majority vote: 3 of 4" == run.result["how"]


def test_debaters_read_each_other() -> None:
    """In the second round each reads all answers of the first, its own as its own."""
    run = play("multi_agent_debate")

    assert set() == sources(run, "/turn=1/debater_2/answer/try=1")
    all_of_them = {f"/turn=1/debater_{k}/candidate" for k in (1, 2, 3)}
    assert all_of_them == sources(run, "/turn=2/debater_2/answer/try=1")
    prompt = run.prompt("/turn=2/debater_2/answer/try=1")
    assert "You answered: B\nbecause-turn=1-debater_2" in prompt
    assert "Agent debater_1 answered: B" in prompt
    assert "Agent debater_2" not in prompt


def test_layers_of_a_mixture() -> None:
    """Each layer reads the whole layer before, by number alone, and the aggregator the last."""
    run = play("mixture_of_agents")

    for reader in ("/turn=2/proposer_1", "/turn=3/aggregator"):
        turn = int(reader[6]) - 1
        expected = {f"/turn={turn}/proposer_{k}/candidate" for k in (1, 2, 3)}
        assert expected == sources(run, f"{reader}/answer/try=1")
        assert "proposer_1 answered" not in run.prompt(f"{reader}/answer/try=1")
    assert "because-turn=3-aggregator" == run.result["explanation"]


def test_a_round_table_ends_when_it_agrees() -> None:
    """Agents that agree do not discuss; others discuss as long as they may."""
    assert 3 == play("reconcile").usage.calls
    split = play("reconcile", answers({"agent_1": "A"}), rounds=2)
    assert ["1", "2", "3"] == turns(split)
    assert 3 == play("reconcile", answers({"agent_1": "A"}), rounds=0).usage.calls


def test_an_agent_that_cannot_be_read_does_not_agree() -> None:
    """Consensus is among all; silence is none."""
    run = play("reconcile", lambda a: "?" if a.role == "agent_1" else None, rounds=1)

    assert ["1", "2"] == turns(run)
    assert "(none that could be read)" in run.prompt("/turn=2/agent_2/answer/try=1")


def test_a_vote_by_confidence() -> None:
    """One that is sure outweighs two that are not, and its explanation is told."""
    by = {"agent_1": ("B", 60), "agent_2": ("A", 100), "agent_3": ("B", 79)}
    run = play("reconcile", answers(by), rounds=0)

    assert {"B": 0.4, "A": 1.0} == pytest.approx(run.facts["/vote"].data["weights"])
    assert ("A", "why A") == (run.result["answer"], run.result["explanation"])
    assert "confidence" == run.facts["/vote"].data["by"]
    back = play("reconcile", answers({**by, "agent_2": ("A", 79)}), rounds=0)
    assert ("B", "why B") == (back.result["answer"], back.result["explanation"])


def test_a_tie_of_weights() -> None:
    """Weights that only rounding tells apart are tied."""
    by = {"agent_1": ("A", 70), **{f"agent_{k}": ("B", 10) for k in (2, 3, 4)}}
    run = play("reconcile", answers(by), agents=4, rounds=0)

    assert {"A": 0.3, "B": 0.3} == run.facts["/vote"].data["weights"]
    assert ("A", True) == (run.result["answer"], run.facts["/vote"].data["tied"])


def test_calibration_only_grows() -> None:
    """More confidence never weighs less."""
    weights = [calibrated(percent) for percent in range(101)]

    assert sorted(weights) == weights
    assert [0.1, 1.0] == [weights[0], weights[100]]


def test_feedback_that_asks_for_no_change_ends_it() -> None:
    """A solver whose critic is content keeps its answer."""
    run = play(
        "self_refine",
        lambda a: {"feedback": "fine", "needs_change": False} if a.role == "critic" else None,
    )

    assert 2 == run.usage.calls
    assert "self-refine: nothing to change in round 1" == run.result["how"]
    assert "because-turn=1-solver" == run.result["explanation"]
    assert run.facts["/turn=2/critic/critique"].data["passed"]


def test_a_refinement_reads_answer_and_feedback() -> None:
    """The critic reads the answer; the solver both; the last answer is the run's."""
    run = play("self_refine")

    assert {"/turn=2/solver/candidate"} == sources(run, "/turn=3/critic/feedback/try=1")
    read = {"/turn=2/solver/candidate", "/turn=3/critic/critique"}
    assert read == sources(run, "/turn=3/solver/answer/try=1")
    assert "because-turn=3-solver" == run.result["explanation"]


@pytest.mark.parametrize(
    ("role", "how"),
    [
        ("critic", "self-refine: unreadable feedback in round 1"),
        ("solver", "self-refine: unreadable refinement in round 1"),
    ],
)
def test_a_round_that_cannot_be_read(role: str, how: str) -> None:
    """The last answer that could be read stands, and it is told why."""
    run = play("self_refine", lambda a: "?" if a.role == role and "/turn=2/" in a.path else None)

    assert (how, "because-turn=1-solver") == (run.result["how"], run.result["explanation"])


def test_a_discovered_plan_is_followed() -> None:
    """Select, adapt and implement read one another; the solver reads the plan alone."""
    run = play("self_discover")
    structure = run.facts["/turn=1/planner/structure"].data

    assert 2 == len(structure["modules"])
    assert ["step-one", "step-two"] == structure["steps"]
    assert {"/turn=1/planner/select/try=1"} == sources(run, "/turn=1/planner/adapt/try=1")
    assert {"/turn=1/planner/adapt/try=1"} == sources(run, "/turn=1/planner/implement/try=1")
    assert {"/turn=1/planner/structure"} == sources(run, "/turn=2/solver/answer/try=1")
    assert "1. step-one\n2. step-two" in run.prompt("/turn=2/solver/answer/try=1")


@pytest.mark.parametrize("stage", ["select", "adapt", "implement"])
def test_a_stage_that_cannot_be_read(stage: str) -> None:
    """The next stage goes on without it; without a plan it is a chain of thought, and told."""
    run = play("self_discover", lambda a: "?" if f"/{stage}/" in a.path else None)
    structure = run.facts["/turn=1/planner/structure"].data

    empty = {"select": "modules", "adapt": "adapted", "implement": "steps"}[stage]
    assert [] == structure[empty]
    assert "B" == run.result["answer"]
    assert ("no plan" in run.result["how"]) == (stage == "implement")


def test_thoughts_and_searches() -> None:
    """Each step reads what was found before; a passage is shown once, with its id as source."""
    run = play("react", steps=2)
    called = [e for e in run.by_path() if isinstance(e, Called)]

    assert [("density turn=1", "library", 2), ("density turn=2", "library", 2)] == [
        (e.args["query"], e.args["corpus"], e.args["k"]) for e in called
    ]
    assert {
        "metals.md#p1",
        "metals.md#1",
        "metals.md#2",
        "/turn=1/solver/thought",
        "/turn=2/solver/thought",
    } == sources(run, "/turn=3/solver/answer/try=1")
    assert 1 == run.prompt("/turn=3/solver/answer/try=1").count("[metals.md#p1]")
    assert "ReAct, 2 searches: all searches used" == run.result["how"]


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ({"action": "finish", "query": ""}, "ReAct, 0 searches: finished"),
        ({"action": "search", "query": " "}, "ReAct, 0 searches: a blank query"),
        ({"action": "search", "query": "Gold"}, "ReAct, 1 searches: a query was repeated"),
    ],
)
def test_what_ends_the_search(said: dict[str, str], how: str) -> None:
    """A finish, a blank query and a query that was tried before end the search."""

    def acts(asked: Asked) -> Any:
        return {"thought": "t", **said} if "/act/" in asked.path else None

    assert how == play("react", acts).result["how"]


def test_a_search_that_finds_nothing_new() -> None:
    """Nothing found is told to the agent, with the call as its source."""
    lm = agents()

    async def nothing(*, query: str, corpus: str, k: int) -> list[Any]:
        return []

    run = wb.run_sync(made("react", steps=1), lm=lm, world={"search": nothing})
    assert "/turn=1/solver/search" in sources(run, "/turn=2/solver/answer/try=1")
    assert "found nothing new" in run.prompt("/turn=2/solver/answer/try=1")


def test_react_searches_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own world is the corpus of the folder; one that has changed is refused."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "metals.md").write_text("# Metals\n\nThe density of gold is 19 kilograms a litre.\n")
    passport = wb.Corpus.read(folder).passport.sha256
    bound = wb.react(question=QUESTION, options=OPTIONS, corpus=str(folder), passport=passport)

    run = wb.run_sync(bound, lm=agents())
    assert "metals.md#p1" in sources(run, f"/turn={len(turns(run))}/solver/answer/try=1")
    (folder / "metals.md").write_text("# Metals\n\nThe density of gold is unknown.\n")
    with pytest.raises(RunFailed, match="has changed since this run began") as stopped:
        wb.run_sync(bound, lm=agents())
    assert isinstance(stopped.value.__cause__, CorpusError | type(None))


@pytest.mark.parametrize("name", ["multi_agent_debate", "mixture_of_agents", "reconcile"])
def test_tables_see_who_read_whom(name: str) -> None:
    """The table of edges has an edge from each agent to each that reads it."""
    edges = wb.tables(play(name, answers({"agent_1": "A"}))).edges.to_dicts()

    assert len({(e["source"], e["target"]) for e in edges if e["kind"] == "read"}) >= 9
