"""A marimo app for class: guess what comes next, reveal it, and see what the class wrote."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Predict and reveal")


@app.cell
def _():
    import marimo as mo

    import workbench as wb
    import workbench_widgets as ww

    folder = mo.notebook_dir().parents[1] / "sample_runs"
    found = sorted(folder.glob("*/*.run.jsonl"))
    runs = {p.parent.name: p for p in found if p.name == f"{p.parent.name}.run.jsonl"}
    return mo, runs, wb, ww


@app.cell
def _(mo, runs):
    which = mo.ui.dropdown(runs, value=list(runs)[-1], label="Case")
    mo.vstack(
        [
            mo.md(
                "# Predict and reveal\n\n"
                "Specialists in this run had to predict what their peers would say before they "
                "spoke. Now it is your turn: write what you expect, then reveal."
            ),
            which,
        ]
    )
    return (which,)


@app.cell
def _(wb, which):
    run = wb.open_run(which.value)
    beside = which.value.with_name(which.value.name.replace(".run.", ".audit.run."))
    audit = wb.open_run(beside) if beside.exists() else None
    return audit, run


@app.cell
def _(audit, mo, run, ww):
    view = mo.ui.anywidget(ww.Predict(run, audit=audit))
    view
    return (view,)


@app.cell
def _(mo, view):
    guesses = view.value["guesses"]
    mo.vstack(
        [
            mo.md(f"## What was guessed ({len(guesses)})"),
            mo.ui.table([{"what": g["path"], "guess": g["guess"]} for g in guesses], selection=None)
            if guesses
            else mo.md("Nothing yet."),
        ]
    )
    return


@app.cell
def _(audit, mo, run, which, ww):
    # One file a student can take home: it needs neither a kernel nor a network.
    page = ww.handout_html(run, audit=audit, view="predict")
    mo.download(
        page.encode(),
        filename=f"{which.selected_key}.html",
        mimetype="text/html",
        label="Hand-out (one HTML file)",
    )
    return


if __name__ == "__main__":
    app.run()
