"""A run as one HTML file to keep, print or send: no script, no network, nothing else needed."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime

from workbench.errors import WorkbenchError
from workbench.record.events import JSON, Answered, Asked
from workbench.record.families import lineage_of
from workbench.record.rows import model_names
from workbench.record.run import Run, open_run
from workbench.views.html import cost, fact_table, figure, forked, trouble, verdict_tables
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
from workbench.views.scenes import Scenes
from workbench.views.turns import judgements, story, title_of

SIZE = 12_000_000
"""About how many bytes a report may have; what is left out is told with a count."""

Source = Run | str | os.PathLike[str]


def report_html(run: Source, audit: Source | None = None, *, title: str | None = None) -> str:
    """Return the report on a run as one HTML document.

    It holds what ran and how to replay it, the audit's summary figures, the turns with the audit's
    verdicts beside what they are about, the rules with how often they were broken, every raw reply,
    and what the structural gate had to mend.

    Parameters
    ----------
    run : Run or path
        Of any protocol and any status.
    audit : Run or path, optional
        An audit of that run. If it is one of another run, the report says so and leaves its
        verdicts out.
    title : str, optional
        In place of the case's title.
    """
    whole = run if isinstance(run, Run) else open_run(run)
    audited = audit if audit is None or isinstance(audit, Run) else open_run(audit)
    return _Report(whole, audited, title).page()


class _Report:
    """One report in the making."""

    def __init__(self, run: Run, audit: Run | None, title: str | None) -> None:
        self.run = run
        self.told = story(run)
        self.title = title or title_of(run)
        self.stranger = audit is not None and audit.started.subject != run.digest
        self.audit = None if self.stranger else audit
        self.judged = judgements(self.audit)
        self.room = Room(SIZE, clip=60_000, lead=1_400)
        self.scenes = Scenes(run, self.told, self.judged, self.room, level=3)

    def page(self) -> str:
        parts = [
            self._head(),
            self._picture(),
            self._summary(),
            self._turns(),
            self._generic(),
            self._rules(),
            self._what_ran(),
            self._replies(),
            self._gates(),
        ]
        return (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "style-src 'unsafe-inline'\">"
            f"<title>{name(self.title, 200)}</title>{style('style.css', 'report.css')}</head>"
            f'<body class="wb-page"><div class="wb-run wb-report">'
            f"{parts[0]}<main>{''.join(parts[1:])}</main>{self._foot()}</div></body></html>\n"
        )

    def _head(self) -> str:
        run, use, told = self.run, self.run.usage, self.told
        ran = [plural(len(told.turns), "turn")] if told.turns else []
        if told.agents:
            ran.append(plural(len(told.agents), "specialist"))
        ran += [plural(use.calls, "model call"), f"{use.tokens_in + use.tokens_out:,} tokens"]
        ran.append(f"cost {cost(use.cost_usd)}")
        models = ", ".join(name(m, 60) for m in model_names(run)[:8]) or "no model"
        date = _date(run.started.at)
        about = " · ".join([models, *([date] if date else [])])
        links = [(f"turn-{t.number}", f"Turn {t.number}") for t in told.turns[:24]]
        if told.rules and self.judged:
            links.append(("rules", "Rules"))
        links += [("ran", "What ran"), ("replies", "Raw replies")]
        nav = "".join(f'<li><a href="#{anchor}">{label}</a></li>' for anchor, label in links)
        brief = self._brief()
        return (
            f'<header class="wb-head"><p class="wb-kicker">{name(run.started.protocol, 60)} run'
            f" {badge(run.status)}</p><h1>{name(self.title, 200)}</h1>{brief}"
            f'<p class="wb-by">{" · ".join(ran)}</p><p class="wb-by">{about}</p>'
            f"{trouble(run, told)}{self._stranger()}</header>"
            f'<nav aria-label="Contents"><ul>{nav}</ul></nav>'
        )

    def _brief(self) -> str:
        case = self.run.started.params.get("case")
        brief = case.get("brief") if isinstance(case, dict) else None
        return self.room.prose(brief, "wb-say wb-brief", lead=330) if isinstance(brief, str) else ""

    def _stranger(self) -> str:
        if not self.stranger:
            return ""
        return (
            '<div class="wb-warn" role="note"><p><strong>The audit that was given is of another '
            "run</strong>, so its verdicts are left out.</p></div>"
        )

    def _picture(self) -> str:
        drawn = figure(self.run, self.told, self.judged)
        if not drawn:
            return ""
        return f'<section><h2 id="picture">Who spoke, and who read whom</h2>{drawn}</section>'

    def _summary(self) -> str:
        if self.audit is None:
            return ""
        figures, more = self._figures()
        judge = (
            ", ".join(name(m, 90) for m in model_names(self.audit, family=True)[:8]) or "no model"
        )
        status = "" if self.audit.status == "complete" else f" {badge(self.audit.status)}"
        return (
            f'<section><h2 id="audit">What the auditors found{status}</h2>'
            f'<p class="wb-by">Judged by {judge}{self._kin()} in a run of its own; the specialists '
            f'never saw a verdict.</p>{figures}<div class="wb-two">{self._tally()}{more}</div>'
            "</section>"
        )

    def _figures(self) -> tuple[str, str]:
        """Return the summary's figures, and a table of the others; or why there are none."""
        from workbench.auditors.summary import summary

        assert self.audit is not None  # the caller saw to it
        try:
            found = summary(self.audit)
        except WorkbenchError as refused:  # the counts of verdicts still stand
            return f'<p class="wb-none">No figures: {name(refused, 400)}</p>', ""
        tiles = "".join(
            f"<div><dt>{name(row.name, 80)}</dt><dd><strong>{name(row.value)}</strong>"
            f"<span>n = {number(row.n)} {name(row.note, 200)}</span></dd></div>"
            for row in found.figures()
        )
        more = "".join(
            f'<tr><th scope="row">{name(row.name, 80)}</th><td class="wb-n">{name(row.value)}</td>'
            f'<td class="wb-n">{number(row.n)}</td><td>{name(row.note, 200)}</td></tr>'
            for row in found.details()
        )
        besides = table("And besides", ["Figure", "Value", "n", "Of"], more, numbers=(1, 2))
        return f'<dl class="wb-figures">{tiles}</dl>', besides

    def _kin(self) -> str:
        """Say so where a judge is an agent's model or of its family: it may favour its kind."""
        models = [
            {str(m.get("model")) for m in run.started.models.values()}
            for run in (self.audit or self.run, self.run)
        ]
        if models[0] & models[1]:
            return ", the agents' own model,"
        judges, agents = (
            {
                lineage_of(str(m["family"]))
                for m in run.started.models.values()
                if m.get("family") not in (None, "unknown")
            }
            for run in (self.audit or self.run, self.run)
        )
        return ", of the same family as the agents," if judges & agents else ""

    def _tally(self) -> str:
        groups = (
            ("Logic, proposals", [j.verdict for j in self.judged.logic.values()]),
            ("Theory of Mind, pairs", [j.verdict for j in self.judged.tom.values()]),
            ("RAG, searches", [j.verdict for j in self.judged.rag.values()]),
        )
        rows = "".join(_tally_row(label, found) for label, found in groups if found)
        if not rows:
            return '<p class="wb-none">The audit holds no verdict.</p>'
        return table("Verdicts, counted", ["Auditor", "n", "Verdicts"], rows, numbers=(1,))

    def _turns(self) -> str:
        if not self.told.turns:
            return ""
        turns = self.room.each(
            self.told.turns, lambda t: self.scenes.turn(t, f"turn-{t.number}"), "turn"
        )
        return f'<section><h2 id="turns">Turn by turn</h2>{turns}</section>'

    def _generic(self) -> str:
        out = []
        if self.told.verdicts:
            out.append(verdict_tables(self.told.verdicts, self.room, self.scenes))
        if self.told.others:
            title = "Facts that the story above does not tell"
            out.append(fact_table(title, self.told.others, self.room))
        if self.run.result is not None and not self.told.turns:
            out.append(f"<h3>Result</h3>{self.room.prose(pretty(self.run.result))}")
        return f'<section><h2 id="facts">Facts</h2>{"".join(out)}</section>' if out else ""

    def _rules(self) -> str:
        counts: dict[str, dict[str, int]] = {rule: {} for rule in self.told.rules}
        for judged in self.judged.logic.values():
            for rule, verdict, _ in judged.rules:
                found = counts.setdefault(rule, {})
                found[verdict] = found.get(verdict, 0) + 1
        if not counts:
            return ""
        rows = self.room.each(
            list(counts.items()), lambda item: self._rule_row(*item), "rule", rows=5
        )
        head = ["Rule", "What it asks", "Judged", "Broken", "Unknown"]
        if not self.judged.logic:
            head = head[:2]
        return (
            '<section><h2 id="rules">The rules</h2>'
            f"{table('Of the case, and added on the way', head, rows, numbers=(2, 3, 4))}"
            "</section>"
        )

    def _rule_row(self, rule: str, found: dict[str, int]) -> str:
        words = self.told.rules.get(rule)
        said = self.room.prose(words) if words else '<span class="wb-soft">not in this run</span>'
        row = f'<th scope="row"><strong>{name(rule, 24)}</strong></th><td>{said}</td>'
        if self.judged.logic:
            n, broken = sum(found.values()), found.get("INVALID", 0)
            share = f'<span class="wb-bar" style="--w:{100 * broken / n:.0f}%"></span>' if n else ""
            row += (
                f'<td class="wb-n">{n:,}</td><td class="wb-n">{broken:,}{share}</td>'
                f'<td class="wb-n">{n - broken - found.get("VALID", 0):,}</td>'
            )
        return f"<tr>{row}</tr>"

    def _what_ran(self) -> str:
        run, first = self.run, self.run.started
        file = shlex.quote(run.path.name) if run.path else "FILE.run.jsonl"
        models = "".join(
            f"<li><code>{name(role, 40)}</code> {name(_model(m), 200)}</li>"
            for role, m in sorted(first.models.items())
        )
        rows: list[tuple[str, str]] = [
            ("Protocol", f"<code>{name(first.protocol)}</code>"),
            ("Models", f"<ul>{models}</ul>" if models else "none"),
            ("Seed", number(first.seed)),
            ("Workbench", name(first.package or "unknown")),
            ("Started", _date(first.at) or "unknown"),
            ("Digest", f"<code>{safe(run.digest)}</code>"),
        ]
        lineage = first.lineage
        if lineage:
            rows.append(("Forked from", forked(lineage, 64)))
        if first.subject:
            rows.append(("Audit of", f"<code>{name(first.subject)}</code>"))
        if self.audit is not None:
            rows.append(("Audited in", f"<code>{safe(self.audit.digest)}</code>"))
        rows += [
            ("Verify", f"<code>workbench verify {name(file, 200)}</code>"),
            ("Replay", f"<code>workbench replay {name(file, 200)}</code>"),
        ]
        rows += [(f"Parameter {name(k, 40)}", self._param(v)) for k, v in first.params.items()]
        listed = "".join(f"<div><dt>{key}</dt><dd>{value}</dd></div>" for key, value in rows)
        return f'<section><h2 id="ran">What ran</h2><dl class="wb-ran">{listed}</dl></section>'

    def _param(self, value: JSON) -> str:
        if isinstance(value, dict | list) and value:
            label = plural(len(value), "entry", "entries")
            return self.room.folded(label, pretty(value))
        return f"<code>{name(pretty(value), 300)}</code>"

    def _replies(self) -> str:
        asks = self.told.asks
        if not asks:
            return (
                '<section><h2 id="replies">Raw replies</h2>'
                '<p class="wb-none">No model was asked.</p></section>'
            )
        shown = self.room.each(asks, self._reply, "reply")
        return (
            f'<section class="wb-raw"><h2 id="replies">Raw replies</h2><p class="wb-by">'
            f"{plural(len(asks), 'model call')}, exactly as the replies came.</p>{shown}</section>"
        )

    def _reply(self, asked: Asked) -> str:
        answer = self.run.answers.get(asked.path)
        where = f"{place(asked.path)} <span class='wb-soft'>{name(asked.role, 40)}"
        if not isinstance(answer, Answered):
            return f'<p class="wb-none">{where} no answer</span></p>'
        label = (
            f"{where}, {number(answer.tokens_in)} tokens in, {number(answer.tokens_out)} out, "
            f"{name(answer.finish_reason, 40)}</span>"
        )
        return self.room.folded(label, answer.text)

    def _gates(self) -> str:
        rough = [gate for gate in self.told.gates if not gate.smooth]
        if not self.told.gates:
            return ""
        total = len(self.told.gates)
        lost = sum(gate.tier is None for gate in rough)
        told = (
            f"{total - len(rough):,} of {plural(total, 'question')} were answered at once by the "
            f"JSON that was asked for; {len(rough) - lost:,} were recovered; {lost:,} could not be "
            "read."
        )
        body = self.scenes.gates(rough) if rough else ""
        title = '<h2 id="gate">What the structural gate mended</h2>'
        return f"<section>{title}<p>{told}</p>{body}</section>"

    def _foot(self) -> str:
        return (
            f"<footer><p>Made by workbench {name(self.run.started.package or '')} from "
            f"<code>{safe(self.run.digest[:12])}</code>. The workbench speaks in this typeface; "
            '<span class="wb-say">models and their sources in this one, unedited.</span>'
            "</p></footer>"
        )


def _tally_row(label: str, found: list[str]) -> str:
    counts = {verdict: found.count(verdict) for verdict in sorted(set(found))}
    told = "".join(
        f'<span class="wb-count">{n:,} {badge(verdict)}</span>' for verdict, n in counts.items()
    )
    return (
        f'<tr><th scope="row">{label}</th><td class="wb-n">{len(found):,}</td><td>{told}</td></tr>'
    )


def _model(described: dict[str, JSON]) -> str:
    given = [f"{key} {value}" for key, value in described.items() if key not in ("model", "kind")]
    head = str(described.get("model") or described.get("kind") or "?")
    return ", ".join([head, *given])


def _date(at: float | None) -> str | None:
    try:
        return None if at is None else f"{datetime.fromtimestamp(at, UTC):%d %B %Y, %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return None
