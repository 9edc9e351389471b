"""The static face of the Theory-of-Mind board: each turn's matrix as a table, with no script."""

from __future__ import annotations

from workbench.views.markup import Room, badge, name, number, plural, safe, style
from workbench.views.turns import Turn, title_of
from workbench_widgets.shared.faces import halted
from workbench_widgets.shared.source import Source
from workbench_widgets.tom.board import MOST, Board, Pair, board_of

SIZE = 270_000
"""About how many bytes the face may have; a notebook keeps them in its file."""

COUNTED = 200_000
"""Pairs that are counted one by one; in a longer run that would take seconds."""


def face(source: Source) -> str:
    """Return the matrices of all turns as HTML, as many as there is room for.

    What is left out is told with a count.
    """
    board = board_of(source)
    room = Room(SIZE, clip=400, lead=400)
    head = f"<h3>{name(title_of(source.run), 200)}: who foresaw what</h3>{_summary(board)}"
    head += halted(source)
    body = room.each(board.turns, lambda turn: _turn(board, turn), "turn")
    if not board.turns:
        body = '<p class="wb-none">No turn in which anyone was to speak.</p>'
    return f'<div class="wb-run mathjax_ignore">{style("style.css")}{head}{body}</div>'


def _summary(board: Board) -> str:
    verdicts = [judged.verdict for judged in board.source.judged.tom.values()]
    judged = sum(verdict in ("consistent", "inconsistent") for verdict in verdicts)
    said = ["no audit was given"]
    if board.source.audit is not None:
        said = [
            f"{verdicts.count('consistent'):,} consistent of {judged:,} judged",
            f"{len(verdicts) - judged:,} unknown",
        ]
    if len(board.turns) * len(board.agents) ** 2 <= COUNTED:
        found = [pair for turn in board.turns for pair in board.pairs(turn)]
        said.insert(0, plural(len(found), "prediction") + " due")
        unreached = sum(pair.unreached for pair in found)
        missing = sum(pair.missing is not None for pair in found) - unreached
        said.append(f"{missing:,} missing")
        if unreached:
            said.append(f"{unreached:,} not reached")
    state = f"{board.run.started.protocol} run, {board.run.status}"
    return f'<p class="wb-by">{name(state)}: {safe(" · ".join(said))}</p>'


def _turn(board: Board, turn: Turn) -> str:
    wanted = board.axes(turn)
    axes = wanted[:MOST]
    pairs = {(p.evaluator, p.peer): p for p in board.pairs(turn, axes)}
    heads = "".join(f'<th scope="col">{_who(board, agent)}</th>' for agent in axes)
    rows = "".join(
        f'<tr><th scope="row">{_who(board, one)}</th>'
        + "".join(f"<td>{_cell(pairs.get((one, other)), one == other)}</td>" for other in axes)
        + "</tr>"
        for one in axes
    )
    phase = f", {name(turn.phase, 60)}" if turn.phase else ""
    cut = len(wanted) - len(axes)
    more = f'<p class="wb-cut">{plural(cut, "more agent")} not shown.</p>' if cut else ""
    return (
        f'<div class="wb-scroll"><table class="wb-t"><caption>Turn {turn.number}{phase}: '
        f"a row predicts, a column is predicted</caption><thead><tr><td></td>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{more}"
    )


def _who(board: Board, agent: str) -> str:
    hue = board.source.hues.get(agent)
    css = "wb-who" if hue is None else f"wb-who wb-a{hue}"
    return f'<span class="{css}">{name(board.source.title(agent), 60)}</span>'


def _cell(pair: Pair | None, same: bool) -> str:
    if pair is None:
        return "" if same else '<span class="wb-soft">not due</span>'
    if pair.unreached:
        return '<span class="wb-soft">not reached</span>'
    if pair.missing is not None:
        return f'<span class="wb-none">missing: {name(pair.missing, 120)}</span>'
    if pair.judged is None:
        return '<span class="wb-soft">not judged</span>'
    score = f'<span class="wb-soft">cosine {number(pair.judged.score)}</span>'
    return f"{badge(pair.judged.verdict)} {score}"
