"""The board's static face: the last state as a table, without script."""

from __future__ import annotations

from workbench.record.events import Posted
from workbench.views.markup import name, plural, safe
from workbench_widgets.board.cells import SECTIONS
from workbench_widgets.board.fold import Entry, folded
from workbench_widgets.board.payload import rests
from workbench_widgets.shared.faces import halted
from workbench_widgets.shared.source import Source, turn

SHOWN = 8
"""Cells of a section in the table; how many more there are is told."""

WORDS = 300
"""Characters of a cell in the table; how many more there are is told."""

_COLUMNS = {"Section": 14, "What holds": 48, "By": 12, "Turn": 6, "Rests on": 20}
"""The columns, and how much of the width each has, in percent."""

_TD = "text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-top:1px solid #8886"
_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate"


def face(source: Source) -> str:
    """Return the table of what holds after the last event."""
    board = folded(source, "happened")
    last = len(board.order) - 1
    rows = []
    seats = {name: place for place, name in enumerate(source.agents)}
    for section, about in SECTIONS.items():
        total, entries = board.at(section, last)
        kept = [entry for entry, _ in zip(entries, range(SHOWN), strict=False)]
        if about.by == "key":
            kept.sort(key=lambda entry: (seats.get(entry.key or "", len(seats)), entry.key or ""))
        for place, entry in enumerate(kept):
            head = (
                f'<th scope="rowgroup" rowspan="{len(kept) + (total > len(kept))}" style="{_TD}">'
            )
            head = f"{head}{safe(about.title)}</th>" if place == 0 else ""
            rows.append(f"<tr>{head}{_row(source, section, entry)}</tr>")
        if total > len(kept):
            rows.append(
                f'<tr><td colspan="4" style="{_TD}">and {total - len(kept):,} more</td></tr>'
            )
    title, why = safe(str(source.head()["title"])), halted(source)
    if not rows:
        return (
            f"<p><strong>{title}</strong>: nothing is on the board ({source.run.status}).</p>{why}"
        )
    columns = "".join(
        f'<th scope="col" style="{_TD};border:0;width:{wide}%">{one}</th>'
        for one, wide in _COLUMNS.items()
    )
    return (
        '<table class="mathjax_ignore" '
        'style="border-collapse:collapse;table-layout:fixed;width:100%;font:14px/1.5 sans-serif">'
        f'<caption style="text-align:left;font-weight:650;padding:4px 0">{title}: the board '
        f"after {plural(len(board.order), 'event')} ({source.run.status})</caption>"
        f"<thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table>{why}"
    )


def _row(source: Source, section: str, entry: Entry) -> str:
    board = folded(source, "happened")
    made = board.cell(entry)
    event = source.run.events[board.order[entry.place]]
    lead = [made.label or (source.title(made.key) if section in {"drafts", "plan"} else "")]
    lead += [made.verdict or ""]
    head = " · ".join(name(one, 120) for one in lead if one)
    words = safe(made.text[:WORDS])
    if len(made.text) > WORDS:
        words += f"… (+{plural(len(made.text) - WORDS, 'character')})"
    told = [id_ for id_, _ in made.passages]
    for at in rests(source, made, board.order[entry.place]):
        found = source.run.events[at]
        told.append(f"{found.kind if isinstance(found, Posted) else found.event} (event {at + 1})")
    support = ", ".join(name(one, 120) for one in dict.fromkeys(told[:6]))
    support += f" and {len(told) - 6} more" if len(told) > 6 else ""
    by = "" if made.by is None else source.title(made.by) if made.by in source.agents else made.by
    when = turn(event)
    return (
        f'<td style="{_TD};{_TEXT}">{f"<strong>{head}</strong><br>" if head else ""}{words}</td>'
        f'<td style="{_TD}">{name(by)}</td>'
        f'<td style="{_TD}">{"" if when is None else when}</td>'
        f'<td style="{_TD};{_TEXT}">{support}</td>'
    )
