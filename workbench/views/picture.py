"""A run as one picture: a lane an agent, a column a turn, and a line from words to their reader."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.record.authors import authors
from workbench.record.events import Asked, Called, Posted
from workbench.record.order import owner_of, turn_of
from workbench.record.plainly import text
from workbench.record.run import Run
from workbench.views.agents import DARK, LIGHT, hues
from workbench.views.agents import agents as acting
from workbench.views.markup import name, plural, safe
from workbench.views.turns import Judgements, Story, judgements, shown, story

_LANE = 52
_STEP = 24
_LEFT = 150
_WIDE = 880
_TOP = 40
_LANES = 14
_LEVELS = 120

_Column = tuple[int | None, list[int]]


@dataclass(slots=True)
class _Mark:
    path: str
    kind: str
    lane: str
    turn: int | None
    clock: int
    label: str = ""
    x: float = 0.0
    y: float = 0.0


def run_svg(run: Run, audit: Run | None = None) -> str:
    """Return the run's picture as a stand-alone SVG.

    Time goes from left to right: a mark stands at its Lamport time, so that the picture is the same
    whoever answered first. A line leads from a goal or a proposal to the first prompt of each agent
    that held it.

    Parameters
    ----------
    audit : Run, optional
        Its verdicts on proposals are drawn beside them, as a tick, a cross or a question mark.
    """
    body, width, height = _draw(run, story(run), judgements(audit))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wb-alone" width="{width:g}" '
        f'height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{_label(run)}" '
        f'font-family="system-ui, sans-serif"><style>{_DARK}</style>{body}</svg>'
    )


def inline_svg(run: Run, told: Story, judged: Judgements) -> str:
    """Return the picture for a page that brings its own style.

    Empty for an audit, whose judges do not speak to each other, and where there is nothing to draw.
    """
    body, width, height = (
        _draw(run, told, judged) if run.started.subject is None else ("", 0.0, 0.0)
    )
    if not body:
        return ""
    return (
        f'<svg class="wb-picture" style="max-width:{width:g}px;min-width:{min(width, 780):g}px" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{_label(run)}">{body}</svg>'
    )


_DARK = (
    "@media(prefers-color-scheme:dark){"
    + "".join(
        f".wb-alone .{css}{{{rule}}}"
        for css, rule in (
            ("wb-paper", "fill:#17181b"),
            ("wb-hollow", "fill:#17181b"),
            ("wb-soft", "fill:#a9a6a0"),
            ("wb-line", "stroke:#3a3b3f"),
            ("wb-vg", "fill:#6fd39b"),
            ("wb-vb", "fill:#ff9d94"),
            *((f"wb-f{i}", f"fill:{colour}") for i, colour in enumerate(DARK)),
            *((f"wb-s{i}", f"stroke:{colour}") for i, colour in enumerate(DARK)),
        )
    )
    + "}"
)


def _label(run: Run) -> str:
    return f"Picture of a run of {name(run.started.protocol)}: who spoke when, and who read whom"


def _marks(run: Run) -> tuple[list[_Mark], list[tuple[str, str]]]:
    """Return the marks in causal order, and the (source, reader) pairs of paths."""
    marks: list[_Mark] = []
    reads: list[tuple[str, str]] = []
    seen: set[tuple[str, str]] = set()
    lanes = authors(run)
    for event in run.commands_and_facts():
        path, turn = event.path, turn_of(event.path)
        if isinstance(event, Asked):
            kind = "ask" if path in run.answers else "unanswered"
            marks.append(_Mark(path, kind, event.role, turn, event.clock))
            for part in event.parts:
                source = part.source
                known = lanes.get(source) if source is not None else None
                if source is None or known in (None, event.role):
                    continue
                if (source, event.role) not in seen:
                    seen.add((source, event.role))
                    reads.append((source, path))
        elif isinstance(event, Called):
            lane = owner_of(path)
            if lane is not None:
                kind = "search" if event.tool == "search" else "call"
                marks.append(_Mark(path, kind, lane, turn, event.clock))
        elif isinstance(event, Posted) and event.kind != "Gated":
            turn = turn_of(path, event.data)
            if event.kind in ("GoalSet", "RuleAdded", "Ratified"):
                lanes.setdefault(path, "meta_agent")
            lane = lanes.get(path)
            if lane is None or "verdict" in event.data:
                continue
            kind = _KINDS.get(event.kind, "fact")
            label = {"goal": "phase", "decision": "decision", "rule": "id"}.get(kind, "")
            told = text(event.data.get(label)) or "" if label else ""
            marks.append(_Mark(path, kind, lane, turn, event.clock, told))
    return marks, reads


_KINDS = {
    "GoalSet": "goal",
    "RuleAdded": "rule",
    "Proposed": "proposal",
    "NotProposed": "unread",
    "Ratified": "decision",
}


def _draw(run: Run, told: Story, judged: Judgements) -> tuple[str, float, float]:
    marks, reads = _marks(run)
    if not marks:
        return "", 0.0, 0.0
    found = list(dict.fromkeys(m.lane for m in marks))
    leaders = [m.lane for m in marks if m.kind in ("goal", "decision")]
    agents = [a for a in told.agents if a in found]
    followers = list(dict.fromkeys(x for x in (*agents, *found) if x not in leaders))
    hue = hues(run, (*acting(run), *told.agents, *found))
    lanes = [*dict.fromkeys(leaders), *followers][:_LANES]
    hidden_lanes = len(found) - _LANES
    columns, hidden_turns = _columns([m for m in marks if m.lane in set(lanes)])
    height = _TOP + _LANE * len(lanes) + 34
    out: list[str] = []
    at: dict[tuple[int | None, int], float] = {}
    x = float(_LEFT)
    step = min(max(_WIDE / sum(len(levels) + 0.6 for _, levels in columns), _STEP), 2 * _STEP)
    for turn, levels in columns:
        width = max((len(levels) + 0.6) * step, 76)
        out.append(_column(turn, x, _TOP + _LANE * len(lanes)))
        pad = (width - (len(levels) - 1) * step) / 2
        at |= {(turn, level): x + pad + i * step for i, level in enumerate(levels)}
        x += width
    place = {lane: _TOP + _LANE * i + _LANE / 2 for i, lane in enumerate(lanes)}
    drawn: dict[str, _Mark] = {}
    for mark in marks:
        if mark.lane in place and (mark.turn, mark.clock) in at:
            mark.x, mark.y = at[mark.turn, mark.clock], place[mark.lane]
            drawn[mark.path] = mark
    for lane, y in place.items():
        out.append(
            f'<line class="wb-line" x1="{_LEFT}" y1="{y:g}" x2="{x:g}" y2="{y:g}" '
            'stroke="#d9d5cc"/>'
            f'<text class="wb-f{hue[lane]}" x="{_LEFT - 14}" y="{y + 4:g}" '
            'text-anchor="end" '
            f'font-size="12.5" font-weight="600" fill="{LIGHT[hue[lane]]}">'
            f"{name(shown(lane, told.titles), 20)}</text>"
        )
    for source, reader in reads:
        if source in drawn and reader in drawn:
            out.append(_thread(drawn[source], drawn[reader], hue[drawn[source].lane]))
    out += [_glyph(m, hue[m.lane], judged) for m in drawn.values()]
    legend = _legend({m.kind for m in drawn.values()}, judged)
    total = max(x + 14, _LEFT + 30 + 6.4 * len(legend))
    out.append(
        f'<text class="wb-soft" x="{_LEFT}" y="{height - 12}" font-size="11.5" fill="#66625b" '
        f'xml:space="preserve">{legend}</text>'
    )
    missing = []
    if hidden_turns:
        missing.append(plural(hidden_turns, "later column"))
    if hidden_lanes > 0:
        missing.append(plural(hidden_lanes, "more agent"))
    if missing:
        height += 18
        out.append(
            f'<text class="wb-soft" x="{_LEFT}" y="{height - 10}" font-size="11.5" fill="#66625b">'
            f"Not drawn: {' and '.join(missing)}.</text>"
        )
    paper = f'<rect class="wb-paper" width="{total:g}" height="{height:g}" rx="6" fill="#fbfaf7"/>'
    return paper + "".join(out), total, height


def _columns(marks: list[_Mark]) -> tuple[list[_Column], int]:
    """Return the turns with the clocks that hold a mark, as many as fit, and how many do not."""
    found: dict[int | None, set[int]] = {}
    for mark in marks:
        found.setdefault(mark.turn, set()).add(mark.clock)
    order = sorted(found, key=lambda turn: (min(found[turn]), turn if turn is not None else -1))
    columns: list[_Column] = []
    room = _LEVELS
    for count, turn in enumerate(order):
        levels = sorted(found[turn])
        if columns and len(levels) > room:
            return columns, len(order) - count
        columns.append((turn, levels[:room]))
        if len(levels) > room:
            return columns, len(order) - count
        room -= len(levels)
    return columns, 0


def _column(turn: int | None, x: float, bottom: float) -> str:
    if turn is None:
        return ""
    return (
        f'<line class="wb-line" x1="{x:g}" y1="16" x2="{x:g}" y2="{bottom:g}" stroke="#d9d5cc" '
        'stroke-dasharray="2 4"/>'
        f'<text class="wb-soft" x="{x + 8:g}" y="24" font-size="11.5" fill="#66625b">'
        f"Turn {turn}</text>"
    )


def _thread(a: _Mark, b: _Mark, hue: int) -> str:
    x1, x2 = a.x + 7, b.x - 6
    bend = max(14.0, (x2 - x1) * 0.5)
    return (
        f'<path class="wb-s{hue}" d="M{x1:.4g} {a.y:g}C{x1 + bend:.4g} {a.y:g} '
        f'{x2 - bend:.4g} {b.y:g} {x2:.4g} {b.y:g}m-4 -3l4 3l-4 3" fill="none" '
        f'stroke="{LIGHT[hue]}" stroke-width="1.2" stroke-opacity=".6"/>'
    )


def _glyph(mark: _Mark, hue: int, judged: Judgements) -> str:
    x, y = mark.x, mark.y
    stroke, colour = f"wb-s{hue}", LIGHT[hue]
    solid = f'class="wb-f{hue}" fill="{colour}"'
    hollow = f'class="{stroke} wb-hollow" stroke="{colour}" fill="#fbfaf7" stroke-width="1.5"'
    extra = ""
    match mark.kind:
        case "ask":
            shape = f'<circle {solid} cx="{x:g}" cy="{y:g}" r="2.6"/>'
        case "unanswered":
            shape = f'<circle {hollow} cx="{x:g}" cy="{y:g}" r="3.4" stroke-dasharray="2 1.5"/>'
        case "search" | "call":
            shape = f'<rect {hollow} x="{x - 4:g}" y="{y - 4:g}" width="8" height="8"/>'
        case "goal":
            shape = f'<rect {solid} x="{x - 6.5:g}" y="{y - 6.5:g}" width="13" height="13" rx="3"/>'
            extra = _note(mark.label, x, y - 13)
        case "decision":
            shape = f'<path {solid} d="M{x:g} {y - 8:g}l8 8l-8 8l-8 -8z"/>'
            extra = _note(mark.label, x, y - 13)
        case "rule":
            shape = f'<circle {hollow} cx="{x:g}" cy="{y:g}" r="4"/>'
            extra = _note(f"+{mark.label}", x, y - 11)
        case "proposal":
            shape = f'<circle {solid} cx="{x:g}" cy="{y:g}" r="7"/>'
        case "unread":
            shape = (
                f'<path class="{stroke}" d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10" '
                f'stroke="{colour}" stroke-width="2.2" fill="none"/>'
            )
        case _:
            shape = f'<circle {solid} cx="{x:g}" cy="{y:g}" r="4.5"/>'
    found = judged.logic.get(mark.path)
    if found is not None:
        sign = {"VALID": "✓", "INVALID": "✗"}.get(found.verdict, "?")
        css, tone = {"✓": ("wb-vg", "#0b6b3a"), "✗": ("wb-vb", "#b3261e")}.get(
            sign, ("wb-soft", "#66625b")
        )
        extra += (
            f'<text class="{css}" x="{x:g}" y="{y - 11:g}" text-anchor="middle" font-size="13" '
            'font-weight="700" '
            f'fill="{tone}">{sign}</text>'
        )
    told = f"{mark.kind} {name(mark.path, 120)}" + (f" · {safe(found.verdict)}" if found else "")
    # An attribute: where a page's pictures are taken out for safety, no words are left behind.
    return f'<g role="img" aria-label="{told}">{shape}{extra}</g>'


def _note(words: str, x: float, y: float) -> str:
    if not words:
        return ""
    return (
        f'<text class="wb-soft" x="{x:g}" y="{y:g}" text-anchor="middle" font-size="10.5" '
        f'fill="#66625b">{name(words, 14)}</text>'
    )


_LEGEND = (
    ("goal", "■ goal"),
    ("ask", "· model call"),
    ("search", "□ search"),
    ("call", "□ tool call"),
    ("proposal", "● proposal"),
    ("unread", "✗ could not be read"),
    ("unanswered", "◌ no answer"),
    ("decision", "◆ decision"),
    ("fact", "• fact"),
)


def _legend(kinds: set[str], judged: Judgements) -> str:
    words = [label for kind, label in _LEGEND if kind in kinds]
    words.append("→ first read by")
    if judged.logic:
        unsure = {one.verdict for one in judged.logic.values()} - {"VALID", "INVALID"}
        words.append("✓ ✗ ? logic audit" if unsure else "✓ ✗ logic audit")
    return "    ".join(words)
