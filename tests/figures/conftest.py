"""What the tests of figures share: values of runs by condition."""

from __future__ import annotations

import polars as pl

from workbench.figures.runs import VALUES


def values_of(
    measure: str = "tokens_out", *, status: str = "complete", **conditions: list[float | None]
) -> pl.DataFrame:
    """Return a frame as `measure_runs` makes them: each condition's runs have seeds from 1 on."""
    rows = [
        {
            "condition": condition,
            "run": f"{condition}-{seed}",
            "digest": f"{condition}-{seed}-digest",
            "measure": measure,
            "value": value,
            "seed": seed,
            "status": status if seed == 1 else "complete",
            "model": "qwen2.5-coder-1.5b",
            "path": f"/a/place/{condition}-{seed}.run.jsonl",
        }
        for condition, values in conditions.items()
        for seed, value in enumerate(values, 1)
    ]
    return pl.DataFrame(rows, schema=VALUES)
