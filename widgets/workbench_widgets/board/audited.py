"""When an audit's verdicts come onto the board: not before what they are about has happened."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.record.events import Event, Posted, Returned
from workbench.record.judgement import TITLES, Judgement
from workbench.record.order import owner_of
from workbench_widgets.board.cells import Cell
from workbench_widgets.shared.source import Source, turn

_PROPOSALS = ("Proposed", "NotProposed")
_Seat = tuple[int | None, str]


class Verdicts:
    """The verdicts of a source's audit, event by event.

    A Logic verdict comes with the proposal that it is about. A Theory-of-Mind verdict compares two
    texts, and comes with the later one. A RAG verdict tells whether a search was used, and comes
    with the proposal that could use it. What never gets its second part comes with its first.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.posted: dict[_Seat, str] = {}
        self.waiting: dict[_Seat, list[Cell]] = {}
        self.proposing: set[_Seat] = set()
        if source.audit is not None:
            self.proposing = {
                (turn(event), source.agent(event) or "?")
                for event in source.run.events
                if isinstance(event, Posted) and event.kind in _PROPOSALS
            }

    def after(self, event: Event) -> list[Cell]:
        """Return the verdicts that an event makes due."""
        if self.source.audit is None:
            return []
        if isinstance(event, Returned):
            return list(self._searched(event))
        if not isinstance(event, Posted):
            return []
        found = self.source.verdicts.get(event.path, ())
        if event.kind not in _PROPOSALS:
            return [_cell(event.path, *one, self.source) for one in found]
        now, author = turn(event), self.source.agent(event) or "?"
        self.posted[now, author] = event.path
        out = []
        for auditor, peer, judged in found:
            cell = _cell(event.path, auditor, peer, judged, self.source)
            seat = (now, peer or "")
            if auditor == "tom" and seat in self.proposing and seat not in self.posted:
                self.waiting.setdefault(seat, []).append(cell)
            elif auditor == "tom" and seat in self.posted:
                out.append(cell._replace(sources=(event.path, self.posted[seat])))
            else:
                out.append(cell)
        due = self.waiting.pop((now, author), [])
        return out + [one._replace(sources=(*one.sources, event.path)) for one in due]

    def _searched(self, event: Returned) -> Iterator[Cell]:
        """Keep a search's verdict until the searcher has proposed."""
        for auditor, peer, judged in self.source.verdicts.get(event.path, ()):
            cell = _cell(event.path, auditor, peer, judged, self.source)
            seat = (turn(event), owner_of(event.path) or "")
            if seat in self.proposing and seat not in self.posted:
                self.waiting.setdefault(seat, []).append(cell)
            else:
                yield cell


def _cell(path: str, auditor: str, peer: str | None, judged: Judgement, source: Source) -> Cell:
    owner, title = owner_of(path) or "", TITLES.get(auditor, auditor)
    who = source.title(owner) if owner else path
    about = {
        "logic": f"{who}'s draft",
        "tom": f"{who} on {source.title(peer)}" if peer else who,
        "rag": f"{who}'s search",
    }.get(auditor, who)
    broken = [f"{rule} {said}: {why}" for rule, said, why in judged.rules if said != "VALID"]
    score = "" if judged.score is None else f" (score {judged.score:.2f})"
    # one search of many keeps a verdict of its own; a draft's is overtaken by the next draft's
    key = path if auditor == "rag" else "/".join((auditor, owner, peer or ""))
    return Cell(
        "verdicts",
        key,
        (judged.reason or "; ".join(broken)) + score,
        label=f"{title}: {about}",
        by=f"the {title} auditor",
        verdict=judged.verdict,
        sources=(path,),
    )
