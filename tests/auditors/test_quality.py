"""The quality judge: what it does not know, both readings, and what is left unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.auditors.answers import NAME, panels, unnamed
from workbench.auditors.preference import Preferred
from workbench.auditors.quality import QualityScored
from workbench.auditors.rubrics import METRICS, RUBRICS
from workbench.errors import RunError
from workbench.record.events import Asked
from workbench.record.run import Run
from workbench.testing import check_protocol, imagined

OPTIONS = ("iron", "gold")
WORDS = {"direct": "plain", "vote:n=3": "as sample_1 told the vote", "debate": "sharp"}
Reply = Callable[[Asked], Any]


def answered(said: str | None, question: str = "Which is heavier?", method: Any = None) -> Run:
    """Return a run that answers gold with this explanation; None: an answer is not readable."""
    text = json.dumps({"explanation": said, "answer": "B"}) if said else "?"
    bound = (method or wb.direct)(question=question, options=OPTIONS)
    return wb.run_sync(bound, lm=wb.ScriptedLM(lambda asked: text))


def given(*methods: str, questions: int = 1) -> dict[str, list[Run]]:
    """Return runs of methods, by name, whose explanations can be told apart."""
    asked = [f"Which is heavier, {n}?" for n in range(questions)]
    made = {"vote:n=3": wb.self_consistency, "debate": wb.multi_agent_debate}
    return {m: [answered(WORDS[m], q, made.get(m)) for q in asked] for m in methods}


def judge(reply: Reply) -> wb.ScriptedLM:
    """Return a judge that says what `reply` says."""

    def said(asked: Asked) -> str:
        told = reply(asked)
        return told if isinstance(told, str) else json.dumps(told)

    return wb.ScriptedLM(said, name="judge")


def places(asked: Asked) -> list[str]:
    """Return the answers that a judge is shown, in their order."""
    return [part.text for part in asked.parts if part.source is not None]


def by_words(asked: Asked) -> dict[str, Any]:
    """Score as many points as the text has letters, for each criterion one more."""
    keys = list(next(iter((asked.schema or {})["properties"].values()))["properties"])
    return {
        f"answer_{n}": {
            k: "why" if k == "reason" else len(text) + list(RUBRICS).index(k) for k in keys
        }
        for n, text in enumerate(places(asked), 1)
    }


def scored(run: Run) -> dict[str, QualityScored]:
    """Return the facts of a run by method."""
    return {f.method: f for f in map(QualityScored.read, run.facts_of("QualityScored"))}


def asks(run: Run) -> list[Asked]:
    """Return a run's asks in causal order."""
    return [e for e in run.by_path() if isinstance(e, Asked)]


def test_the_contract_of_protocols() -> None:
    """Both judges resume, replay and fork; the judged runs stay as they are."""
    runs = given("direct", "vote:n=3", "debate", questions=2)
    before = [run.digest for many in runs.values() for run in many]

    for bound, units in ((wb.quality(runs), 6), (wb.preference(runs), 6)):
        run = check_protocol(bound, lm=wb.ScriptedLM(imagined), seeds=(0,))
        assert {"units": units, "unknown": 0} == run.result
        assert run.started.subject is not None
    assert before == [run.digest for many in runs.values() for run in many]


def test_a_score_is_the_mean_of_both_readings() -> None:
    """Each answer is found again in the reverse order, and its readings are averaged."""
    runs = given("direct", "vote:n=3", "debate")
    made = scored(wb.run_sync(wb.quality(runs), lm=judge(by_words)))

    texts = {"direct": "B. gold\nplain", "debate": "B. gold\nsharp"}
    for method, text in texts.items():
        expected = {m: len(text) + n for n, m in enumerate(METRICS.values())}
        assert (expected, expected) == made[method].readings
        assert expected == made[method].scores
    assert {"JCD", "F&C", "C&A", "ARS"} == set(made["vote:n=3"].scores or {})


def test_both_readings_are_in_reverse_order() -> None:
    """The second reading has answers and criteria the other way round."""
    run = wb.run_sync(wb.quality(given("direct", "vote:n=3", "debate")), lm=judge(by_words))
    first, second = asks(run)

    assert places(first) == places(second)[::-1]
    orders = [
        list(next(iter((a.schema or {})["properties"].values()))["properties"])
        for a in (first, second)
    ]
    assert [["reason", *RUBRICS], ["reason", *reversed(RUBRICS)]] == orders


