"""The static face of a comparison: tables and the first difference, with no script."""

from __future__ import annotations

from workbench.views.markup import name, number, place, plural, safe, style
from workbench_widgets.compare.lineup import Lineup, paid
from workbench_widgets.shared.source import JSON

COLUMNS = 12
"""How many runs stand in the table; the others are counted."""

FLIPS = 20
"""How many changed verdicts are listed; the others are counted."""


def letter(column: int) -> str:
    """Return what a column is called: A to Z, then by number."""
    return chr(ord("A") + column) if column < 26 else f"#{column + 1}"


def face(lineup: Lineup) -> str:
    """Return a comparison as HTML for a notebook without a kernel."""
    many = len(lineup.columns)
    parts = [_columns(lineup)]
    if many > COLUMNS:
        parts.append(f"<p>{plural(many - COLUMNS, 'more run')} left out here.</p>")
    for j, base in enumerate(lineup.bases[:COLUMNS]):
        if base is not None:
            parts.append(_pair(lineup, base, j))
    told = f"{len(lineup.differing):,} of {plural(len(lineup.paths), 'row')} differ"
    head = "the runs are equal" if not lineup.differing else told
    return (
        f'<div class="wb-run">{style("style.css")}'
        f"<p><strong>{plural(many, 'run')} side by side</strong>: {head}</p>{''.join(parts)}</div>"
    )


def _columns(lineup: Lineup) -> str:
    body = "".join(_column(lineup, j) for j in range(min(COLUMNS, len(lineup.columns))))
    heads = (
        "Run", "Protocol", "Status", "What it is", "Calls of its own", "Inherited", "Tokens read",
        "Tokens written", "Cost (USD)", "Model time (s)",
    )  # fmt: skip
    cells = "".join(f'<th scope="col" class="wb-w">{head}</th>' for head in heads)
    return f'<div class="wb-scroll"><table><tr>{cells}</tr>{body}</table></div>'


def _column(lineup: Lineup, j: int) -> str:
    run, parent = lineup.columns[j].run, lineup.parents[j]
    lineage = run.started.lineage
    what = f"seed {run.started.seed}"
    if lineage is not None:
        of = letter(parent) if parent is not None else f"{lineage.parent[:12]}, not here"
        what = f"fork of {of}, rule {lineage.rule}, seed {lineage.seed}"
    bill = paid(run)
    own: dict[str, JSON] = bill["own"]
    cells = (
        f"<strong>{letter(j)}</strong>",
        name(run.started.protocol),
        safe(run.status),
        safe(what),
        number(own["calls"]),
        number(bill["inherited"]["calls"]),
        number(own["tokens_in"]),
        number(own["tokens_out"]),
        number(own["cost_usd"]),
        number(own["latency_s"]),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


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
        f"{name(f.before or 'none')} → {name(f.after or 'none')}</li>"
        for f in flips[:FLIPS]
    )
    if len(flips) > FLIPS:
        listed += f"<li>{len(flips) - FLIPS:,} more are left out here</li>"
    return head + body + (f"<ul>{listed}</ul>" if listed else "")
