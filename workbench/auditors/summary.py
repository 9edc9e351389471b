"""An audit's figures: consistency, validity and effectiveness, each with its n."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from pydantic import ValidationError

from workbench.auditors.facts import LogicVerdict, RAGVerdict, ToMVerdict
from workbench.auditors.material import Material, TurnUnit
from workbench.errors import RunError
from workbench.record.rows import model_names
from workbench.record.run import Run, open_run
from workbench.stats.effect_size import cohens_d


class Share(NamedTuple):
    """`hits` of `n` judged units; the `unknown` ones are in neither, and are always told.

    Unknown is a unit that could not be read or judged, and one that an interrupted audit has not
    come to.
    """

    hits: int
    n: int
    unknown: int

    @property
    def percent(self) -> float | None:
        """Hits in percent of the judged; None where nothing could be judged."""
        return 100 * self.hits / self.n if self.n else None

    def __str__(self) -> str:
        told = "not judged" if self.percent is None else f"{self.percent:.1f} %"
        unknown = f", {self.unknown} unknown" if self.unknown else ""
        return f"{told} ({self.hits} of {self.n}{unknown})"


FEWEST = 3
"""The fewest pairs in each group for Cohen's d. Two would leave each standard deviation one degree
of freedom, and the two pairs of one exchange are often all that there is."""

_NOT_INDEPENDENT = "pairs of one turn share texts and are not independent"


class Row(NamedTuple):
    """A line of a summary."""

    name: str
    value: str
    n: int
    note: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of section 6.1 of the bi-layer paper, for one run.

    Attributes
    ----------
    tom_consistency, logic_validity, rag_effectiveness : Share
    rag_calls_per_turn : float or None
        Logged search calls over turns that had a goal, also where searches were not judged.
    after_invalid : dict of str to int
        What followed each INVALID proposal, as in section 6.4.3: ``new_goal`` (a later goal with
        nominated specialists), ``no_new_goal`` (the Meta-Agent decided, and no nomination came
        after), ``no_entry`` (nothing more of the Meta-Agent: the run was cut off).
    cosine_consistent, cosine_inconsistent : float or None
        Mean cosine of the pairs judged so; None without pairs or without embeddings.
    encoder : str or None
        Whose cosines they are; None where the audit does not say.
    cosine_n : tuple of int
        The pairs in each of the two groups.
    cosine_d : float or None
        Cohen's d of the two, with the pooled standard deviation; `cosine_d_why` says why it is
        None, as it is where a group has fewer than `FEWEST` pairs. It describes these pairs alone:
        those of one turn share texts, so they are not independent and d has no standard error here.
    judge : tuple of str
        The models that judged, each with its family; an audit does not hold the agents' models.
    judge_calls : int
        Their answers.
    seed : int
        Of the audit.
    """

    subject: str
    tom_consistency: Share
    logic_validity: Share
    rag_effectiveness: Share
    rag_calls_per_turn: float | None
    turns: int
    after_invalid: dict[str, int]
    cosine_consistent: float | None
    cosine_inconsistent: float | None
    encoder: str | None
    cosine_n: tuple[int, int]
    cosine_d: float | None
    cosine_d_why: str
    judge: tuple[str, ...]
    judge_calls: int
    seed: int

    def rows(self) -> list[Row]:
        """Return the summary as rows of name, value, n and note."""
        judge = ", ".join(self.judge) or "no model"
        told = Row("Judge", judge, self.judge_calls, f"model calls; seed {self.seed}")
        return [*self.figures(), *self.details(), told]

    def figures(self) -> list[Row]:
        """Return the rows of the figures that the paper reports."""
        calls = self.rag_calls_per_turn
        return [
            _row("ToM Consistency", self.tom_consistency, "(evaluator, peer) pairs"),
            _row("Logic Validity", self.logic_validity, "proposals over the rules in force"),
            _row("RAG Effectiveness", self.rag_effectiveness, "search calls"),
            Row(
                "RAG calls a turn",
                "none" if calls is None else f"{calls:.2f}",
                self.turns,
                "turn" if self.turns == 1 else "turns",
            ),
        ]

    def details(self) -> list[Row]:
        """Return the rows of what followed each INVALID, and of the cosines."""
        a, b = self.cosine_n
        by = f", by {self.encoder}" if self.encoder else ""
        rows = []
        invalid = sum(self.after_invalid.values())
        for name, count in self.after_invalid.items():
            told = f"After INVALID: {_FOLLOWED[name]}"
            rows.append(Row(told, str(count), invalid, "INVALID proposals"))
        for name, mean, n in (
            ("Cosine of consistent pairs", self.cosine_consistent, a),
            ("Cosine of inconsistent pairs", self.cosine_inconsistent, b),
        ):
            told = "none" if mean is None else f"{mean:.3f}"
            rows.append(Row(name, told, n, f"mean over pairs{by}"))
        d = f"{self.cosine_d:.2f}" if self.cosine_d is not None else "refused"
        groups = f"consistent n={a}, inconsistent n={b}"
        how = self.cosine_d_why or f"pooled sd; {_NOT_INDEPENDENT}"
        rows.append(Row("Cohen's d of the two", d, a + b, f"{groups}; {how}"))
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        wide = max(len(row.name) for row in rows)
        return "\n".join(f"{r.name:<{wide}}  {r.value}  [n={r.n} {r.note}]" for r in rows)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        cells = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(r.name)}</th>"
            f"<td>{escape(r.value)}</td><td>{r.n}</td><td>{escape(r.note)}</td></tr>"
            for r in self.rows()
        )
        head = "<tr><th>figure</th><th>value</th><th>n</th><th>of</th></tr>"
        return {
            "text/plain": str(self),
            "text/html": f"<table><thead>{head}</thead><tbody>{cells}</tbody></table>",
        }


