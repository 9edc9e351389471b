"""The calibration of the Logic auditor: what it asks, what it does not know, and its figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.scripts import agents
from workbench.agents.case import Case
from workbench.auditors.accuracy import Confusion, DiagnosticAccuracy
from workbench.auditors.statements import LabelledStatement
from workbench.errors import RunError
from workbench.record.events import Asked
from workbench.record.run import Run
from workbench.testing import check_protocol

CASES = ("aura_hub", "vance_v_innovate")
TEXTS = {"S1": "It keeps all.", "S2": "It breaks the first.", "S3": "It breaks both."}
BROKEN = {"S1": (), "S2": ("R1",), "S3": ("R1", "R2")}
LABELS = tuple(
    LabelledStatement(id=name, text=text, rule_violations=BROKEN[name], note=f"secret {name}")
    for name, text in TEXTS.items()
)


def two_rules(case: Case) -> Case:
    """Return the small case with two rules."""
    rules = [{"id": "R1", "text": "Count."}, {"id": "R2", "text": "Keep count."}]
    return Case.model_validate({**case.model_dump(), "rules": rules})


def shown(asked: Asked) -> str:
    """Return the statement that a judge is shown."""
    return next((p.text for p in asked.parts if "/statement=" in (p.source or "")), "")


def judge(broken: Callable[[str], Any]) -> wb.ScriptedLM:
    """Return a judge that finds the rules INVALID that `broken` gives for a text; None: babble."""

    def reply(asked: Asked) -> str:
        found = broken(shown(asked))
        rules = list((asked.schema or {})["properties"])
        verdicts = {
            rule: {"reason": "so", "verdict": "INVALID" if rule in (found or ()) else "VALID"}
            for rule in rules
        }
        return "babble" if found is None else json.dumps(verdicts)

    return wb.ScriptedLM(reply, name="judge")


def knows(text: str) -> tuple[str, ...]:
    """Find what is labelled."""
    return next(one.rule_violations for one in LABELS if one.text == text)


def measured(case: Case, broken: Callable[[str], Any]) -> DiagnosticAccuracy:
    """Return the figures of a scripted judge."""
    run = wb.run_sync(wb.calibration(two_rules(case), LABELS), lm=judge(broken))
    return wb.diagnostic_accuracy(run, LABELS)


def asks(run: Run) -> list[Asked]:
    """Return a run's asks in causal order."""
    return [event for event in run.by_path() if isinstance(event, Asked)]


def test_the_contract_of_protocols(case: Case) -> None:
    """It resumes, replays and forks, with a judge that errs and one that babbles."""
    bound = wb.calibration(two_rules(case), LABELS)

    for broken in (knows, lambda text: None if "both" in text else ("R2",)):
        assert 3 == check_protocol(bound, judge(broken)).result["statements"]


def test_prompt_of_the_audit(case: Case) -> None:
    """A statement is asked as the audit asks a proposal of the same words."""
    case = two_rules(case)
    subject = wb.run_sync(wb.bilayer(case, turns=1), lm=agents())
    audit = wb.run_sync(wb.audit(subject, auditors="logic"), lm=judge(lambda text: ()))
    first = asks(audit)[0]
    *_, phase, goal, title, text, _ = (part.text for part in first.parts)
    phase = phase.removeprefix("The team is in the phase ").removesuffix(". Its goal:")
    one = LabelledStatement(id="S1", text=text, rule_violations=())

    run = wb.run_sync(
        wb.calibration(case, [one], phase=phase, goal=goal), lm=judge(lambda text: ())
    )

    (asked,) = asks(run)
    author = title.removeprefix("The ").removesuffix("'s contribution:")
    told = [part.text.replace("Specialist", author) for part in asked.parts]
    assert [part.text for part in first.parts] == told
    assert [part.speaker for part in first.parts] == [part.speaker for part in asked.parts]
    assert (first.schema, first.role) == (asked.schema, asked.role)
    assert first.sampling.max_tokens == asked.sampling.max_tokens
    assert first.sampling.temperature == asked.sampling.temperature


def test_all_at_the_same_time(case: Case) -> None:
    """No statement waits for the answer to another."""
    execution = wb.Execution(wb.calibration(two_rules(case), LABELS).steps(), seed=0)

    execution.start()

    assert 3 == len(execution.pending)


