"""The static face of a run: HTML for a notebook cell, with no script and nothing from outside.

It is a function of the run's events, whatever the order in which they came, and of its file's name.
"""

from __future__ import annotations

from collections import Counter

from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Consulted,
    Failed,
    Lineage,
    Posted,
    Returned,
    Said,
)
from workbench.record.judgement import AUDITORS, TITLES, Judgement
from workbench.record.rows import model_names
from workbench.record.run import Run
from workbench.views.forms import said_of
from workbench.views.markup import (
    Room,
    badge,
    name,
    number,
    place,
    plural,
    pretty,
    safe,
    style,
    table,
)
from workbench.views.picture import inline_svg
from workbench.views.scenes import Scenes
from workbench.views.turns import Judgements, Story, edits, judgements, story

SIZE = 290_000
"""About how many bytes a face may have; a notebook keeps them in its file."""


def run_html(run: Run, title: str | None = None, audit: Run | None = None) -> str:
    """Return a run as HTML for a notebook cell.

    Texts of models are escaped and shown in full up to a bound; what is left out is told with a
    count. A run that cannot be told at all (odd data from elsewhere) gives a face that says so:
    showing a run never raises.

    Parameters
    ----------
    title : str, optional
        In place of the protocol's name.
    audit : Run, optional
        Its verdicts stand beside what they are about.

    Returns
    -------
    str
        One ``<div class="wb-run">`` of at most about 300 kB, in which a notebook sets no formulas:
        a model's words are shown as they came.
    """
    try:
        face = _face(run, title, judgements(audit))
        return f'<div class="wb-run mathjax_ignore">{style("style.css")}{face}</div>'
    except Exception as error:  # a display that raises kills the reader's cell
        told = f"{type(error).__name__}: {error}"
        return (
            '<div class="wb-run mathjax_ignore">'
            f"<p><strong>{name(title or run.started.protocol)}</strong>, "
            f"{plural(len(run), 'event')}. This run could not be shown: {name(told, 300)}</p></div>"
        )


def _face(run: Run, title: str | None, judged: Judgements) -> str:
    told = story(run)
    room = Room(SIZE, clip=8_000, lead=700)
    head = header(run, told, title, level=3)
    room.left -= len(head.encode()) + len(style("style.css"))
    picture = figure(run, told, judged)
    room.left -= len(picture.encode())
    scenes = Scenes(run, told, judged, room, level=4)
    body = [head, picture]
    if told.verdicts:
        body.append(verdict_tables(told.verdicts, room, scenes))
    if told.turns:
        body.append(room.each(told.turns, scenes.turn, "turn"))
    if told.others:
        title_ = "Other facts" if told.turns else "Facts"
        body.append(fact_table(title_, told.others, room))
    if not told.turns and not told.verdicts:
        body.append(_commands(run, told, room))
    rough = [] if told.turns else [gate for gate in told.gates if not gate.smooth]
    if rough:
        body.append(scenes.gates(rough))
    if run.result is not None:
        body.append(room.folded("Result", pretty(run.result)))
    return "".join(body)


def header(run: Run, told: Story, title: str | None, *, level: int) -> str:
    """Return what ran, its file, how it ended, what it used and what failed."""
    h, use = level, run.usage
    file = f"<code>{name(run.path.name, 120)}</code> · " if run.path else ""
    models = ", ".join(name(model, 60) for model in model_names(run)[:12]) or "no model"
    about = f" of run <code>{safe(run.started.subject[:12])}</code>" if run.started.subject else ""
    shown = name(title, 200) if title else f"{name(run.started.protocol, 60)}{about}"
    figures = [
        plural(use.calls, "model call"),
        f"{use.tokens_in:,} tokens read",
        f"{use.tokens_out:,} written",
        f"cost {cost(use.cost_usd)}",
    ]
    if use.inherited:
        figures.append(f"{plural(use.inherited, 'call')} inherited from the parent run")
    lineage = run.started.lineage
    fork = f'<p class="wb-by">Forked from {forked(lineage)}</p>' if lineage else ""
    return (
        f'<header class="wb-head"><h{h}>{shown} {badge(run.status)}</h{h}>'
        f'<p class="wb-by">{file}{models} · {" · ".join(figures)}</p>{fork}{trouble(run, told)}'
        "</header>"
    )


def forked(lineage: Lineage, digits: int = 12) -> str:
    """Return a fork's parent, its rule, and each edit with its path."""
    made = edits(lineage)
    listed = "; ".join(f"{what} {place(where)}" for what, where in made[:20])
    if len(made) > 20:
        listed += f"; {len(made) - 20:,} more not shown here"
    return (
        f"<code>{name(lineage.parent[:digits])}</code> under the rule “{name(lineage.rule)}”, "
        f"{plural(len(made), 'edit')}{f': {listed}' if listed else ''}"
    )


def cost(cost_usd: float | None) -> str:
    """Return dollars for reading; an unknown price is ``unknown``, never 0."""
    if cost_usd is None:
        return "unknown"
    return f"${cost_usd:,.2f}" if cost_usd >= 1 or cost_usd == 0 else f"${cost_usd:.4f}"


def trouble(run: Run, told: Story) -> str:
    """Return why a run did not end well, with each call that the world did not answer."""
    out = []
    if run.ended is not None and run.ended.error:
        error = run.ended.error
        more = f" … (+{len(error) - 2000:,} characters)" if len(error) > 2000 else ""
        out.append(f"<p><strong>The protocol raised.</strong> {safe(error[:2000])}{more}</p>")
    elif run.ended is None:
        waiting = sum(path not in run.answers for path in run.commands)
        given = ", given the run that it is a fork of" if run.needs_parent else ""
        out.append(
            "<p><strong>The run was interrupted</strong> before its end; "
            f"{plural(waiting, 'command')} without an answer. "
            f"A resume goes on from here{given}.</p>"
        )
    if told.failures:
        shown = "".join(_failure(e) for e in told.failures[:20])
        if len(told.failures) > 20:
            shown += f"<li>{plural(len(told.failures) - 20, 'more failure')} not shown here</li>"
        out.append(f"<p>{plural(len(told.failures), 'call')} failed:</p><ul>{shown}</ul>")
    return f'<div class="wb-warn" role="note">{"".join(out)}</div>' if out else ""


