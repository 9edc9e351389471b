"""A marimo app: step a recorded run, and see what the event at the cursor did."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", app_title="Explore a run")


@app.cell
def _():
    import marimo as mo
    import polars as pl

    import workbench as wb
    import workbench_widgets as ww

    samples = mo.notebook_dir().parents[1] / "sample_runs"
    found = sorted(samples.glob("**/*.run.jsonl"))
    runs = {str(p.relative_to(samples)): p for p in found if p.name.count(".") == 2}
    return mo, pl, runs, wb, ww


@app.cell
def _(mo, runs):
    which = mo.ui.dropdown(runs, value=next(iter(runs)), label="Run")
    mo.vstack([mo.md("# Explore a run"), which])
    return (which,)


@app.cell
def _(wb, which):
    run = wb.open_run(which.value)
    with_it = {}  # what stands beside it: an audit, or of a consultation its comparison
    for kind in ("audit", "comparison"):
        beside = which.value.with_name(which.value.name.replace(".run.", f".{kind}.run."))
        if beside.exists():
            with_it[kind] = wb.open_run(beside)
    corpus = run.started.params.get("corpus")
    if run.started.protocol == "consultation" and isinstance(corpus, str):
        folder = which.value.parent / corpus
        if folder.is_dir():
            with_it["corpus"] = folder
    return run, with_it


@app.cell
def _(mo, run, with_it, ww):
    view = mo.ui.anywidget(ww.explorer(run, **with_it))
    view
    return (view,)


@app.cell
def _(mo, pl, view, wb):
    # All that follows is a function of the cursor: step above, and it changes.
    shown = view.widget.run  # a fork, where one is looked at
    now = shown.before(view.value["at"] + 1)
    tables = wb.tables({"now": now})
    used = tables.answers.group_by("role", maintain_order=True).agg(
        pl.len().alias("calls"),
        pl.sum("tokens_in").alias("tokens read"),
        pl.sum("tokens_out").alias("tokens written"),
        pl.sum("latency_s").round(1).alias("seconds"),
    )
    who = tables.edges.drop("run")
    mo.vstack(
        [
            mo.md(f"## Up to event {len(now):,} of {len(shown):,}"),
            mo.hstack(
                [
                    mo.vstack([mo.md("**Model calls**"), mo.ui.table(used, selection=None)]),
                    mo.vstack([mo.md("**Who read whom**"), mo.ui.table(who, selection=None)]),
                ],
                widths="equal",
                wrap=True,
            ),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
