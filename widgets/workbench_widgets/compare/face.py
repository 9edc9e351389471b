"""The static face of a comparison: tables and the first difference, with no script."""

from __future__ import annotations

from workbench.record.log import SUFFIX
from workbench.record.rows import model_names
from workbench.views.markup import badge, name, number, place, plural, safe, style, table
from workbench.views.turns import edits
from workbench_widgets.compare.lineup import EDITS, MODELS, Lineup, paid
from workbench_widgets.shared.source import JSON

COLUMNS = 12
"""How many runs stand in the table; the others are counted."""

FLIPS = 20
"""How many changed verdicts are listed; the others are counted."""


def letter(column: int) -> str:
    """Return what a column is called: A to Z, then by number."""
    return chr(ord("A") + column) if column < 26 else f"#{column + 1}"


def verdict(word: str | None) -> str:
    """Return a verdict as HTML; None is that there is none."""
    return "none" if word is None else badge(word)


def face(lineup: Lineup) -> str:
    """Return a comparison as HTML for a notebook without a kernel."""
    many = len(lineup.columns)
    parts = [_columns(lineup)]
    if many > COLUMNS:
        parts.append(f"<p>{plural(many - COLUMNS, 'more run')} left out here.</p>")
    for j, base in enumerate(lineup.bases[:COLUMNS]):
        if base is not None:
            parts.append(_pair(lineup, base, j))
    return (
        f'<div class="wb-run mathjax_ignore">{style("style.css")}'
        f"<p><strong>{plural(many, 'run')} side by side</strong>: {lineup.told}</p>"
        f"{''.join(parts)}</div>"
    )


def _columns(lineup: Lineup) -> str:
    body = "".join(_column(lineup, j) for j in range(min(COLUMNS, len(lineup.columns))))
    heads = ("Run", "What it is", "Calls", "Tokens read", "Tokens written", "Cost (USD)", "Seconds")
    return table("Paid by each run itself", heads, body, numbers=range(2, 7))


def _column(lineup: Lineup, j: int) -> str:
    run, parent = lineup.columns[j].run, lineup.parents[j]
    lineage = run.started.lineage
    models = ", ".join(name(model) for model in model_names(run)[:MODELS])
    file = f"{name(run.path.name.removesuffix(SUFFIX))}: " if run.path else ""
    what = f"{file}{name(run.started.protocol)}, {models or 'no model'}, seed {run.started.seed}"
    if lineage is not None:
        of = letter(parent) if parent is not None else f"{lineage.parent[:12]}, which is not here"
        what += f"; fork of {safe(of)}, rule {lineage.rule}, seed {lineage.seed}"
        what += "".join(f"; {safe(did)} {place(at)}" for did, at in edits(lineage)[:EDITS])
    bill = paid(run)
    apart = "".join(
        f"<br>and {number(bill[who]['calls'])} {who}"
        for who in ("inherited", "edited")
        if bill[who]["calls"]
    )
    own: dict[str, JSON] = bill["own"]
    figures = (own["tokens_in"], own["tokens_out"], own["cost_usd"], own["latency_s"])
    cells = "".join(f'<td class="wb-n">{number(figure)}</td>' for figure in figures)
    return (
        f'<tr><th scope="row">{letter(j)}</th><td>{badge(run.status)} {what}</td>'
        f'<td class="wb-n">{number(own["calls"])}{apart}</td>{cells}</tr>'
    )


def _pair(lineup: Lineup, a: int, b: int) -> str:
    found = lineup.diff(a, b)
    head = f"<h4>{letter(a)} → {letter(b)}</h4>"
    flips = lineup.flips(a, b)
    if found.first is None:
        counted = f", but {plural(len(flips), 'verdict')} of their audits differ" if flips else ""
        body = f"<p>the runs are equal{counted}</p>"
    else:
        body = (
            f"<p>First divergence: {place(found.first.path)} ({name(found.first.kind)})</p>"
            f'<pre dir="auto">{safe(found.first.words(12)[:4000])}</pre>'
            f"<p>Changed: {plural(len(found.requests), 'request')}, "
            f"{plural(len(found.answers), 'answer')}, {plural(len(found.facts), 'fact')}, "
            f"{plural(len(flips), 'verdict')}</p>"
        )
    listed = "".join(
        f"<li>{place(f.path)} {name(f.auditor)}{f' of {name(f.peer)}' if f.peer else ''}: "
        f"{verdict(f.before)} → {verdict(f.after)}</li>"
        for f in flips[:FLIPS]
    )
    if len(flips) > FLIPS:
        listed += f"<li>{len(flips) - FLIPS:,} more are left out here</li>"
    return head + body + (f"<ul>{listed}</ul>" if listed else "")
