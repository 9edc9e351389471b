"""Runs by condition as a tidy frame: one row a run and measure."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from workbench.figures.measures import MEASURES, Measure
from workbench.record.run import Run, open_run
from workbench.record.tables import tables

Source = Run | str | os.PathLike[str]
_Read = dict[str, Any]

VALUES: dict[str, pl.DataType] = {
    "condition": pl.String(),
    "run": pl.String(),
    "digest": pl.String(),
    "measure": pl.String(),
    "value": pl.Float64(),
    "of": pl.Int64(),
    "seed": pl.Int64(),
    "status": pl.String(),
    "model": pl.String(),
    "judge": pl.String(),
    "path": pl.String(),
}
"""The columns of `measure_runs`."""


def measure_runs(
    conditions: Mapping[str, Source | Iterable[Source]], *measures: str
) -> pl.DataFrame:
    """Measure runs, condition by condition.

    Parameters
    ----------
    conditions : mapping from name to runs
        Each a `Run` or a path. An audit may stand among them: it belongs to the run that is its
        subject, wherever that stands, and is no run of its own here.
    *measures : str
        Names in `workbench.figures.measures.MEASURES`: ``tokens_out``, ``tokens_in``, ``calls``,
        ``cost_usd``, ``latency_s``, ``words``, ``gate_retries``; and of audits
        ``logic_validity_percent``, ``tom_consistency_percent``, ``rag_effectiveness_percent``,
        ``tom_cosine``. Without a name, all of them.

    Returns
    -------
    DataFrame
        A row for each measure and run, in the order given. ``condition``, ``run`` (the file's name,
        or the first 12 digits of the digest), ``digest``, ``measure``, ``value`` (Float64; null
        where it is not known: no price, nothing judged, no audit), ``of`` (how many answers,
        proposals, ... the value is over; null for totals), ``seed``, ``status`` (of the run;
        ``audit interrupted`` or ``audit failed`` where that is so and the measure needs it),
        ``model``, ``judge`` (models of the audit; null where it is not asked), ``path``.

    Raises
    ------
    ValueError
        If a measure is not known, a condition has no run, or two conditions are of one name, as 1
        and ``"1"`` are; if a run is there twice, which would make a false n, as a rerun with equal
        answers would; or if an audit has no subject among the runs, or two audits the same.
    RunFileError
        If a path is not a readable run.

    Examples
    --------
    >>> from workbench.record.events import RunStarted
    >>> runs = [Run([RunStarted(protocol="toy", params={}, seed=seed)]) for seed in (1, 2)]
    >>> measure_runs({"toy": runs}, "tokens_out")["value"].to_list()
    [0.0, 0.0]
    """
    names = measures or tuple(MEASURES)
    if unknown := [name for name in names if name not in MEASURES]:
        raise ValueError(f"no measure is called {unknown[0]!r}; there are {', '.join(MEASURES)}")
    for name, times in Counter(map(str, conditions)).items():
        if times > 1:
            raise ValueError(f"{times} conditions are called {name!r}; give each a name of its own")
    wanted = {name: MEASURES[name] for name in names}
    read = (
        _read(condition, source, wanted)
        for condition, sources in conditions.items()
        for source in _each(sources)
    )
    runs, audits = _parted(read)
    if empty := set(conditions) - {run["condition"] for run in runs}:
        raise ValueError(f"no run is given for {', '.join(sorted(map(repr, empty)))}")
    rows = [
        _row(run, audits.get(run["digest"]), name, m) for name, m in wanted.items() for run in runs
    ]
    return pl.DataFrame(rows, schema=VALUES, orient="row")


def _each(sources: Source | Iterable[Source]) -> Iterable[Source]:
    return [sources] if isinstance(sources, Run | str | os.PathLike) else sources


def _read(condition: str, source: Source, wanted: Mapping[str, Measure]) -> _Read:
    """Read what is wanted off one run, which may be an audit, and let go of it."""
    run = source if isinstance(source, Run) else open_run(source)
    of_audit = run.started.subject is not None
    made = tables({"": run})
    row = made.runs.row(0, named=True)
    name = run.path.name.removesuffix(".jsonl").removesuffix(".run") if run.path else None
    return {
        **{key: row[key] for key in ("seed", "status", "model", "path")},
        "condition": condition,
        "subject": run.started.subject,
        "digest": run.digest,
        "run": name or run.digest[:12],
        "read": {n: m.read(made) for n, m in wanted.items() if m.of_audit == of_audit},
    }


def _parted(read: Iterable[_Read]) -> tuple[list[_Read], dict[str, _Read]]:
    """Part the runs from their audits, which come by the digest of their subject."""
    runs: dict[str, _Read] = {}
    audits: dict[str, _Read] = {}
    for one in read:
        subject = one["subject"]
        group, key = (runs, one["digest"]) if subject is None else (audits, subject)
        if (other := group.setdefault(key, one)) is one:
            continue
        both = " and ".join(f"{r['run']} (in {r['condition']!r})" for r in (other, one))
        if subject is not None:
            raise ValueError(f"{both} are audits of the same run; give the one that counts")
        raise ValueError(
            f"{both} are the same run, {key[:12]}: counted twice it would make a false n; give it "
            "once"
        )
    for subject, audit in audits.items():
        if subject not in runs:
            raise ValueError(
                f"{audit['run']} (in {audit['condition']!r}) is an audit of {subject[:12]}, which "
                "is not among the runs; give that too"
            )
    seen = Counter(run["run"] for run in runs.values())
    for run in runs.values():
        if seen[run["run"]] > 1:
            run["run"] += f" ({run['digest'][:6]})"
    return list(runs.values()), audits


def _row(run: _Read, audit: _Read | None, name: str, measure: Measure) -> Any:
    judged = audit if measure.of_audit else None
    value, of = (judged or run)["read"].get(name, (None, None))
    status = run["status"]
    if judged is not None and status == "complete" != judged["status"]:
        status = f"audit {judged['status']}"
    told = (run["seed"], status, run["model"], judged["model"] if judged else None, run["path"])
    return (run["condition"], run["run"], run["digest"], name, value, of, *told)
