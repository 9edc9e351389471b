"""Runs as tidy frames: one row a thing, a written schema, the same rows whoever answered first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from html import escape

import polars as pl

from workbench.record.frames import frame
from workbench.record.garbage import collector_paused
from workbench.record.rows import Rows
from workbench.record.run import Run, open_run
from workbench.record.schema import SCHEMAS

Source = Run | str | os.PathLike[str]


@dataclass(frozen=True, slots=True, repr=False)
class Tables:
    """What happened in one or more runs, as polars frames.

    Every frame has the columns of its schema (`workbench.record.schema.SCHEMAS`) in that order, and
    no rows where there is nothing. Rows are in causal order, run after run. ``run`` and ``path``
    are the keys to join by; ``turn`` is null outside a turn. Counts and tokens are Int64, scores,
    seconds and dollars Float64, times are UTC; what is unknown is null and never 0.

    Attributes
    ----------
    runs : DataFrame
        One row a run. ``run`` (the given name, or the first 12 digits of the digest), ``protocol``,
        ``status`` (complete, failed, interrupted), ``seed``, ``model`` (names, joined by a comma),
        ``events``, ``calls`` (answers of models that this run paid for), ``tokens_in``,
        ``tokens_out``, ``tokens_cached``, ``cost_usd`` (null if one price is unknown),
        ``started_at``, ``subject`` (digest, of an audit), ``parent`` and ``rule`` (of a fork),
        ``path`` (of the file), ``digest`` (null for a run with a given name, which saves the time),
        ``error`` (of a failed run).
    asks : DataFrame
        One row a model call that was wanted: ``run``, ``path``, ``turn``, ``role``, ``clock``
        (Lamport time), ``parts`` (of the prompt), ``chars`` (of all parts), ``schema`` (its title),
        ``temperature``, ``max_tokens``, ``seed``, ``answered``.
    answers : DataFrame
        One row a reply: ``run``, ``path``, ``turn``, ``role`` (of the ask), ``model`` (as the
        server named itself), ``finish_reason``, ``chars``, ``tokens_in``, ``tokens_out``,
        ``tokens_cached``, ``cost_usd``, ``latency_s``, ``attempts``, ``origin`` (digest of the run
        that paid, where it was another), ``unsent`` (what of the sampling was left out, as the
        endpoint refuses it; empty for most).
    facts : DataFrame
        One row a posted fact: ``run``, ``path``, ``turn``, ``kind``, ``clock``, ``data`` (JSON).
    reads : DataFrame
        Who read what; one row a part of a prompt: ``run``, ``path`` (of the reading ask), ``turn``,
        ``role`` (the reader), ``source``, ``kind`` (``fact`` or ``answer`` of this run, ``passage``
        of a corpus, ``own`` words of the protocol, ``other`` for what is not in this run, such as
        ``3f2a9c11d0be:/turn=1/goal`` in an audit, a path in its subject), ``part`` (index from 0),
        ``chars``.
    calls : DataFrame
        One row a tool call: ``run``, ``path``, ``turn``, ``author``, ``tool``, ``args`` (JSON),
        ``returned``, ``latency_s``.
    retrievals : DataFrame
        One row a call of the tool ``search``: ``run``, ``path``, ``turn``, ``author``, ``corpus``,
        ``query``, ``hits`` (null without a result), ``passages`` (ids, best first), ``top_score``,
        ``mode`` (``hybrid``, ``dense`` or ``lexical``, which is what a search without an encoder
        is; null without hits, and in runs that do not tell it), ``latency_s``.
    gates : DataFrame
        One row a question that went through the structural gate: ``run``, ``path``, ``turn``,
        ``role``, ``schema_name``, ``tier`` (null if nothing could be read), ``attempts``,
        ``errors`` (one a failed attempt).
    goals : DataFrame
        ``run``, ``path``, ``turn``, ``goal``, ``phase``, ``nominated`` (names).
    proposals : DataFrame
        ``run``, ``path``, ``turn``, ``author``, ``goal``, ``contribution``, ``words`` (of it),
        ``predictions`` (how many), ``searches`` (how many).
    predictions : DataFrame
        One row a (evaluator, peer) pair: ``run``, ``path`` (of the evaluator's proposal), ``turn``,
        ``evaluator``, ``peer``, ``prediction``, ``contribution`` (what the peer then said in that
        turn; null if nothing), ``peer_path``.
    ratifications : DataFrame
        ``run``, ``path``, ``turn``, ``decision``, ``reason``, ``phase``, ``by``.
    verdicts : DataFrame
        One row a fact with a field ``verdict``, and for the Logic auditor one more a rule: ``run``,
        ``path``, ``auditor`` (``logic``, ``tom``, ``rag``, or the fact's kind), ``subject`` (path
        in the audited run), ``turn``, ``author`` (for ToM, the evaluator), ``peer``, ``rule`` (null
        on the row over all rules), ``verdict`` (``unknown`` where the fact holds
        none), ``reason``, ``score`` (cosine, relevance or score).
    failures : DataFrame
        One row a time that the world gave no answer: ``run``, ``path``, ``turn``, ``error``,
        ``message``, ``attempts``, ``at``, ``answered`` (whether an answer came after all).
    edges : DataFrame
        Agents, turn by turn: ``run``, ``turn``, ``source``, ``target``, ``kind`` (``nominated`` by
        the Meta-Agent; ``read``, the target's prompts hold words of the source; ``answered``, the
        source made a proposal for the goal of the target), ``n`` (how often; for ``read``, parts).
    """

    runs: pl.DataFrame
    asks: pl.DataFrame
    answers: pl.DataFrame
    facts: pl.DataFrame
    reads: pl.DataFrame
    calls: pl.DataFrame
    retrievals: pl.DataFrame
    gates: pl.DataFrame
    goals: pl.DataFrame
    proposals: pl.DataFrame
    predictions: pl.DataFrame
    ratifications: pl.DataFrame
    verdicts: pl.DataFrame
    failures: pl.DataFrame
    edges: pl.DataFrame

    def items(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Go through the frames by name."""
        for field in fields(self):
            yield field.name, getattr(self, field.name)

    def __repr__(self) -> str:
        return "Tables(" + ", ".join(f"{n}: {f.height}x{f.width}" for n, f in self.items()) + ")"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{name}</th>"
            f"<td style='text-align:right'>{frame.height:,}</td>"
            f"<td style='text-align:left'>{escape(', '.join(frame.columns))}</td></tr>"
            for name, frame in self.items()
        )
        head = "<tr><th style='text-align:left'>table</th><th>rows</th>"
        head += "<th style='text-align:left'>columns</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def tables(runs: Source | Iterable[Source] | Mapping[str, Source]) -> Tables:
    """Make frames of one or more runs.

    Parameters
    ----------
    runs : Run, path, an iterable of them, or a mapping from name to one
        Names of a mapping become the column ``run``; otherwise it holds the first 12 digits of the
        run's digest.

    Returns
    -------
    Tables

    Raises
    ------
    RunFileError
        If a path is not a readable run.

    Examples
    --------
    >>> from workbench.record.events import RunStarted
    >>> made = tables({"mine": Run([RunStarted(protocol="toy", params={})])})
    >>> made.runs.select("run", "protocol", "status").row(0)
    ('mine', 'toy', 'interrupted')
    """
    named: list[tuple[str | None, Source]]
    if isinstance(runs, Mapping):
        named = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, Run | str | os.PathLike):
        named = [(None, runs)]
    else:
        named = [(None, run) for run in runs]
    rows = Rows()
    with collector_paused():
        for name, source in named:
            rows.add(source if isinstance(source, Run) else open_run(source), name)
        return Tables(**{name: frame(name, rows) for name in SCHEMAS})
