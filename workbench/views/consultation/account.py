"""The account of a consultation that its views share: who read what, and what came of it.

A function of a session's events, of a comparer's run about it, and of a corpus to hold it against.
Where isolation was broken there is no topology to tell (section 6.1, v): findings then have no
class, and passages only say that they were cited.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from workbench.deliberation.consultation.binding import Currency, is_current
from workbench.deliberation.consultation.comparison import COMPARER
from workbench.deliberation.consultation.conformance import families_of
from workbench.deliberation.consultation.facts import ROLE, Finding, PackagedPassage
from workbench.deliberation.consultation.interpretation import given_to
from workbench.deliberation.consultation.isolation import PROTOCOLS, Breach, breaches
from workbench.deliberation.consultation.synthesis import Synthesis, synthesis
from workbench.deliberation.consultation.topology import Topology
from workbench.record.rows import model_names
from workbench.record.run import Run
from workbench.views.markup import plural
from workbench.views.turns import cause

CLASSES = ("divergence", "overlap", "unique", "unclassified", "unsupported")
"""Of findings; the first two do not exclude each other."""

Corpus = str | os.PathLike[str]


class Mark(NamedTuple):
    """What has to be said of a session: how grave (``bad``, ``unsure``, ``plain``), and what."""

    kind: str
    text: str


class Interpreter(NamedTuple):
    """A column: who read, and whether a report came.

    `state` is ``reported``, ``lost`` (see `why`) or ``waiting``; `given` counts passages.
    """

    number: int
    model: str
    family: str
    state: str
    why: str
    given: int
    findings: int


class Row(NamedTuple):
    """A passage with the readings on it, or a document that was cited as a whole.

    Attributes
    ----------
    id : str
    document : str
    passage : PackagedPassage or None
        None for a document.
    cells : tuple of tuple of int
        For each interpreter, the places of its findings that cite it.
    given : tuple of bool
        Whether each interpreter was given it.
    states : tuple of str
        ``divergence`` or ``overlap``, or both, where it is what they rest on; else ``unique``,
        ``one reader`` (whose finding shares other evidence), ``unclassified``, ``cited`` (no
        topology to tell more) or ``uncited``.
    claims, divergences : tuple of str
        Ids of those that rest on it.
    """

    id: str
    document: str
    passage: PackagedPassage | None
    cells: tuple[tuple[int, ...], ...]
    given: tuple[bool, ...]
    states: tuple[str, ...]
    claims: tuple[str, ...]
    divergences: tuple[str, ...]


@dataclass(frozen=True)
class Account:
    """What the views tell of a session.

    Attributes
    ----------
    run : Run
    made : Synthesis or None
    problem : str
        Why there is no synthesis: another protocol's run, or no package yet; empty if there is.
    breaches : tuple of Breach
        Of the isolation contract.
    checked : bool
        Whether the contract could be checked; else nothing is said of it.
    current : Currency or None
        None: it was not held against a corpus.
    comparison : Run or None
        The comparer's run that decided what rules do not.
    """

    run: Run
    made: Synthesis | None
    problem: str
    breaches: tuple[Breach, ...]
    checked: bool
    current: Currency | None
    comparison: Run | None = None

    @property
    def mode(self) -> str:
        """Return the protocol's name: consultation or verification."""
        return self.run.started.protocol

    @property
    def question(self) -> str:
        """Return what was asked."""
        asked = self.run.started.params.get("question")
        return self.made.package.question if self.made else str(asked or "")

    @property
    def topology(self) -> Topology | None:
        """The topology; None where isolation was broken or nothing was read."""
        return self.made.topology if self.made is not None and self.made.valid else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, as the interpreters were numbered."""
        return () if self.made is None else self.made.topology.findings

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each finding, by its id."""
        return {finding.id: place for place, finding in enumerate(self.findings)}

    @cached_property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """The classes of each finding, by its id; empty without a topology."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        if self.topology is not None:
            for name in CLASSES:
                for id in getattr(self.topology.classes, name):
                    found[id].append(name)
        return {id: tuple(names) for id, names in found.items()}

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """What every view has to say of the session, the gravest first."""
        told: list[Mark] = []
        if self.problem:
            told.append(Mark("bad", self.problem))
        if why := cause(self.run):
            told.append(Mark("bad", f"STOPPED: {why}"))
        for text in () if self.made is None else self.made.marks:
            bad = text.startswith(("INVALID", "NON-CONFORMANT"))
            told.append(Mark("bad" if bad else "unsure", text))
        if self.current is not None and not self.current:
            told.append(Mark("bad", f"SUPERSEDED: {self.current}"))
        if self.topology is not None and self.topology.correlated_bias:
            agreed = ", ".join(self.topology.unanimous)
            text = f"CORRELATED BIAS is possible: all agree on {agreed}; nobody saw anything alone"
            told.append(Mark("unsure", text))
        if self.topology is not None and (text := self._by_whom(self.topology)):
            told.append(Mark("plain", text))
        return tuple(sorted(told, key=lambda mark: mark.kind != "bad"))

    def _by_whom(self, topology: Topology) -> str:
        """Say of the pairs that rules leave undecided who decided how many, and how many nobody."""
        classes = topology.classes
        left, told = len(classes.undecided), ""
        if self.comparison is not None:
            decided = len(
                {p[:2] for p in classes.related if p.rule == COMPARER} - classes.undecided
            )
            models = ", ".join(model_names(self.comparison)) or "a model"
            told = f"{plural(left + decided, 'pair')} that rules do not decide: "
            told += f"{decided} decided by {models}, {left} left undecided"
        elif left:
            told = f"{plural(left, 'pair')} undecided: rules do not tell, and no comparer was asked"
        if alone := len(classes.unclassified):
            told += f"{'; ' if told else ''}{plural(alone, 'finding')} unclassified"
        return told

    @cached_property
    def interpreters(self) -> tuple[Interpreter, ...]:
        """The columns."""
        if self.made is None:
            return ()
        made, models = self.made, self.run.started.models
        many: defaultdict[int, int] = defaultdict(int)
        for finding in self.findings:
            many[finding.interpreter] += 1
        out = []
        for number, family in families_of(self.run).items():
            known = models.get(f"{ROLE}={number}") or models.get("*") or {}
            state = "lost" if number in made.lost else "waiting"
            state = "reported" if number in made.topology.interpreters else state
            given = len(given_to(number, made.package))
            why = made.lost.get(number, "")
            model = str(known.get("model") or "unknown")
            out.append(Interpreter(number, model, family, state, why, given, many[number]))
        return tuple(out)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The passages of the package in the order of the corpus, with the readings on them."""
        if self.made is None:
            return ()
        numbers = [one.number for one in self.interpreters]
        citing: defaultdict[str, defaultdict[int, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for place, finding in enumerate(self.findings):
            for id in finding.cited:
                citing[id][finding.interpreter].append(place)
        given = {n: {p.id for p in given_to(n, self.made.package)} for n in numbers}
        rests = self._rests()
        out: list[Row] = []
        seen: set[str] = set()
        for passage in self.made.package.passages:
            if passage.document not in seen:
                seen.add(passage.document)
                if passage.document in citing:
                    whole = [True] * len(numbers)
                    out.append(self._row(passage.document, None, numbers, citing, whole, rests))
            told = [passage.id in given[n] for n in numbers]
            out.append(self._row(passage.id, passage, numbers, citing, told, rests))
        return tuple(out)

    def _row(
        self,
        id: str,
        passage: PackagedPassage | None,
        numbers: Sequence[int],
        citing: dict[str, defaultdict[int, list[int]]],
        given: Sequence[bool],
        rests: dict[str, tuple[list[str], list[str]]],
    ) -> Row:
        by: Mapping[int, list[int]] = citing.get(id, {})
        cells = tuple(tuple(by.get(n, ())) for n in numbers)
        claims, divergences = rests.get(id, ([], []))
        document = id if passage is None else passage.document
        states = self._states(cells, claims, divergences)
        return Row(
            id, document, passage, cells, tuple(given), states, tuple(claims), tuple(divergences)
        )

    def _rests(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return the claims and divergences that rest on each reference."""
        found: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        if self.topology is not None:
            for claim in self.topology.claims:
                for id in claim.shared:
                    found[id][0].append(claim.id)
            for report in self.topology.divergences:
                for id in report.passages:
                    found[id][1].append(report.id)
        return found

    def _states(
        self, cells: Sequence[Sequence[int]], claims: list[str], divergences: list[str]
    ) -> tuple[str, ...]:
        cited = [self.findings[place].id for cell in cells for place in cell]
        if not cited:
            return ("uncited",)
        if self.topology is None:
            return ("cited",)
        states = [name for name, ids in (("divergence", divergences), ("overlap", claims)) if ids]
        if not states:
            alone = any("unique" in self.classes.get(id, ()) for id in cited)
            one = "one reader" if sum(map(bool, cells)) == 1 else "unclassified"
            states = ["unique" if alone else one]
        return tuple(states)


def account(run: Run, comparison: Run | None = None, corpus: Corpus | None = None) -> Account:
    """Return the account of a session; for a run that cannot be read as one, it says why.

    Parameters
    ----------
    run : Run
        A consultation or a verification, finished or not.
    comparison : Run, optional
        A comparer's run about it.
    corpus : path, optional
        Whether the output is still that of this folder is told.

    Raises
    ------
    RunError
        If the comparison is about another run.
    """
    made: Synthesis | None = None
    current: Currency | None = None
    broken: tuple[Breach, ...] = ()
    problem, checked = "", True
    if run.started.protocol not in PROTOCOLS:
        problem = f"this is a run of {run.started.protocol!r}, not of a consultation"
        return Account(run, None, problem, (), checked=False, current=None)
    try:
        made = synthesis(run)
    except Exception as error:  # an odd run is shown, with what is wrong in it
        problem = str(error).partition("\n")[0] or type(error).__name__
    if made is not None and comparison is not None:
        made = synthesis(run, comparison)
    try:
        broken = tuple(breaches(run)) if made is None else made.breaches
    except Exception as error:
        problem += f"; its isolation could not be checked: {error}"
        checked = False
    if made is not None and corpus is not None:
        current = is_current(made, corpus)
    by = comparison if made is not None else None
    return Account(run, made, problem, broken, checked=checked, current=current, comparison=by)