@pytest.mark.parametrize("name", CASES)
def test_no_label_in_the_run(name: str, tmp_path: Path) -> None:
    """Other labels make the same run, and no note is in its file."""
    case, labels = Case.read(name), wb.read_statements(name)
    other = [one.model_copy(update={"rule_violations": (), "note": ""}) for one in labels]
    file = tmp_path / "a.run.jsonl"

    run = wb.run_sync(wb.calibration(case, labels), lm=judge(lambda text: ()), to=file)

    twin = wb.run_sync(wb.calibration(case, other), lm=judge(lambda text: ()))
    assert twin.digest == run.digest
    text = file.read_text("utf-8")
    assert not any(one.note in text for one in labels if one.note)
    assert "rule_violations" not in text
    assert case.phases[-1] in asks(run)[0].parts[1].text


def test_a_judge_that_is_right(case: Case) -> None:
    """Everything is caught and passed, and kappa is 1."""
    found = measured(case, knows)

    assert Confusion(caught=2, missed=0, alarms=0, passed=1, unknown=0) == found.statements
    assert Confusion(2, 0, 0, 1, 0) == found.rules["R1"]
    assert Confusion(1, 0, 0, 2, 0) == found.rules["R2"]
    assert (3, 3) == (found.exact.hits, found.exact.n)
    assert 1 == found.statements.kappa


def test_right_for_the_wrong_reason(case: Case) -> None:
    """INVALID under another rule counts as caught, and as not labelled so."""
    found = measured(case, lambda text: ("R2",) if "first" in text else knows(text))

    assert 1 == found.statements.accuracy.value
    assert (2, 3) == (found.exact.hits, found.exact.n)
    assert Confusion(caught=1, missed=1, alarms=0, passed=1, unknown=0) == found.rules["R1"]
    assert Confusion(caught=1, missed=0, alarms=1, passed=1, unknown=0) == found.rules["R2"]


def test_a_judge_that_always_objects(case: Case) -> None:
    """All INVALID is a sensitivity of 1, a specificity of 0 and a kappa of 0."""
    found = measured(case, lambda text: ("R1", "R2")).statements

    assert (1, 0, 0) == (found.sensitivity.value, found.specificity.value, found.kappa)


def test_unknown_is_counted_apart(case: Case) -> None:
    """What cannot be read is neither right nor wrong."""
    found = measured(case, lambda text: None if "both" in text else knows(text))

    assert Confusion(caught=1, missed=0, alarms=0, passed=1, unknown=1) == found.statements
    assert Confusion(caught=0, missed=0, alarms=0, passed=2, unknown=1) == found.rules["R2"]
    assert found.rules["R2"].sensitivity.value is None
    assert found.rules["R2"].kappa is None
    assert (2, 2) == (found.exact.hits, found.exact.n)


def test_an_unfinished_run(case: Case) -> None:
    """What was not yet judged is unknown."""
    whole = wb.run_sync(wb.calibration(two_rules(case), LABELS), lm=judge(knows))
    first = whole.facts_of("LogicVerdict")[0]
    cut = Run(whole.events[: whole.events.index(first) + 1])

    found = wb.diagnostic_accuracy(cut, LABELS).statements

    assert (1, 2) == (found.n, found.unknown)


def test_told_with_n_method_and_judge(case: Case) -> None:
    """The repr tells each n, the method, the judge and the seed; rows hold the same figures."""
    found = measured(case, knows)

    told = repr(found)
    for part in ("n=3, 0 unknown", "Clopper-Pearson (exact)", "judge (scripted)", "seed 0", "R2: "):
        assert part in told
    first = found.rows()[0]
    assert ["statement", "R1", "R2"] == [row["unit"] for row in found.rows()]
    assert (1.0, 2) == (first["sensitivity"], first["sensitivity_n"])
    assert "95% Clopper-Pearson (exact)" == first["method"]


def test_labels_of_other_statements(case: Case) -> None:
    """Labels are refused unless they are of these statements, word for word, and of these rules."""
    run = wb.run_sync(wb.calibration(two_rules(case), LABELS), lm=judge(knows))
    changed = (LABELS[0].model_copy(update={"text": "It keeps none."}), *LABELS[1:])
    lost = (LABELS[0].model_copy(update={"rule_violations": ("R9",)}), *LABELS[1:])

    for labels, why in ((LABELS[1:], "not those"), (changed, "not those"), (lost, "no rule R9")):
        with pytest.raises(RunError, match=why):
            wb.diagnostic_accuracy(run, labels)
    with pytest.raises(RunError, match="not a calibration"):
        wb.diagnostic_accuracy(wb.run_sync(wb.direct("Why?"), lm=wb.ScriptedLM(lambda a: "?")), ())


@pytest.mark.parametrize("statements", [(), (LABELS[0], LABELS[0])], ids=["none", "twice"])
def test_statements_that_cannot_be_judged(
    case: Case, statements: tuple[LabelledStatement, ...]
) -> None:
    """None at all, and two of one id, are refused."""
    with pytest.raises(ValueError, match="an id of its own"):
        wb.calibration(case, statements)
