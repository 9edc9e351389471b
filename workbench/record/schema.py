"""The written schema of every table: column name to dtype, in the order of the columns."""

from __future__ import annotations

import polars as pl

Schema = dict[str, pl.DataType]

_TEXT = pl.String()
_INT = pl.Int64()
_REAL = pl.Float64()
_YES = pl.Boolean()
_TEXTS = pl.List(pl.String())
_TIME = pl.Datetime("us", "UTC")

RUNS: Schema = {
    "run": _TEXT,
    "protocol": _TEXT,
    "status": _TEXT,
    "seed": _INT,
    "model": _TEXT,
    "events": _INT,
    "calls": _INT,
    "tokens_in": _INT,
    "tokens_out": _INT,
    "tokens_cached": _INT,
    "cost_usd": _REAL,
    "started_at": _TIME,
    "subject": _TEXT,
    "parent": _TEXT,
    "rule": _TEXT,
    "path": _TEXT,
    "digest": _TEXT,
    "error": _TEXT,
}
ASKS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "role": _TEXT,
    "clock": _INT,
    "parts": _INT,
    "chars": _INT,
    "schema": _TEXT,
    "temperature": _REAL,
    "max_tokens": _INT,
    "seed": _INT,
    "answered": _YES,
}
ANSWERS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "role": _TEXT,
    "model": _TEXT,
    "finish_reason": _TEXT,
    "chars": _INT,
    "tokens_in": _INT,
    "tokens_out": _INT,
    "tokens_cached": _INT,
    "cost_usd": _REAL,
    "latency_s": _REAL,
    "attempts": _INT,
    "origin": _TEXT,
    "unsent": _TEXTS,
}
FACTS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "kind": _TEXT,
    "clock": _INT,
    "data": _TEXT,
}
READS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "role": _TEXT,
    "source": _TEXT,
    "kind": _TEXT,
    "part": _INT,
    "chars": _INT,
}
CALLS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "author": _TEXT,
    "tool": _TEXT,
    "args": _TEXT,
    "returned": _YES,
    "latency_s": _REAL,
}
RETRIEVALS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "author": _TEXT,
    "corpus": _TEXT,
    "query": _TEXT,
    "hits": _INT,
    "passages": _TEXTS,
    "top_score": _REAL,
    "mode": _TEXT,
    "latency_s": _REAL,
}
GATES: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "role": _TEXT,
    "schema_name": _TEXT,
    "tier": _TEXT,
    "attempts": _INT,
    "errors": _TEXTS,
}
GOALS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "goal": _TEXT,
    "phase": _TEXT,
    "nominated": _TEXTS,
}
PROPOSALS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "author": _TEXT,
    "goal": _TEXT,
    "contribution": _TEXT,
    "words": _INT,
    "predictions": _INT,
    "searches": _INT,
}
PREDICTIONS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "evaluator": _TEXT,
    "peer": _TEXT,
    "prediction": _TEXT,
    "contribution": _TEXT,
    "peer_path": _TEXT,
}
RATIFICATIONS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "decision": _TEXT,
    "reason": _TEXT,
    "phase": _TEXT,
    "by": _TEXT,
}
VERDICTS: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "auditor": _TEXT,
    "subject": _TEXT,
    "turn": _INT,
    "author": _TEXT,
    "peer": _TEXT,
    "rule": _TEXT,
    "verdict": _TEXT,
    "reason": _TEXT,
    "score": _REAL,
}
FAILURES: Schema = {
    "run": _TEXT,
    "path": _TEXT,
    "turn": _INT,
    "error": _TEXT,
    "message": _TEXT,
    "attempts": _INT,
    "at": _TIME,
    "answered": _YES,
}
EDGES: Schema = {
    "run": _TEXT,
    "turn": _INT,
    "source": _TEXT,
    "target": _TEXT,
    "kind": _TEXT,
    "n": _INT,
}

SCHEMAS: dict[str, Schema] = {
    "runs": RUNS,
    "asks": ASKS,
    "answers": ANSWERS,
    "facts": FACTS,
    "reads": READS,
    "calls": CALLS,
    "retrievals": RETRIEVALS,
    "gates": GATES,
    "goals": GOALS,
    "proposals": PROPOSALS,
    "predictions": PREDICTIONS,
    "ratifications": RATIFICATIONS,
    "verdicts": VERDICTS,
    "failures": FAILURES,
    "edges": EDGES,
}
