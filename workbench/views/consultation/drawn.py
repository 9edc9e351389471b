"""The topology of agreement as SVG, and its rows in words beside it."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.views.consultation.account import Account
from workbench.views.consultation.graph import (
    RADIUS,
    SHAPES,
    SIGNS,
    TALL,
    TOP,
    WIDE,
    Line,
    Node,
    middle,
    sides,
    steps,
    strokes,
)
from workbench.views.markup import name, plural, safe

FORMULA = (
    "confidence = overlap share \u00d7 evidence specificity \u00d7 (1 \u2212 divergence penalty)"
)


def shape(kind: str, x: float, y: float, size: float) -> str:
    """Return the mark of a class as SVG."""
    return (
        f'<path class="wb-c-{kind}" d="{SHAPES[kind]}" '
        f'transform="translate({x:g} {y:g}) scale({size:g})"/>'
    )


def chosen(found: Sequence[Line], most: int) -> list[Line]:
    """Return the rows that there is room for: blocks that diverge first, then claims."""
    ranks: dict[int, int] = {}
    for line in found:
        rank = (
            0 if any(kind == "divergence" for kind, _ in line.ties) else 1 + (not line.confidence)
        )
        ranks[line.block] = min(rank, ranks.get(line.block, rank))
    kept = sorted(found, key=lambda line: (ranks[line.block], line.place))[:most]
    return sorted(kept, key=lambda line: line.place)


def picture(told: Account, shown: Sequence[Line], columns: int) -> str:
    """Return rows of the topology as SVG."""
    height, made = TALL * len(shown), list(strokes(shown))
    left, right = sides(made, columns)
    body = "".join(
        f'<path class="wb-c-tick" d="M{middle(n, 0)[0]:g} 0V{height}"/>'
        f'<text class="wb-c-number" x="{middle(n, 0)[0]:g}" y="-4">{one.number}</text>'
        for n, one in enumerate(told.interpreters[:columns])
    )
    for stroke in made:
        body += f'<path class="wb-c-line wb-c-{stroke.kind}-line" d="{stroke.path}"/>'
    for row, line in enumerate(shown):
        for node, step in zip(line.nodes, steps(line), strict=True):
            if node.column < columns and step < 3:
                body += shape(kind_of(node), *middle(node.column, row, step), RADIUS)
    for stroke in made:
        if sign := SIGNS.get(stroke.kind):
            body += f'<text class="wb-c-sign" x="{stroke.x:g}" y="{stroke.y + 5:g}">{sign}</text>'
    told_ = f"Agreement of {plural(len(told.interpreters), 'interpreter')}, row by row"
    return (
        f'<svg viewBox="{left:g} {-TOP} {right - left:g} {height + TOP}" '
        f'style="--columns:{(right - left) / WIDE:g};--rows:{len(shown)}" '
        f'role="img" aria-label="{told_}">'
        f"{body}</svg>"
    )


def kind_of(node: Node) -> str:
    """Return the class that a node is drawn as."""
    return node.classes[0] if node.classes else "cited"


def formula(line: Line) -> str:
    """Return a claim's score with its parts; empty where there is none."""
    part = line.confidence
    if part is None:
        return ""
    return (
        f"{part.score:.2f} = {part.n_overlap}/{part.n_total} \u00d7 {part.evidence_specificity:g} "
        f"\u00d7 (1 \u2212 {part.divergence_penalty:.2f})"
    )


def label(line: Line, found: Sequence[Line], words: int) -> str:
    """Return a row in words: its score, its classes, what it is joined to, and its readings."""
    score = ""
    if line.confidence is not None:
        score = f"<strong>{safe(formula(line))}</strong> "
    ties = " ".join(f"{SIGNS[kind]}&#8201;{name(found[place].id, 12)}" for kind, place in line.ties)
    ties = f' <span class="wb-c-ties">{ties}</span>' if ties else ""
    told = name(" / ".join(line.texts), words)
    classes = ", ".join(dict.fromkeys(c for node in line.nodes for c in node.classes))
    return (
        f"<li><span><b>{name(line.id, 12)}</b> {score}"
        f'<span class="wb-soft">{classes}</span>{ties}</span>'
        f'<span class="wb-quote" dir="auto">{told}</span></li>'
    )