def summary(audit: Run | str | os.PathLike[str]) -> Summary:
    """Return the figures of an audit.

    Parameters
    ----------
    audit : Run or path
        Finished or not.

    Returns
    -------
    Summary

    Raises
    ------
    RunError
        If the run is not an audit.
    """
    run = audit if isinstance(audit, Run) else open_run(audit)
    if run.started.protocol != "audit":
        raise RunError(f"this is a run of {run.started.protocol!r}, not an audit", run)
    try:
        read = Material.model_validate(run.started.params["material"])
    except (KeyError, ValidationError) as error:
        raise RunError(f"not an audit as this workbench makes them: {error}", run) from error
    logic = [LogicVerdict.read(p) for p in run.facts_of("LogicVerdict")]
    tom = [ToMVerdict.read(p) for p in run.facts_of("ToMVerdict")]
    rag = [RAGVerdict.read(p) for p in run.facts_of("RAGVerdict")]
    same = [v.cosine for v in tom if v.verdict == "consistent" and v.cosine is not None]
    other = [v.cosine for v in tom if v.verdict == "inconsistent" and v.cosine is not None]
    calls = sum(turn.searches for turn in read.turns)
    d, why = _cohens_d(same, other)
    encoder = run.started.params.get("embeddings")
    return Summary(
        subject=read.subject,
        tom_consistency=_share(tom, "consistent", len(read.pairs)),
        logic_validity=_share(logic, "VALID", len(read.proposals)),
        rag_effectiveness=_share(rag, "effective", len(read.searches)),
        rag_calls_per_turn=calls / len(read.turns) if read.turns else None,
        turns=len(read.turns),
        after_invalid=_after_invalid(logic, read.turns),
        cosine_consistent=sum(same) / len(same) if same else None,
        cosine_inconsistent=sum(other) / len(other) if other else None,
        encoder=encoder if isinstance(encoder, str) else None,
        cosine_n=(len(same), len(other)),
        cosine_d=d,
        cosine_d_why=why,
        judge=tuple(model_names(run, family=True)),
        judge_calls=run.usage.calls,
        seed=run.started.seed,
    )


_FOLLOWED = {
    "new_goal": "a later goal with nominations",
    "no_new_goal": "no further nomination",
    "no_entry": "nothing more of the Meta-Agent",
}


def _cohens_d(same: list[float], other: list[float]) -> tuple[float | None, str]:
    """Return d, or None and why it is refused."""
    for name, group in (("consistent", same), ("inconsistent", other)):
        if len(group) < FEWEST:
            return None, f"the {name} group has n = {len(group)}; d needs at least {FEWEST}"
    try:
        return cohens_d(same, other), ""
    except ValueError as refused:
        return None, str(refused)


def _share(facts: Iterable[LogicVerdict | ToMVerdict | RAGVerdict], hit: str, units: int) -> Share:
    known: list[str] = [fact.verdict for fact in facts if fact.verdict != "unknown"]
    return Share(known.count(hit), len(known), units - len(known))


def _after_invalid(verdicts: Iterable[LogicVerdict], turns: Sequence[TurnUnit]) -> dict[str, int]:
    last = max((turn.turn for turn in turns if turn.nominated), default=0)
    decided = {turn.turn for turn in turns if turn.decision is not None}
    counts = dict.fromkeys(_FOLLOWED, 0)
    for verdict in verdicts:
        if verdict.verdict == "INVALID":
            ended = "no_new_goal" if verdict.turn in decided else "no_entry"
            counts["new_goal" if verdict.turn < last else ended] += 1
    return counts


def _row(name: str, share: Share, of: str) -> Row:
    note = f"{of}; {share.unknown} unknown" if share.unknown else of
    value = "not judged" if share.percent is None else f"{share.percent:.1f} %"
    return Row(name, value, share.n, note)