def test_the_order_is_drawn() -> None:
    """The order depends on its seed and the question, not on the order of methods given."""
    runs = given("direct", "vote:n=3", "debate", questions=6)
    orders = {
        tuple(tuple(places(a)) for a in asks(wb.run_sync(bound, lm=judge(by_words))))
        for bound in (wb.quality(runs, order=0), wb.quality(runs, order=1))
    }
    assert 2 == len(orders)
    firsts = {text for order in orders for shown in order for text in shown[:1]}
    assert 3 == len(firsts)


def test_the_judge_is_blind() -> None:
    """No prompt holds the name of a method or of an agent; sources still say who is quoted."""
    runs = given("direct", "vote:n=3", "debate")
    for bound in (wb.quality(runs), wb.preference(runs)):
        reply = by_words if bound.protocol.name == "quality" else (lambda a: better("tie"))
        run = wb.run_sync(bound, lm=judge(reply))
        for asked in asks(run):
            text = run.prompt(asked.path).lower()
            for name in ("vote", "sample_1", "debate", "direct", "self_consistency", "maven"):
                assert name not in text
            assert {part.source.split(":")[1] for part in asked.parts if part.source} == {"/final"}
    assert f"as {NAME} told the {NAME}" in "".join(
        unit.text or "" for panel in panels(runs) for unit in panel.answers
    )


def test_names_are_taken_out_of_all_answers_alike() -> None:
    """What is a name for one method is none of its own in another: both lose it, or it tells."""
    said = "Direct light, debater 1 and a solver."
    runs = {"direct": [answered(said)], "debate": [answered(said, method=wb.multi_agent_debate)]}

    (panel,) = panels(runs)
    assert 1 == len({unit.text for unit in panel.answers})
    assert f"Direct light, {NAME} and a {NAME}." in str(panel.answers[0].text)


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("MAVEN and Self Consistency", "", f"{NAME} and {NAME}"),
        ("self-consistency, selfconsistency", "", f"{NAME}, {NAME}"),
        ("Sample 1 and sample_10", "", f"{NAME} and sample_10"),
        ("mavens and a raven", "", "mavens and a raven"),
        ("The maven knew", "Who is a maven?", "The maven knew"),
        ("", "", ""),
    ],
)
def test_names(text: str, kept: str, expected: str) -> None:
    """Whole names are taken out, however they are written, unless the question uses them."""
    names = ["maven", "self_consistency", "sample_1", ""]

    assert expected == unnamed(text, names, kept)[0]


def test_a_reading_that_cannot_be_read() -> None:
    """One missing reading leaves the scores unknown; the other is kept, and stands in for none."""

    def half(asked: Asked) -> Any:
        return "?" if "reading=2" in asked.path else by_words(asked)

    run = wb.run_sync(wb.quality(given("direct", "debate")), lm=judge(half))

    assert {"units": 2, "unknown": 2} == run.result
    for fact in scored(run).values():
        assert fact.scores is None
        assert fact.readings[0] is not None
        assert fact.readings[1] is None
        assert "1 of 2 readings" in fact.why


@pytest.mark.parametrize("score", [0, 101, "high", True, None])
def test_a_score_off_the_scale(score: object) -> None:
    """A score beyond the scale is asked again, and is then unknown; nothing is clipped."""

    def odd(asked: Asked) -> Any:
        said = by_words(asked)
        said["answer_1"]["structure"] = score
        return said

    run = wb.run_sync(wb.quality(given("direct")), lm=judge(odd))

    assert {"units": 1, "unknown": 1} == run.result
    assert 6 == run.usage.calls


def test_an_answer_that_could_not_be_read() -> None:
    """There is nothing to judge in it: it is unknown, and the judge is not asked about it."""
    runs = {"direct": [answered("plain")], "cot": [answered(None)]}
    run = wb.run_sync(wb.quality(runs), lm=judge(by_words))

    assert {"units": 2, "unknown": 1} == run.result
    assert 1 == len(places(asks(run)[0]))
    assert "no answer with an explanation" in scored(run)["cot"].why
    alone = wb.run_sync(wb.quality({"cot": runs["cot"]}), lm=judge(by_words))
    assert 0 == alone.usage.calls
    compared = wb.run_sync(wb.preference(runs), lm=judge(by_words))
    assert ["unknown"] == [f.data["verdict"] for f in compared.facts_of("Preferred")]


