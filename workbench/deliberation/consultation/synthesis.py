"""What a session came to: the topology with its marks, bound to the corpus that was read.

"The system output is not an answer" (section 3.3): nothing here chooses among findings. A session
whose isolation was broken is invalid (section 6.1, v), and one with too few interpreters or model
families is marked, in every form that its output takes, and has no structural confidence to tell.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from workbench.deliberation.consultation.classes import NOW, Pair, Rules
from workbench.deliberation.consultation.comparison import decided_by
from workbench.deliberation.consultation.conformance import (
    conformance,
    families_of,
    interpreters_of,
    scripted_in,
)
from workbench.deliberation.consultation.consultation import read_package
from workbench.deliberation.consultation.facts import (
    Finding,
    Interpreted,
    NotInterpreted,
    RetrievalPackage,
    Synthesised,
)
from workbench.deliberation.consultation.isolation import PACKAGE, PROTOCOLS, Breach, breaches
from workbench.deliberation.consultation.relation import Relation
from workbench.deliberation.consultation.topology import Topology, topology_of
from workbench.errors import RunError
from workbench.record.events import JSON, Returned
from workbench.record.jsonable import as_json
from workbench.record.run import Run, open_run

MOST_NAMED = 6
"""Findings that a mark names."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Synthesis:
    """The output of a consultation or a verification.

    Attributes
    ----------
    run : str
        The session's digest.
    comparison : str or None
        The digest of the comparer's run, where one decided pairs that rules could not.
    package : RetrievalPackage
        With the corpus's passport, to which all of this is bound (Invariant 4).
    interpreters : int
        That were asked; those that reported are `Topology.interpreters`.
    families : dict of int to str
        The model family of each.
    lost : dict of int to str
        Interpreters without a report, and why.
    nonconformant : tuple of str
        Why the session is not conformant; empty where it is.
    breaches : tuple of Breach
        Of the isolation contract; one of them makes the session invalid.
    corpus_changed : bool
        The corpus was another one once all had read.
    complete : bool
        The session ended; else this is of the reports that there are.
    topology : Topology
        Without a structural confidence where the session is not conformant.
    scripted : tuple of int
        Interpreters that are scripts, such as readers by rules: their families were set.
    """

    run: str
    comparison: str | None
    package: RetrievalPackage
    interpreters: int
    families: dict[int, str]
    lost: dict[int, str]
    nonconformant: tuple[str, ...]
    breaches: tuple[Breach, ...]
    corpus_changed: bool
    complete: bool
    topology: Topology
    scripted: tuple[int, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether isolation was maintained: process validity (section 8.2), not truth."""
        return not self.breaches

    @property
    def passport(self) -> str:
        """The SHA-256 of the passport of the corpus that was read."""
        return self.package.passport.sha256

    @property
    def marks(self) -> tuple[str, ...]:
        """What every output has to say of the session; empty where there is nothing."""
        told = []
        for breach in self.breaches:
            part = "" if breach.part is None else f", part {breach.part}"
            told.append(
                f"INVALID: isolation condition ({breach.condition}) is broken at {breach.path}"
                f"{part}: {breach.what}"
            )
        told += [f"NON-CONFORMANT: {why}" for why in self.nonconformant]
        if self.scripted:
            named = ", ".join(str(n) for n in self.scripted)
            told.append(
                f"SCRIPTED: interpreter {named}: no language model; the family is as it was set"
            )
        told += [f"interpreter {n} is lost: {why}" for n, why in sorted(self.lost.items())]
        if not self.complete:
            told.append("INCOMPLETE: the session did not end")
        if self.corpus_changed:
            told.append("the corpus changed during the session; this is of the version before")
        invalid = sum(len(f.invalid) for f in self.topology.findings)
        if invalid:
            told.append(f"{invalid} citation{'s' * (invalid > 1)} of nothing in the package")
        return (*told, *self._apart())

    def _apart(self) -> list[str]:
        """Say where some cite a document and others a passage of it.

        By section 3.3 they then share no evidence, so that no class tells of what they say.
        """
        homes = {passage.id: passage.document for passage in self.package.passages}
        citing: defaultdict[str, tuple[list[Finding], list[Finding]]]
        citing = defaultdict(lambda: ([], []))
        for finding in self.topology.findings:
            whole = set(finding.cited) - homes.keys()
            for document in whole | {homes[id] for id in finding.cited if id in homes}:
                citing[document][document not in whole].append(finding)
        return [
            f"{document} is cited as a whole by {_few(some)}, and a passage of it by "
            f"{_few(others)}: they share no evidence, so that no class tells whether they agree"
            for document, (some, others) in sorted(citing.items())
            if some and others and len({f.interpreter for f in (*some, *others)}) > 1
        ]

    def _replaced(self) -> list[str]:
        """Say which of the cited passages are no longer in force, and by what."""
        cited = {id for finding in self.topology.findings for id in finding.cited}
        return [
            f"{one.id} (by {', '.join(one.superseded_by)})"
            for one in self.package.passages
            if one.superseded_by and not cited.isdisjoint((one.id, one.document))
        ]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of the whole, hexadecimal."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def to_json(self) -> dict[str, JSON]:
        """Return the output as JSON: what it is bound to, its marks, and the topology as a unit.

        An invalid session has no topology to show; the findings stay in its run.
        """
        made: dict[str, JSON] = as_json(
            {
                "mode": self.package.mode,
                "question": self.package.question,
                "run": self.run,
                "comparison": self.comparison,
                "passport": self.passport,
                "package": self.package.digest,
                "interpreters": self.interpreters,
                "families": {str(n): family for n, family in self.families.items()},
                "lost": {str(n): why for n, why in self.lost.items()},
                "conformant": not self.nonconformant,
                "valid": self.valid,
                "complete": self.complete,
                "corpus_changed": self.corpus_changed,
                "marks": self.marks,
                "breaches": [breach._asdict() for breach in self.breaches],
                "topology": self.topology.to_json() if self.valid else None,
            },
            "the synthesis",
        )
        return made

    def __str__(self) -> str:
        head = [
            f"{self.package.mode}: {self.package.question}",
            f"valid for corpus version {self.passport[:12]} (package {self.package.digest[:12]})",
            *self.marks,
        ]
        if self.valid:
            head.append(str(self.topology))
        if replaced := self._replaced():
            head.append(f"superseded, and cited: {', '.join(replaced)}")
        return "\n".join(head)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": f"<pre>{escape(str(self))}</pre>"}


def _few(findings: Sequence[Finding]) -> str:
    more = len(findings) - MOST_NAMED
    return ", ".join(f.id for f in findings[:MOST_NAMED]) + (f" and {more} more" * (more > 0))


def synthesis(
    run: Run | str | os.PathLike[str],
    comparison: Run | str | os.PathLike[str] | None = None,
    *,
    rules: Rules = NOW,
) -> Synthesis:
    """Return what a session came to; a pure function of its events.

    Parameters
    ----------
    run : Run or path
        A consultation or a verification, finished or not.
    comparison : Run or path, optional
        The comparer's run about it (`comparison`), which decides pairs that rules leave undecided.
    rules : int
        1: those that the session's own record of it is by (`first_rules`), and outputs of then.

    Returns
    -------
    Synthesis
        Of the reports that there are.

    Raises
    ------
    RunError
        If `run` is no such session, its package is missing or damaged, or `comparison` is about
        another run.
    """
    run = run if isinstance(run, Run) else open_run(run)
    if comparison is not None and not isinstance(comparison, Run):
        comparison = open_run(comparison)
    if run.started.protocol not in PROTOCOLS:
        raise RunError(f"this is a run of {run.started.protocol!r}, not of a consultation")
    package = package_of(run)
    decided: dict[Pair, Relation] = {} if comparison is None else decided_by(comparison, run)
    why = conformance(run)
    topology = topology_in(run, package, decided, rules)
    closing = [Synthesised.read(fact) for fact in run.facts_of("Synthesised")]
    return Synthesis(
        run=run.digest,
        comparison=None if comparison is None else comparison.digest,
        package=package,
        interpreters=len(interpreters_of(run)),
        families=families_of(run),
        lost={
            fact.interpreter: fact.reason
            for fact in map(NotInterpreted.read, run.facts_of("NotInterpreted"))
        },
        nonconformant=why,
        breaches=tuple(breaches(run)),
        corpus_changed=any(fact.corpus_changed for fact in closing),
        complete=run.status == "complete",
        topology=topology.without_confidence() if why else topology,
        scripted=scripted_in(run),
    )


def rules_of(run: Run) -> Rules:
    """Return the rules that a session's own record of what came out is by."""
    return 1 if run.started.params.get("rules", 1) == 1 else NOW


def package_of(run: Run) -> RetrievalPackage:
    """Return the retrieval package of a session.

    Raises
    ------
    RunError
        If it is missing or damaged.
    """
    returned = run.answers.get(PACKAGE)
    if not isinstance(returned, Returned):
        raise RunError("the session has no retrieval package yet; resume it", run)
    mode: Any = run.started.protocol
    try:
        return read_package(returned.value, mode)
    except Exception as error:
        raise RunError(f"{PACKAGE}: {error}", run) from error


def in_order(reports: Iterable[Interpreted]) -> list[Interpreted]:
    """Return reports by their readers' numbers: who was asked again has posted later."""
    return sorted(reports, key=lambda report: report.interpreter)


def topology_in(
    run: Run,
    package: RetrievalPackage,
    decided: dict[Pair, Relation] | None = None,
    rules: Rules = NOW,
) -> Topology:
    """Return the topology of the reports in a session; see `topology_of`."""
    reports = in_order(Interpreted.read(fact) for fact in run.facts_of("Interpreted"))
    return topology_of(
        [finding for report in reports for finding in report.findings],
        [report.interpreter for report in reports],
        package,
        options=tuple(run.started.params.get("options", ())),
        families=families_of(run),
        decided=decided,
        rules=rules,
    )
