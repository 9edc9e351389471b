"""A coherence map on one page: its picture, and in words what does not hold together.

A function of the map alone: no script, nothing from outside. What is not shown is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.views.coherence_picture import Finding, drawing, findings, legend, picture
from workbench.views.markup import name, plural, safe, style, table

if TYPE_CHECKING:
    from workbench.deliberation.coherence import CoherenceMap

ROWS, WORDS, CLAIMS, NOTES = 100, 600, 20, 200
"""Findings of a kind, characters of a text, claims of a finding and notes that are shown."""

HEADS = {
    "contradiction": ("Contradictions", "One says", "The other says"),
    "term": ("Terms that are defined in two ways", "Term", "Definitions"),
    "circle": ("Circles", "How many lean on each other", "Claims"),
    "lost": ("References that lead nowhere", "Reference", "Claim"),
    "older": ("What a newer version changed", "Newer", "Older"),
}

_STYLE = ("style.css", "consultation.css", "coherence.css")


def coherence_html(
    told: CoherenceMap, *, title: str = "Coherence map", notes: Sequence[str] = ()
) -> str:
    """Return a map as one HTML document to print.

    Parameters
    ----------
    told : CoherenceMap
    title : str, optional
        Such as the corpus's name.
    notes : sequence of str, optional
        Lines about the corpus, such as what supersedes what.
    """
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{name(title, 200)}</title>{style(*_STYLE)}</head>"
        '<body class="wb-consult-page"><div class="wb-run wb-consult wb-k-page">'
        f"{_parts(told, title, notes)}</div></body></html>\n"
    )


def coherence_face(told: CoherenceMap) -> str:
    """Return the same as HTML for a notebook cell."""
    return (
        f'<div class="wb-run wb-consult wb-k-page mathjax_ignore">{style(*_STYLE)}'
        f"{_parts(told, 'Coherence map', ())}</div>"
    )


def _parts(told: CoherenceMap, title: str, notes: Sequence[str]) -> str:
    every = findings(told)
    body = _head(told, title, len(every))
    if every:
        body += _picture(told) + _tables(told, every)
    body += _listed("What versions leave open", told.problems) + _listed("Passport", notes)
    return body + _foot(told)


def _listed(head: str, notes: Sequence[str]) -> str:
    if not notes:
        return ""
    more = len(notes) - NOTES
    lines = "".join(f"<li>{name(note, WORDS)}</li>" for note in notes[:NOTES])
    lines += f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<section><h2>{head}</h2><ul>{lines}</ul></section>"


def _head(told: CoherenceMap, title: str, count: int) -> str:
    had = (
        f"{plural(len(told.claims), 'claim')}, {plural(len(told.terms), 'term')} and "
        f"{plural(len(told.dependencies), 'dependency', 'dependencies')}"
    )
    held = f"{plural(told.compared, 'pair')} of claims about one thing compared"
    found = (
        f"{plural(count, 'finding')} in {had}; {held}."
        if count
        else f"Nothing was found that does not hold together in {had}; {held}."
    )
    return (
        '<header><p class="wb-c-kicker">What the claims of a corpus say against each other, and '
        f"what they lean on · compared by rules</p><h1>{name(title, 200)}</h1>"
        f'<p class="wb-c-bound">{found}</p></header>'
    )


def _picture(told: CoherenceMap) -> str:
    made = drawing(told)
    leant = {row.claim for block in made.blocks for row in block if row.claim} - made.found
    without = len(told.claims) - len(made.found | leant | made.leant)
    left = [
        plural(count, noun) + rest
        for count, noun, rest in (
            (made.findings, "more finding", ""),
            (len(made.leant), "more claim", " that these lean on"),
            (without, "claim", " without any finding"),
        )
        if count
    ]
    nodes = "A filled node is a claim with a finding"
    nodes += ", a hollow one is only leant on." if leant else "."
    missing = f" Not drawn: {'; '.join(left)}." if left else ""
    return (
        f"<section><h2>Where it does not hold together</h2>{picture(told, made)}"
        f'{legend(made.lines)}<p class="wb-c-note">{nodes}{missing}</p></section>'
    )


def _tables(told: CoherenceMap, every: Sequence[Finding]) -> str:
    texts = {claim.id: claim.text for claim in told.claims}
    body = ""
    for kind, (caption, *heads) in HEADS.items():
        found = [one for one in every if one.kind == kind]
        if not found:
            continue
        rows = "".join(_row(told, one, heads, texts) for one in found[:ROWS])
        shown = table(f"{caption} ({len(found):,})", ["", *heads], rows, css="wb-pairs wb-k-table")
        more = len(found) - ROWS
        note = f'<p class="wb-c-note">And {more:,} more: the map itself holds all.</p>'
        body += f"<section>{shown}{note if more > 0 else ''}</section>"
    return body


def _row(told: CoherenceMap, one: Finding, heads: Sequence[str], texts: Mapping[str, str]) -> str:
    at, rule = one.number - 1, ""
    match one.kind:
        case "contradiction" | "older":
            conflict = (told.contradictions if one.kind == "contradiction" else told.temporal)[at]
            cells = [
                _claim(conflict.one, texts, conflict.only_one),
                _claim(conflict.other, texts, conflict.only_other),
            ]
            rule = f'<p class="wb-soft">by {name(conflict.rule.replace("_", " "), 30)}</p>'
        case "term":
            labels = {term.id: term.label for term in told.terms}
            label = labels[told.term_conflicts[at][0]]
            cells = [f'<span dir="auto">{name(label, WORDS)}</span>', _all(one.claims, texts)]
        case "circle":
            cells = [plural(len(one.claims), "claim"), _all(one.claims, texts)]
        case _:
            lost = name(told.dangling[at].reference, WORDS)
            cells = [f'<span dir="auto">{lost}</span>', _claim(one.claims[0], texts)]
    body = "".join(
        f'<td data-label="{head}">{cell}</td>' for head, cell in zip(heads, cells, strict=True)
    )
    return f'<tr><th scope="row"><b>{one.id}</b>{rule}</th>{body}</tr>'


def _all(ids: Iterable[str], texts: Mapping[str, str]) -> str:
    every = tuple(ids)
    more = len(every) - CLAIMS
    told = "".join(_claim(id, texts) for id in every[:CLAIMS])
    return told + (f'<p class="wb-soft">and {plural(more, "more claim")}</p>' if more > 0 else "")


def _claim(id: str, texts: Mapping[str, str], only: Sequence[str] = ()) -> str:
    words = name(", ".join(only), WORDS)
    words = f'<p class="wb-soft">stems only here: {words}</p>' if only else ""
    said = f'<p class="wb-quote" dir="auto">{name(texts[id], WORDS)}</p>'
    return f"<div><code>{name(id, 160)}</code>{said}{words}</div>"


def _foot(told: CoherenceMap) -> str:
    return (
        f"<footer>Passport of the corpus <code>{safe(told.passport)}</code>; structure "
        f"<code>{safe(told.structure)}</code>. What rules find is where to look, not what is "
        "wrong: words that only one side has may be a scope that makes both true.</footer>"
    )