def test_each_alone() -> None:
    """Answers can be judged each by itself, in two readings."""
    run = wb.run_sync(
        wb.quality(given("direct", "debate", questions=2), beside=False), lm=judge(by_words)
    )

    assert {1} == {len(places(asked)) for asked in asks(run)}
    assert 8 == run.usage.calls


def better(choice: str) -> dict[str, str]:
    """Return what a judge says of a pair."""
    return {"reason": "because", "better": choice}


def preferred(run: Run) -> list[Preferred]:
    """Return the preferences of a run."""
    return [Preferred.read(posted) for posted in run.facts_of("Preferred")]


@pytest.mark.parametrize(
    ("reply", "verdict", "consistent"),
    [
        (lambda a: better("1" if "sharp" in places(a)[0] else "2"), "against", True),
        (lambda a: better("2" if "sharp" in places(a)[0] else "1"), "method", True),
        (lambda a: better("1"), "tie", False),
        (lambda a: better("2"), "tie", False),
        (lambda a: {"reason": "because", "better": 2}, "tie", False),
        (lambda a: better("tie"), "tie", True),
        (lambda a: better("tie" if "reading=1" in a.path else "2"), "tie", False),
        (lambda a: "?" if "reading=1" in a.path else better("1"), "unknown", None),
    ],
)
def test_a_preference_holds_in_both_orders(
    reply: Reply, verdict: str, consistent: bool | None
) -> None:
    """What both readings agree on holds; a judge that follows the place makes a tie."""
    run = wb.run_sync(wb.preference(given("direct", "debate")), lm=judge(reply))
    (fact,) = preferred(run)

    assert ("direct", "debate") == (fact.method, fact.against)
    assert (verdict, consistent) == (fact.verdict, fact.consistent)


def test_pairs() -> None:
    """Every method meets every other once, or one of them meets all others."""
    runs = given("direct", "vote:n=3", "debate")
    lm = judge(lambda a: better("tie"))

    everyone = preferred(wb.run_sync(wb.preference(runs), lm=lm))
    assert 3 == len({frozenset((f.method, f.against)) for f in everyone})
    one = preferred(wb.run_sync(wb.preference(runs, against="direct"), lm=lm))
    assert [("vote:n=3", "direct"), ("debate", "direct")] == [(f.method, f.against) for f in one]


def test_verdicts_are_in_the_tables() -> None:
    """Preferences are rows of the table of verdicts."""
    run = wb.run_sync(wb.preference(given("direct", "debate")), lm=judge(lambda a: better("tie")))

    assert ["tie"] == wb.tables(run).verdicts.get_column("verdict").to_list()


def test_refusals() -> None:
    """What cannot be judged is refused before the judge is asked."""
    runs = given("direct")
    with pytest.raises(ValueError, match="nothing to judge"):
        wb.quality({})
    with pytest.raises(ValueError, match="no pair"):
        wb.preference(runs)
    with pytest.raises(ValueError, match="no method 'maven'; there are direct"):
        wb.preference(runs, against="maven")
    with pytest.raises(RunError, match="two runs of direct answer"):
        wb.quality({"direct": [*runs["direct"], *runs["direct"]]})
    with pytest.raises(ValueError, match="7 answers, and 6 can be judged side by side"):
        wb.quality({f"m{n}": runs["direct"] for n in range(7)})
    with pytest.raises(RunError, match="interrupted has no FinalAnswer"):
        wb.quality({"direct": [runs["direct"][0].before(2)]})


def test_runs_are_read_from_their_files(tmp_path: Path) -> None:
    """Paths of run files are as good as runs."""
    path = tmp_path / "a.run.jsonl"
    text = json.dumps({"explanation": "plain", "answer": "B"})
    bound = wb.direct(question="Which?", options=OPTIONS)
    wb.run_sync(bound, lm=wb.ScriptedLM(lambda asked: text), to=path)

    (panel,) = panels({"direct": [path]})
    assert ["B. gold\nplain"] == [unit.text for unit in panel.answers]


def test_rubrics_are_written_out() -> None:
    """Each criterion has its metric, its name, a question and four bands, in a few words."""
    assert ["JCD", "F&C", "C&A", "ARS"] == list(METRICS.values())
    for key, rubric in RUBRICS.items():
        assert 4 == len(rubric.bands)
        assert len(rubric.told(key).split()) < 70
