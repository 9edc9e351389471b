"""One number a run: what can be measured of it, or of its audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from workbench.record.tables import Tables

Reading = tuple[float | None, int | None]
"""A run's value, and over how many units it is a mean or a share; None for what is not known, and
for the units of a total."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured.

    Attributes
    ----------
    title : str
        With its unit, as on an axis.
    read : callable
        From the tables of one run, or of its audit.
    units : str
        What a run's value is over; empty for a total.
    of_audit : bool
        Whether it is read off the run's audit.
    """

    title: str
    read: Callable[[Tables], Reading]
    units: str = ""
    of_audit: bool = False


def _total(column: str) -> Callable[[Tables], Reading]:
    def read(made: Tables) -> Reading:
        value = made.runs[column].item()
        return (None if value is None else float(value)), None

    return read


def _mean(values: pl.Series) -> Reading:
    known = values.drop_nulls()
    mean = known.mean()
    return (mean if isinstance(mean, float) else None), known.len()


def _latency(made: Tables) -> Reading:
    return _mean(made.answers["latency_s"])


def _words(made: Tables) -> Reading:
    return _mean(made.proposals["words"])


def _retries(made: Tables) -> Reading:
    attempts = made.gates["attempts"].drop_nulls()
    return (float((attempts - 1).sum()) if attempts.len() else None), attempts.len()


def _share(auditor: str, hit: str, miss: str) -> Callable[[Tables], Reading]:
    """Return what reads the percentage of hits among the judged; unknown is neither."""

    def read(made: Tables) -> Reading:
        units = pl.col("auditor") == auditor, pl.col("rule").is_null()
        judged = made.verdicts.filter(*units, pl.col("verdict").is_in([hit, miss]))["verdict"]
        n = judged.len()
        return (100 * int((judged == hit).sum()) / n if n else None), n

    return read


def _cosine(made: Tables) -> Reading:
    return _mean(made.verdicts.filter(pl.col("auditor") == "tom")["score"])


MEASURES: dict[str, Measure] = {
    "tokens_out": Measure("Tokens written", _total("tokens_out")),
    "tokens_in": Measure("Tokens read", _total("tokens_in")),
    "calls": Measure("Model calls", _total("calls")),
    "cost_usd": Measure("Cost (US dollars)", _total("cost_usd")),
    "latency_s": Measure("Mean latency of an answer (s)", _latency, "answers"),
    "words": Measure("Mean length of a contribution (words)", _words, "contributions"),
    "gate_retries": Measure("Answers that the gate asked for again", _retries, "questions"),
    "logic_validity_percent": Measure(
        "Logic Validity (%)", _share("logic", "VALID", "INVALID"), "proposals", of_audit=True
    ),
    "tom_consistency_percent": Measure(
        "ToM Consistency (%)", _share("tom", "consistent", "inconsistent"), "pairs", of_audit=True
    ),
    "rag_effectiveness_percent": Measure(
        "RAG Effectiveness (%)",
        _share("rag", "effective", "ineffective"),
        "searches",
        of_audit=True,
    ),
    "tom_cosine": Measure(
        "Mean cosine of prediction and contribution", _cosine, "pairs", of_audit=True
    ),
}
"""What `measure_runs` can measure, by name. Shares are percentages of the judged units, as in
`workbench.auditors.summary`: what an auditor could not judge is in neither part."""
