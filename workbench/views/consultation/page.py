"""A consultation on one page: what was read, what came of it, and the proof of isolation.

A session of any size fits on one sheet of A4: texts are cut, and what is left out is counted. The
same parts, with more room, are the static face of the widget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from workbench.deliberation.consultation.divergence import DivergenceReport
from workbench.deliberation.consultation.topology import APART
from workbench.record.run import Run
from workbench.views.consultation.account import CLASSES, Account, Corpus, Row, account
from workbench.views.consultation.drawn import FORMULA, chosen, label, picture, shape
from workbench.views.consultation.graph import SIGNS, lines
from workbench.views.consultation.proof import UNSEEN, Condition, proof, reads
from workbench.views.markup import name, plural, safe, style, table

TYPES = {
    "corpus_ambiguity": "corpus ambiguity",
    "logical_contradiction": "logical contradiction",
    "scope_mismatch": "scope mismatch",
    "temporal_conflict": "temporal conflict",
}

STATES = (
    "divergence", "overlap", "unique", "unclassified", "one reader", "cited", "uncited"
)  # fmt: skip
"""Of passages, in the order in which they are shown where there is no room for all."""


class Room(NamedTuple):
    """How many of each are shown, and how many characters of a text."""

    marks: int
    passages: int
    lines: int
    divergences: int
    breaches: int
    columns: int
    words: int


FACE = Room(marks=40, passages=100, lines=100, divergences=40, breaches=60, columns=40, words=2_000)

SHEET, MARK, ROW, LINE, REPORT, BREACH = 425, 18, 36, 38, 77, 18
"""The height of what a sheet of A4 has besides its head and the proof, and of what stands there."""


def on_a_sheet(told: Account) -> Room:
    """Return what fits on a sheet of A4: up to three reports, then rows and passages alike."""
    topology = told.topology
    found = (len(lines(told)), len(topology.divergences)) if topology is not None else (0, 0)
    marks, breaches, reports = min(5, len(told.marks)), min(4, len(told.breaches)), min(3, found[1])
    left = SHEET - MARK * marks - BREACH * breaches - REPORT * reports
    shown = min(found[0], left // 2 // LINE)
    passages = min(len(told.rows), (left - shown * LINE) // ROW)
    shown = min(found[0], (left - passages * ROW) // LINE)
    return Room(marks, passages, shown, reports, breaches, columns=10, words=120)


def consultation_html(
    run: Run,
    *,
    title: str | None = None,
    comparison: Run | None = None,
    corpus: Corpus | None = None,
) -> str:
    """Return a session as one HTML document that prints on one sheet of A4.

    Parameters
    ----------
    run : Run
        A consultation or a verification, finished or not.
    title : str, optional
        In place of the question.
    comparison : Run, optional
        A comparer's run about it, which decides pairs that rules leave undecided.
    corpus : path, optional
        The page then says whether the output is still valid for this folder.

    Raises
    ------
    RunError
        If the comparison is about another run.
    """
    told = account(run, comparison, corpus)
    head = name(title or told.question or told.mode, 200)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{head}</title>{style('style.css', 'consultation.css')}</head>"
        f'<body class="wb-consult-page"><div class="wb-run wb-consult wb-sheet">'
        f"{parts(told, on_a_sheet(told), title)}</div></body></html>\n"
    )


def face(told: Account) -> str:
    """Return the same as HTML for a notebook cell."""
    return (
        f'<div class="wb-run wb-consult mathjax_ignore">{style("style.css", "consultation.css")}'
        f"{parts(told, FACE)}</div>"
    )


def parts(told: Account, room: Room, title: str | None = None) -> str:
    """Return the parts of the page; what does not fit into `room` is counted."""
    body = [_head(told, room, title)]
    if told.made is not None:
        body += [_passages(told, room), _topology(told, room), _divergences(told, room)]
    body += [_isolation(told, room), _foot(told)]
    return "".join(body)


def _head(told: Account, room: Room, title: str | None) -> str:
    kept = told.marks[: room.marks]
    marks = "".join(
        f'<li class="wb-{mark.kind}"><strong>{name(mark.text, room.words)}</strong></li>'
        for mark in kept
    )
    if len(told.marks) > len(kept):
        marks += f"<li>and {plural(len(told.marks) - len(kept), 'more mark')}</li>"
    marks = (
        f'<ul class="wb-c-marks" aria-label="Marks of the session">{marks}</ul>' if marks else ""
    )
    shown = name(title or told.question or told.mode, 2 * room.words)
    return (
        f'<header><p class="wb-c-kicker">{safe(told.mode.capitalize())} by isolated interpreters · '
        f"{_standing(told)}</p><h1>{shown}</h1>{_bound(told)}{marks}</header>"
    )


def _standing(told: Account) -> str:
    if told.made is None:
        return "nothing to tell"
    if not told.made.valid:
        return "INVALID"
    if told.made.nonconformant:
        return "NON-CONFORMANT"
    return "conformant, isolation kept" if told.made.complete else "INCOMPLETE"


def _bound(told: Account) -> str:
    if told.made is None:
        return ""
    made = told.made
    package = f"package <code>{name(made.package.digest[:12])}</code>"
    if told.current is None:
        bound = f"Valid for corpus version <code>{name(made.passport[:12])}</code>"
    else:
        now = str(told.current).replace("valid", "Valid", 1)
        bound = f"{safe(now)}"
    counts = Counter(names for found in told.classes.values() for names in found)
    classes = ", ".join(f"{counts[c]:,} {c}" for c in CLASSES if counts[c])
    n = len(made.topology.interpreters)
    reported = f"n = {n:,} of {plural(made.interpreters, 'interpreter')} reported"
    found = plural(len(told.findings), "finding")
    return (
        f'<p class="wb-c-bound">{bound}, {package}. '
        f"{reported}; {found}{f': {classes}' if classes else ''}.</p>"
    )


def _mark(kind: str, many: int = 1) -> str:
    drawn = (
        f'<svg class="wb-c-mark" viewBox="-8 -8 16 16" role="img" aria-label="{kind}">'
        f"{shape(kind, 0, 0, 6)}</svg>"
    )
    return f"{drawn}{f'<small>{many:,}</small>' if many > 1 else ''}"


def kinds(told: Account, places: Sequence[int]) -> Counter[str]:
    """Return how many of these findings are in each class; ``cited`` without a topology."""
    found: Counter[str] = Counter()
    for place in places:
        found.update(told.classes.get(told.findings[place].id) or ("cited",))
    return found


def _passages(told: Account, room: Room) -> str:
    first = sorted(told.rows, key=lambda row: STATES.index(row.states[0]))
    kept = {row.id for row in first[: room.passages]}
    rows = [row for row in told.rows if row.id in kept]
    if not rows:
        return "<section><h2>Passages</h2><p>The package holds none.</p></section>"
    columns = told.interpreters[: room.columns]
    head = ["Passage", *(_column(c.number, c.family, c.state) for c in columns), "Readings"]
    body = "".join(_row(told, row, len(columns), room) for row in rows)
    hidden = [row for row in told.rows if row.id not in kept]
    left = Counter("uncited" if row.states == ("uncited",) else "cited" for row in hidden)
    more = ", ".join(f"{left[kind]:,} more {kind}" for kind in ("cited", "uncited") if left[kind])
    if len(told.interpreters) > len(columns):
        more += f"; {len(told.interpreters) - len(columns):,} more interpreters"
    note = f'<p class="wb-c-note">{more.removeprefix("; ")}: the run holds all.</p>' if more else ""
    caption = "Passages in the order of the corpus, and the class of each finding that cites them"
    legend = "".join(
        f"<span>{_mark(kind)} {kind}</span>"
        for kind in ([*CLASSES[:4]] if told.topology else ["cited"])
    )
    legend += '<span><span class="wb-c-hatch"></span> not given</span>'
    return (
        f'<section style="--columns:{len(columns)}">'
        f"{table(caption, head, body, css='wb-c-passages')}"
        f'<p class="wb-c-legend">{legend}</p>{note}</section>'
    )


def _column(number: int, family: str, state: str) -> str:
    lost = "" if state == "reported" else f' <em class="wb-bad">{state}</em>'
    return f'<span class="wb-who wb-a{(number - 1) % 8}">{number}</span> {name(family, 14)}{lost}'


def _row(told: Account, row: Row, columns: int, room: Room) -> str:
    passage = row.passage
    if passage is None:
        words, marks = "(the whole document)", ""
    else:
        words = " ".join(passage.text.split())
        marks = f" · version {name(passage.version, 20)}" if passage.version else ""
        if passage.superseded_by:
            by = name(passage.superseded_by[0], 60)
            marks += f' · <strong class="wb-unsure">superseded by {by}</strong>'
    cells = ""
    for column in range(columns):
        if not row.given[column]:
            cells += '<td class="wb-c-cell"><span class="wb-c-hatch" title="not given"></span></td>'
            continue
        found = kinds(told, row.cells[column])
        marks_ = "".join(_mark(k, found[k]) for k in (*CLASSES, "cited") if found[k])
        cells += f'<td class="wb-c-cell">{marks_}</td>'
    rests = [*row.divergences, *row.claims]
    ids = " ".join(rests[:3]) + (f" +{len(rests) - 3}" if len(rests) > 3 else "")
    states = f"<span>{safe(', '.join(row.states))}</span><span>{safe(ids)}</span>"
    return (
        f'<tr><th scope="row">'
        f'<span class="wb-c-where"><code>{name(row.id, 70)}</code>{marks}</span>'
        f'<span class="wb-c-words" dir="auto">{name(words, room.words)}</span></th>'
        f'{cells}<td class="wb-c-state">{states}</td></tr>'
    )


def _topology(told: Account, room: Room) -> str:
    head = "<h2>Topology of agreement</h2>"
    if told.topology is None:
        return (
            f"<section>{head}<p>None is shown: isolation was broken, so that agreement here tells "
            "nothing of the corpus. The findings stay in the run.</p></section>"
        )
    found = lines(told)
    if not found:
        return f"<section>{head}<p>No interpreter found anything.</p></section>"
    shown = chosen(found, room.lines)
    columns = min(len(told.interpreters), room.columns)
    labels = "".join(label(line, found, room.words) for line in shown)
    more = len(found) - len(shown)
    note = f" {plural(more, 'more row')} (first shown is what diverges): the run holds all."
    note = note if more else ""
    signs = ", ".join(
        f"{SIGNS[kind]} {word}"
        for kind, word in (
            ("divergence", "diverges from"),
            ("other", "answers another question than"),
            ("undecided", "undecided against"),
        )
        if any(kind == k for line in shown for k, _ in line.ties)
    )
    score = FORMULA
    if told.made is not None and told.made.nonconformant:
        score = "No confidence is told: the session is not conformant"
    told_ = f"{score}. {signs}." if signs else f"{score}."
    return (
        f'<section>{head}<div class="wb-c-graph">{picture(told, shown, columns)}'
        f"<ol>{labels}</ol></div>"
        f'<p class="wb-c-note">A column an interpreter, a node a finding; what is joined in a row '
        f"overlaps. {told_} {APART.capitalize()}.{note}</p></section>"
    )


def _divergences(told: Account, room: Room) -> str:
    if told.topology is None:
        return ""
    head, found = "<h2>Divergence reports</h2>", told.topology.divergences
    if not found:
        left = len(told.topology.classes.undecided)
        why = "no passage is read in two ways"
        if left:
            why = f"but {plural(left, 'pair')} of readings {'is' if left == 1 else 'are'} undecided"
        return f"<section>{head}<p>None: {why}.</p></section>"
    body = "".join(_report(one, room) for one in found[: room.divergences])
    more = len(found) - room.divergences
    note = f'<p class="wb-c-note">{plural(more, "more report")}: the run holds all.</p>'
    return f"<section>{head}{body}{note if more > 0 else ''}</section>"


def _report(one: DivergenceReport, room: Room) -> str:
    sides = "".join(
        f'<blockquote><p class="wb-quote" dir="auto">{name(side.text, room.words)}</p>'
        f'<p class="wb-soft">{_by(side.findings)}{_stated(side.stated)}</p></blockquote>'
        for side in one.readings[:2]
    )
    more = len(one.readings) - 2
    told = f" · {plural(more, 'more reading')}" if more > 0 else ""
    return (
        f'<article class="wb-c-report"><h3>{name(one.id)} {TYPES[one.type]} '
        f'<span class="wb-soft">at {name(", ".join(one.passages), 100)}{told}</span></h3>'
        f"<div>{sides}</div><p>Recommended: <strong>{safe(one.action)}</strong></p></article>"
    )


def _by(findings: Sequence[str]) -> str:
    return f"finding {', '.join(findings[:6])}{f' +{len(findings) - 6}' * (len(findings) > 6)}"


def _stated(stated: bool | None) -> str:
    if stated is None:
        return ""
    return "; its value stands there" if stated else "; its value does not stand there"


def _isolation(told: Account, room: Room) -> str:
    if not told.checked:
        return "<section><h2>Isolation</h2><p>It was not checked.</p></section>"
    rows = "".join(_condition(one) for one in proof(told))
    head = ["", "Condition", "What was checked", "Kept"]
    read = "; ".join(
        f"{r.interpreter}: {plural(r.parts, 'part')} from {plural(r.sources, 'source')}"
        for r in reads(told)[: room.columns]
    )
    broken = "".join(
        f"<li>({safe(b.condition)}) {name(b.rule, 30)} at <code>{name(b.path, 60)}</code>"
        f"{'' if b.part is None else f', part {b.part}'}"
        f"{'' if b.source is None else f', from <code>{name(b.source, 60)}</code>'}: "
        f"{name(b.what, room.words)}</li>"
        for b in told.breaches[: room.breaches]
    )
    more = len(told.breaches) - room.breaches
    broken += f"<li>and {plural(more, 'more breach', 'more breaches')}</li>" if more > 0 else ""
    listed = f'<ul class="wb-c-breaches">{broken}</ul>' if broken else ""
    note = f"Read by interpreter {read}. " if read else ""
    return (
        f"<section>{table('Isolation', head, rows, css='wb-c-proof')}{listed}"
        f'<p class="wb-c-note">{note}{UNSEEN}</p></section>'
    )


def _condition(one: Condition) -> str:
    kept = (
        f'<span class="wb-bad"><strong>✗ broken</strong> ({len(one.breaches):,})</span>'
        if one.breaches
        else '<span class="wb-good"><strong>✓ kept</strong></span>'
        if one.shown
        else '<span class="wb-bad">not shown</span>'
    )
    return (
        f'<tr><th scope="row">{one.name}</th><td>{one.forbids}</td>'
        f"<td>{safe(one.checked)}</td><td>{kept}</td></tr>"
    )


def _foot(told: Account) -> str:
    run = told.run
    file = name(run.path.name if run.path else "FILE.run.jsonl", 60)
    digest = "" if told.made is None else f" (run <code>{safe(told.made.run[:12])}</code>)"
    return (
        f"<footer><p>It characterises what the corpus supports under this question, and selects no "
        f"answer. Texts are cut where they are long. Check it: <code>workbench check isolation "
        f"{file}</code>, <code>workbench verify {file}</code>{digest}. workbench "
        f"{name(run.started.package or '', 20)}</p></footer>"
    )