def _failure(event: Failed) -> str:
    return (
        f"<li>{place(event.path)} {name(event.error, 60)}: "
        f"{name(event.message, 400)} <span class='wb-soft'>"
        f"({plural(event.attempts, 'attempt')})</span></li>"
    )


def figure(run: Run, told: Story, judged: Judgements) -> str:
    """Return the run's picture in a figure that scrolls sideways where it is too wide."""
    drawn = inline_svg(run, told, judged)
    return f'<figure class="wb-scroll">{drawn}</figure>' if drawn else ""


def verdict_tables(verdicts: list[Posted], room: Room, scenes: Scenes) -> str:
    """Return one table an auditor, with its counts in the caption."""
    by: dict[str, list[Posted]] = {}
    for event in verdicts:
        by.setdefault(AUDITORS.get(event.kind, event.kind), []).append(event)
    return "".join(_verdict_table(name_, found, room, scenes) for name_, found in by.items())


def _verdict_table(auditor: str, events: list[Posted], room: Room, scenes: Scenes) -> str:
    found = [Judgement.read(event) for event in events]
    counts = Counter(one.verdict for one in found)
    tally = ", ".join(f"{name(v, 40)} {n:,}" for v, n in sorted(counts.items()))
    who = f"{TITLES[auditor]} auditor" if auditor in TITLES else name(auditor)
    caption = f"{who}: {tally} (n = {len(found):,})"
    scored = any(one.score is not None for one in found)
    head = ["What was judged", "Whose", "Verdict", *(["Score"] if scored else []), "Why"]

    def cells(event: Posted) -> str:
        one = Judgement.read(event)
        whose = scenes.who(one.author) if one.author else ""
        if one.peer:
            whose += f'<span class="wb-soft"> of </span>{scenes.who(one.peer)}'
        reason = one.reason if one.reason is not None else "\n".join(said_of(event)[1:])
        why = scenes.rules(one) if one.rules else room.prose(reason, "wb-plain")
        number_ = "" if one.score is None else number(one.score)
        return (
            f'<tr><th scope="row">{place(one.subject or event.path)}</th><td>{whose}</td>'
            f"<td>{badge(one.verdict)}</td>{f'<td class=wb-n>{number_}</td>' if scored else ''}"
            f'<td dir="auto">{why}</td></tr>'
        )

    body = room.each(events, cells, "verdict", rows=len(head))
    return table(caption, head, body, css="wb-verdicts", numbers=[3] if scored else [])


def fact_table(title: str, facts: list[Posted], room: Room) -> str:
    """Return facts of any kind as a table, with their number in the caption."""

    def row(event: Posted) -> str:
        told = "\n".join(f"{key}: {pretty(value)}" for key, value in event.data.items())
        return (
            f'<tr><th scope="row">{place(event.path)}</th>'
            f"<td>{name(event.kind, 60)}</td><td>{room.prose(told)}</td></tr>"
        )

    caption = f"{title} ({len(facts):,})"
    return table(caption, ["Path", "Kind", "Data"], room.each(facts, row, "fact", rows=3))


def _commands(run: Run, told: Story, room: Room) -> str:
    """Return asks and their replies, calls and consultations by path, for any protocol."""
    out = []
    if told.asks:
        caption = f"Model calls ({len(told.asks):,})"
        rows = room.each(told.asks, lambda asked: _ask_row(run, asked, room), "model call", rows=3)
        out.append(table(caption, ["Path", "Role", "Reply"], rows))
    if told.commands:
        caption = f"Tool calls and consultations ({len(told.commands):,})"
        rows = room.each(
            told.commands, lambda made: _command_row(run, made, room), "command", rows=3
        )
        out.append(table(caption, ["Path", "What", "Result"], rows))
    if not out:
        out.append('<p class="wb-none">Nothing has been asked in this run.</p>')
    return "".join(out)


def _ask_row(run: Run, asked: Asked, room: Room) -> str:
    answer = run.answers.get(asked.path)
    if isinstance(answer, Answered):
        stop = "" if answer.finish_reason == "stop" else f" {badge(answer.finish_reason)}"
        used = f"{number(answer.tokens_in)} tokens read, {number(answer.tokens_out)} written"
        said = f'{room.prose(answer.text)}<div class="wb-soft">{used}{stop}</div>'
    else:
        said = '<p class="wb-none">No answer.</p>'
    return _row(asked.path, name(asked.role, 60), said)


def _command_row(run: Run, made: Called | Consulted, room: Room) -> str:
    answer = run.answers.get(made.path)
    if isinstance(made, Called):
        what = f"{name(made.tool, 40)} {room.prose(pretty(made.args), 'wb-plain')}"
    else:
        what = room.prose(made.prompt)
    if isinstance(answer, Returned):
        said = room.prose(pretty(answer.value), "wb-plain")
    elif isinstance(answer, Said):
        said = room.prose(answer.text)
    else:
        said = '<p class="wb-none">No answer.</p>'
    return _row(made.path, what, said)


def _row(path: str, what: str, said: str) -> str:
    cell = f'<th scope="row">{place(path)}</th>'
    return f"<tr>{cell}<td>{what}</td><td>{said}</td></tr>"
