"""The cells of a comparison: what a run holds at a path, in a line, and how it differs."""

from __future__ import annotations

from bisect import bisect_left

from workbench.record.events import EDITED, Called, Posted
from workbench.record.order import turn_of
from workbench_widgets.compare.lineup import CHANGED, MISSING, NOWHERE, Lineup
from workbench_widgets.compare.pieces import Piece, pieces, run_pieces
from workbench_widgets.shared.source import JSON, exact

LABEL = 90
"""Characters of a cell's label; the row in full has the whole text."""

NAME = 300
"""Characters of a path or a name in a row; the row in full has the whole."""

LEAD = 24
"""Characters before the first difference that stand in a label."""

BADGES = 4
"""Changed verdicts that a cell names; the others are counted."""

FAILED, EDITED_HERE, INHERITED = 1, 2, 4
"""Flags of a cell: no answer came; an edit put it in place; a parent paid for it."""

_FIRST = ("reply", "fact", "failure", "result", "args", "run", "prompt", "settings")


def cell(lineup: Lineup, column: int, row: int) -> list[JSON]:
    """Return ``[state, marks, lead, label, badges, more, flags]``.

    `lead` and `label` are the words before and from the first difference on; `badges` the verdicts
    that changed, as ``[auditor, peer, verdict]``, and `more` how many more there are.
    """
    state = lineup.state(column, row)
    run, path = lineup.columns[column].run, lineup.paths[row]
    lead, label = ("", "") if state in (NOWHERE, MISSING) else _label(lineup, column, row, state)
    badges = _badges(lineup, column, row)
    answer = run.answers.get(path)
    origin = getattr(answer, "origin", None)
    flags = (FAILED if path in run.failures else 0) | (
        EDITED_HERE if origin == EDITED else INHERITED if origin is not None else 0
    )
    return [
        state,
        lineup.marks[column].get(row, 0),
        lead,
        label,
        badges[:BADGES],
        max(0, len(badges) - BADGES),
        flags,
    ]


def held(lineup: Lineup, column: int, row: int) -> list[Piece]:
    """Return what a column holds at a row."""
    run = lineup.columns[column].run
    return list(run_pieces(run) if row == 0 else pieces(run, lineup.paths[row]))


def _label(lineup: Lineup, column: int, row: int, state: int) -> tuple[str, str]:
    here = sorted(held(lineup, column, row), key=lambda p: _FIRST.index(p.group))
    other = _other(lineup, column, row, state)
    if other is not None:
        there = {(p.group, p.name): p.text for p in held(lineup, other, row)}
        for piece in here:
            was = there.get((piece.group, piece.name), "")
            if was != piece.text:
                lead, words = snippet(was, piece.text)
                named = (
                    f"{clip(piece.name)}: " if piece.group in ("run", "settings", "args") else ""
                )
                return named + lead, words
    telling = [p.text for p in here if p.group == here[0].group] if here else [""]
    return "", line(max(telling, key=len))


def _other(lineup: Lineup, column: int, row: int, state: int) -> int | None:
    """Return the column against which a cell's words are shown; None where they are alike."""
    base = lineup.bases[column]
    if base is not None:
        return base if state == CHANGED else None
    changed = (j for j in range(1, len(lineup.columns)) if lineup.bases[j] == column)
    return next((j for j in changed if lineup.state(j, row) == CHANGED), None)


def snippet(other: str, words: str) -> tuple[str, str]:
    """Return a little of what two texts have in common, and the second from where they part."""
    low, high = 0, min(len(other), len(words))
    while low < high:
        middle = (low + high + 1) // 2
        if other[low:middle] == words[low:middle]:
            low = middle
        else:
            high = middle - 1
    while low and not words[low - 1 : low].isspace() and low > high - LEAD:
        low -= 1  # from the beginning of the word
    lead = " ".join(words[max(0, low - LEAD * 4) : low].split())
    if len(lead) > LEAD or low > LEAD * 4:
        short = lead[-LEAD:]
        lead = "…" + short[short.find(" ") + 1 :]
    gap = " " if words[low - 1 : low].isspace() else ""
    return (lead + gap if lead else ""), line(words[low : low + LABEL * 4]) or "(ends here)"


def line(words: str) -> str:
    """Return the beginning of a text as one line; cut, it ends in an ellipsis."""
    flat = " ".join(words[: LABEL * 4].split())
    whole = len(flat) <= LABEL and len(words) <= LABEL * 4
    return flat if whole else flat[:LABEL] + "…"


def _badges(lineup: Lineup, column: int, row: int) -> list[list[JSON]]:
    """Return this column's verdicts where they are not its base's, or not its forks'."""
    if lineup.bases[column] is not None:
        flips = lineup.turned[column].get(row, [])
        return [[f.auditor, f.peer, clip(f.after)] for f in flips]
    found = {
        (f.auditor, f.peer): f.before
        for j, base in enumerate(lineup.bases)
        if base == column
        for f in lineup.turned[j].get(row, [])
    }
    return [[auditor, peer, clip(v)] for (auditor, peer), v in found.items()]


def place(lineup: Lineup, row: int) -> list[int]:
    """Return a row's number and its positions among those that differ, and among flips."""
    return [row, _position(lineup.differing, row), _position(lineup.flipped, row)]


def _position(chosen: list[int], row: int) -> int:
    at = bisect_left(chosen, row)
    return at if at < len(chosen) and chosen[at] == row else -1


def about(lineup: Lineup, row: int, agents: dict[str, int]) -> list[JSON]:
    """Return kind, turn and agent of a row."""
    if row == 0:
        return ["run", None, None]
    path = lineup.paths[row]
    for column in lineup.columns:
        event = column.run.derived.get(path) or column.run.answers.get(path)
        if event is not None:
            agent = column.agent(event)
            kind = event.kind if isinstance(event, Posted) else event.event
            data = event.data if isinstance(event, Posted) else None
            name = f"{kind} {event.tool}" if isinstance(event, Called) else kind
            return [clip(name), exact(turn_of(path, data)), agents.get(agent or "")]
    return ["failed", exact(turn_of(path)), None]


def clip(text: str | None) -> str | None:
    """Return a text that fits into a label; cut, it ends in an ellipsis."""
    return text if text is None or len(text) <= LABEL else f"{text[:LABEL]}…"


def short(name: str) -> str:
    """Return a name or a path that fits into a few lines; cut, it ends in an ellipsis."""
    return name if len(name) <= NAME else f"{name[:NAME]}…"
