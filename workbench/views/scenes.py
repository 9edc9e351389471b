"""The turns of a story as HTML, for the notebook's face and for the report."""

from __future__ import annotations

from collections import Counter

from workbench.record.judgement import Judgement
from workbench.record.run import Run
from workbench.views.agents import agents, hues
from workbench.views.markup import Room, badge, name, number, place, plural, safe, table
from workbench.views.turns import (
    Gate,
    Judgements,
    Search,
    Seat,
    Story,
    Turn,
    shown,
)


class Scenes:
    """Renders turns, with an audit's verdicts beside what they are about if there are any.

    Parameters
    ----------
    level : int
        The heading level of a turn.
    """

    def __init__(
        self, run: Run, told: Story, judged: Judgements, room: Room, *, level: int
    ) -> None:
        self.hue = hues(run, (*agents(run), *told.agents))
        self.told = told
        self.judged = judged
        self.room = room
        self.level = level
        self.over = run.ended is not None  # what is missing will not come

    def who(self, agent: str) -> str:
        """Return an agent's title with its colour."""
        hue = self.hue.get(agent)
        css = "wb-who" if hue is None else f"wb-who wb-a{hue}"
        return f'<span class="{css}">{name(shown(agent, self.told.titles), 48)}</span>'

    def turn(self, turn: Turn, anchor: str = "") -> str:
        """Return one turn from its goal to its decision."""
        h = self.level
        seats = list(turn.seats.values())
        phase = f' <span class="wb-phase">{name(turn.phase, 60)}</span>' if turn.phase else ""
        return (
            f'<section class="wb-turn"{f" id={anchor}" if anchor else ""}>'
            f"<h{h}>Turn {turn.number}{phase}</h{h}>"
            + self._goal(turn)
            + '<div class="wb-seats">'
            + self.room.each(seats, lambda seat: self._seat(turn, seat), "specialist")
            + "</div>"
            + self._predictions(turn, seats)
            + self._decision(turn)
            + self._gates(turn)
            + "</section>"
        )

    def _goal(self, turn: Turn) -> str:
        if turn.goal is None:
            return f'<p class="wb-none">No goal {self._yet()}.</p>'
        nominated = ", ".join(self.who(a) for a in turn.nominated[:40]) or "nobody"
        if len(turn.nominated) > 40:
            nominated += f" and {len(turn.nominated) - 40:,} more"
        rules = "".join(
            f'<p class="wb-rule"><strong>New rule {name(key, 24)}</strong> {safe(words[:600])}'
            f"{f' … (+{len(words) - 600:,} characters)' if len(words) > 600 else ''}</p>"
            for key, words in turn.rules[:20]
        )
        if len(turn.rules) > 20:
            rules += f"<p>{plural(len(turn.rules) - 20, 'more new rule')} not shown here.</p>"
        return (
            f'<div class="wb-goal"><span class="wb-label">Goal</span>'
            f'{self.room.prose(turn.goal)}</div><p class="wb-by">Nominated: {nominated}</p>{rules}'
        )

    def _yet(self) -> str:
        return "was recorded" if self.over else "yet"

    def _seat(self, turn: Turn, seat: Seat) -> str:
        h = self.level + 1
        logic = self.judged.logic.get(seat.path or "")
        if seat.contribution is not None:
            words = len(seat.contribution.split())
            said = self.room.prose(seat.contribution) or ""
            size = f'<span class="wb-soft">{plural(words, "word")}</span>'
        elif seat.unread is not None:
            said = (
                f'<div class="wb-warn">{badge("failed")} The reply could not be read, so there is '
                f"no proposal: {self.room.prose(seat.unread, 'wb-plain')}</div>"
            )
            size = ""
        else:
            said, size = f'<p class="wb-none">No proposal {self._yet()}.</p>', ""
        hue = self.hue.get(seat.author, 0)
        return (
            f'<article class="wb-seat wb-a{hue}"><h{h}>{self.who(seat.author)} {size}</h{h}>'
            f"{self._searches(seat.searches)}{said}{self._logic(logic)}</article>"
        )

    def _searches(self, searches: list[Search]) -> str:
        if not searches:
            return ""
        inner = self.room.each(searches, self._search, "search")
        return f'<ul class="wb-searches">{inner}</ul>'

    def _search(self, search: Search) -> str:
        found = self.judged.rag.get(search.path)
        verdict = ""
        if found is not None:
            score = f" relevance {number(found.score)}" if found.score is not None else ""
            verdict = (
                f'<div class="wb-verdict">{badge(found.verdict)}{score} {self._why(found)}</div>'
            )
        if search.passages is None:
            hits = f'<span class="wb-soft">no result {self._yet()}</span>'
        elif not search.passages:
            hits = '<span class="wb-soft">nothing found</span>'
        else:
            body = "".join(
                f"<dt>{name(p.id)} <span class='wb-soft'>{number(p.score)}</span></dt>"
                f"<dd>{name(p.heading, 200)}{self.room.prose(p.words, 'wb-quote')}</dd>"
                for p in search.passages[:20]
            )
            label = plural(len(search.passages), "passage")
            if len(search.passages) > 20:
                label += ", the first 20 shown"
            if search.mode is not None:
                label += f", {name(search.mode, 20)} search"
            hits = self.room.folded(label, f"<dl>{body}</dl>", html=True)
        return (
            '<li><span class="wb-label">searched</span> '
            f'<q dir="auto">{name(search.query, 300)}</q>{hits}'
            f"{verdict}</li>"
        )

    def _logic(self, found: Judgement | None) -> str:
        if found is None:
            return ""
        return (
            f'<div class="wb-verdict"><span class="wb-label">Logic audit</span> '
            f"{badge(found.verdict)}{self.rules(found)}</div>"
        )

    def rules(self, found: Judgement) -> str:
        """Return the rules that a proposal breaks, with the reasons, and those that it keeps."""
        broken = [ruled for ruled in found.rules if ruled.verdict != "VALID"]
        kept = [name(ruled.rule, 24) for ruled in found.rules if ruled.verdict == "VALID"]
        listed = "".join(
            f"<li><strong>{name(rule, 24)} {_BROKEN.get(verdict, name(verdict, 24))}.</strong> "
            f"{name(why or '', 400)}</li>"
            for rule, verdict, why in broken[:20]
        )
        if len(broken) > 20:
            listed += f"<li>{plural(len(broken) - 20, 'more rule')} not shown here</li>"
        if kept:
            more = f" and {len(kept) - 40:,} more" if len(kept) > 40 else ""
            listed += f'<li class="wb-soft">kept: {", ".join(kept[:40])}{more}</li>'
        return f'<ul class="wb-rules">{listed}</ul>'

    def _why(self, found: Judgement) -> str:
        return f'<span class="wb-why" dir="auto">{name(found.reason or "", 500)}</span>'

    def _predictions(self, turn: Turn, seats: list[Seat]) -> str:
        pairs = [(seat, peer, told) for seat in seats for peer, told in seat.predictions]
        if not pairs:
            return ""
        order = {seat.author: place for place, seat in enumerate(seats)}
        pairs.sort(key=lambda pair: (order.get(pair[1], len(order)), pair[1]))
        audited = any((s.path or "", p) in self.judged.tom for s, p, _ in pairs)
        sizes = Counter(peer for _, peer, _ in pairs)
        first: set[str] = set()

        def row(pair: tuple[Seat, str, str]) -> str:
            seat, peer, told = pair
            said = "" if peer in first else self._said(turn, peer, sizes[peer])
            first.add(peer)
            return self._pair(seat, peer, told, audited, said)

        head = ["Who, of whom", "Predicted before writing", "What the peer then said"]
        if audited:
            head.insert(2, "ToM audit")
        rows = self.room.each(pairs, row, "prediction", rows=len(head))
        css = "wb-pairs wb-judged" if audited else "wb-pairs"
        return table("Predictions, side by side with what followed", head, rows, css=css)

    def _pair(self, seat: Seat, peer: str, told: str, audited: bool, said: str) -> str:
        verdict = ""
        if audited:
            found = self.judged.tom.get((seat.path or "", peer))
            inner = '<span class="wb-soft">not judged</span>'
            if found is not None:
                score = f' <span class="wb-soft">cosine {number(found.score)}</span>'
                inner = f"{badge(found.verdict)}{score}<div>{self._why(found)}</div>"
            verdict = f'<td data-label="ToM audit">{inner}</td>'
        return (
            f'<tr><th scope="row">{self.who(seat.author)}<span class="wb-soft"> of </span>'
            f'{self.who(peer)}</th><td data-label="Predicted">{self.room.prose(told)}</td>'
            f"{verdict}{said}</tr>"
        )

    def _said(self, turn: Turn, peer: str, rows: int) -> str:
        after = turn.seats.get(peer)
        if after is not None and after.contribution is not None:
            then = self.room.prose(after.contribution)
        else:
            why = "Could not be read" if after and after.unread else "Nothing"
            then = f'<p class="wb-none">{why}.</p>'
        return f'<td rowspan="{rows}" class="wb-then" data-label="Then said">{then}</td>'

    def _decision(self, turn: Turn) -> str:
        if turn.decision is None:
            return f'<p class="wb-none">No decision on this turn {self._yet()}.</p>'
        by = "no decision could be read" if turn.by == "unparsed" else ""
        after = f" → {name(turn.next_phase, 60)}" if turn.next_phase else ""
        return (
            f'<div class="wb-decision"><p><span class="wb-label">Decision</span> '
            f"<strong>{name(turn.decision, 40)}</strong>{after}"
            f"{f' <span class=wb-soft>({by})</span>' if by else ''}</p>"
            f"{self.room.prose(turn.reason) if turn.reason else ''}</div>"
        )

    def _gates(self, turn: Turn) -> str:
        rough = [gate for gate in turn.gates if not gate.smooth]
        if not rough:
            return ""
        lost = sum(gate.tier is None for gate in rough)
        label = f"{plural(len(rough) - lost, 'reply', 'replies')} recovered by the structural gate"
        if lost:
            label += f", <strong>{lost:,} could not be read</strong>"
        return (
            f'<div class="wb-gates">{self.room.folded(label, self.gates(rough), html=True)}</div>'
        )

    def gates(self, gates: list[Gate]) -> str:
        """Return a table of questions that did not go smoothly through the gate."""
        rows = self.room.each(gates, _gate_row, "question", rows=4)
        head = ["Question", "Read by", "Attempts", "What was wrong"]
        return table("Structural gate", head, rows, numbers=(2,))


_BROKEN = {"INVALID": "is broken", "unknown": "is unknown"}


def _gate_row(gate: Gate) -> str:
    tier = name(gate.tier, 20) if gate.tier else badge("failed")
    wrong = "".join(f"<li>{name(error, 400)}</li>" for error in gate.errors[:8])
    if len(gate.errors) > 8:
        wrong += f"<li>{len(gate.errors) - 8:,} more</li>"
    shown = f"<ol>{wrong}</ol>" if wrong else '<span class="wb-soft">no error</span>'
    return (
        f'<tr><th scope="row">{place(gate.path)}<div class="wb-soft">'
        f"{name(gate.schema_name, 40)}, {name(gate.role, 40)}</div></th>"
        f'<td data-label="Read by">{tier}</td><td class="wb-n" data-label="Attempts">'
        f'{number(gate.attempts)}</td><td data-label="Wrong">{shown}</td></tr>'
    )
