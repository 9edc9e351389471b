"""How often the Logic auditor is right: its verdicts on statements against their labels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from workbench.auditors.facts import LogicVerdict
from workbench.auditors.material import Material
from workbench.auditors.statements import LabelledStatement
from workbench.errors import RunError
from workbench.record.rows import model_names
from workbench.record.run import Run, open_run
from workbench.stats.proportion import Proportion, cohens_kappa, proportion


class Confusion(NamedTuple):
    """Verdicts against labels. A violation is the positive class; `unknown` is in no proportion."""

    caught: int
    missed: int
    alarms: int
    passed: int
    unknown: int

    @property
    def n(self) -> int:
        """Verdicts that are known."""
        return self.caught + self.missed + self.alarms + self.passed

    @property
    def sensitivity(self) -> Proportion:
        """INVALID of what breaks a rule."""
        return proportion(self.caught, self.caught + self.missed)

    @property
    def specificity(self) -> Proportion:
        """VALID of what keeps it."""
        return proportion(self.passed, self.alarms + self.passed)

    @property
    def accuracy(self) -> Proportion:
        """Verdicts that are as labelled."""
        return proportion(self.caught + self.passed, self.n)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of verdict and label; None where both are one and the same throughout."""
        return cohens_kappa(self.caught, self.missed, self.alarms, self.passed)

    def __str__(self) -> str:
        kappa = "not defined" if self.kappa is None else f"{self.kappa:.2f}"
        return (
            f"sensitivity {self.sensitivity}, specificity {self.specificity}, accuracy "
            f"{self.accuracy}, kappa {kappa}; n={self.n}, {self.unknown} unknown"
        )


_METHOD = (
    "95 % intervals in brackets: Clopper-Pearson (exact), over statements. INVALID is the positive "
    "class; unknown verdicts are in no proportion; kappa is Cohen's. A statement is INVALID if any "
    "rule is: for the right reason only where the verdicts on all rules are as labelled."
)


@dataclass(frozen=True, slots=True, repr=False)
class DiagnosticAccuracy:
    """The Logic auditor's verdicts against labels, by statement and by rule.

    Attributes
    ----------
    statements : Confusion
        INVALID or VALID as a whole.
    rules : dict of str to Confusion
        For each rule, over all statements. The verdicts on one statement's rules come from one
        answer, so they are not independent and there is no interval over all of them.
    exact : Proportion
        Statements of which the verdict on every rule is as labelled.
    judge : tuple of str
    calls, seed : int
    """

    statements: Confusion
    rules: dict[str, Confusion]
    exact: Proportion
    judge: tuple[str, ...]
    calls: int
    seed: int

    def rows(self) -> list[dict[str, str | int | float | None]]:
        """Return a row for the statements and one for each rule, with shares in [0, 1]."""
        rows = []
        for unit, one in {"statement": self.statements, **self.rules}.items():
            row: dict[str, str | int | float | None] = {"unit": unit, **one._asdict(), "n": one.n}
            for name in ("sensitivity", "specificity", "accuracy"):
                share: Proportion = getattr(one, name)
                row |= {name: share.value, f"{name}_n": share.n}
                row |= {f"{name}_low": share.low, f"{name}_high": share.high}
            rows.append(row | {"kappa": one.kappa, "method": self.exact.method})
        return rows

    def __str__(self) -> str:
        judge = ", ".join(self.judge) or "no model"
        return "\n".join(
            [
                f"Statements: {self.statements}",
                f"All rules as labelled: {self.exact}",
                *(f"{rule}: {one}" for rule, one in self.rules.items()),
                f"Judge: {judge}, {self.calls} calls, seed {self.seed}",
                _METHOD,
            ]
        )

    __repr__ = __str__


def diagnostic_accuracy(
    run: Run | str | os.PathLike[str], labels: Iterable[LabelledStatement]
) -> DiagnosticAccuracy:
    """Hold a calibration's verdicts against the labels of its statements.

    Parameters
    ----------
    run : Run or path
        Of `calibration`, finished or not: what was not judged is unknown.
    labels : iterable of LabelledStatement
        Of the statements that were judged, word for word.

    Returns
    -------
    DiagnosticAccuracy
        Of the statements, and by rule.

    Raises
    ------
    RunError
        If the run is not a calibration, or is one of other statements or rules.
    """
    run = run if isinstance(run, Run) else open_run(run)
    if run.started.protocol != "calibration":
        raise RunError(f"this is a run of {run.started.protocol!r}, not a calibration", run)
    try:
        material = Material.model_validate(run.started.params["material"])
    except (KeyError, ValidationError) as error:
        raise RunError(f"not a calibration as this workbench makes them: {error}", run) from error
    broken = {f"/statement={one.id}": (one.text, set(one.rule_violations)) for one in labels}
    rules = [rule.id for rule in material.rules]
    judged = {unit.path: unit.contribution for unit in material.proposals}
    if judged != {path: text for path, (text, _) in broken.items()}:
        raise RunError("the labels are not those of the statements that this run judged", run)
    if lost := set().union(*(found for _, found in broken.values())) - set(rules):
        raise RunError(f"the run judged no rule {', '.join(sorted(lost))}", run)
    verdicts = {v.subject: v for v in map(LogicVerdict.read, run.facts_of("LogicVerdict"))}
    whole: list[tuple[bool, str]] = []
    by_rule: dict[str, list[tuple[bool, str]]] = {rule: [] for rule in rules}
    right = known = 0
    for path, (_, found) in broken.items():
        verdict = verdicts.get(path)
        told = {} if verdict is None else {one.rule: one.verdict for one in verdict.rules}
        whole.append((bool(found), "unknown" if verdict is None else verdict.verdict))
        for rule in rules:
            by_rule[rule].append((rule in found, told.get(rule, "unknown")))
        if whole[-1][1] != "unknown":
            known += 1
            right += {rule for rule, one in told.items() if one == "INVALID"} == found
    return DiagnosticAccuracy(
        statements=_confusion(whole),
        rules={rule: _confusion(pairs) for rule, pairs in by_rule.items()},
        exact=proportion(right, known),
        judge=tuple(model_names(run, family=True)),
        calls=run.usage.calls,
        seed=run.started.seed,
    )


def _confusion(pairs: list[tuple[bool, str]]) -> Confusion:
    return Confusion(
        caught=pairs.count((True, "INVALID")),
        missed=pairs.count((True, "VALID")),
        alarms=pairs.count((False, "INVALID")),
        passed=pairs.count((False, "VALID")),
        unknown=sum(verdict == "unknown" for _, verdict in pairs),
    )
