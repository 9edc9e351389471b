"""Which events a search, a filter or a breakpoint means. ``matching.mjs`` says the same in a page.

A query is JSON; what it leaves out holds for every event:

``text``
    Words that must all occur in what the event says, capitals or not; ``"a phrase"`` is one word.
``prompts``
    Whether the whole prompt of an ask is searched, not its last part alone.
``agent``, ``kind``, ``verdict``
    An agent's name; the kind of a row; ``AUDITOR:VERDICT``, as in ``logic:INVALID``.
``flags``
    Flags (see `index`) of which the event must have one.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Consulted,
    Event,
    Failed,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
    Said,
)
from workbench_widgets.shared.source import JSON, Source
from workbench_widgets.stepper.index import Index, Verdict, index

_WORD = re.compile(r'"([^"]*)"?|([^\s"]+)')

Query = dict[str, JSON]


def find(source: Source, queries: Sequence[Query], order: str) -> dict[str, JSON]:
    """Return where the events stand for which at least one of the queries holds.

    Returns
    -------
    dict
        ``total``; and ``bits``, base64 of a bit for each place in the order, the lowest first:
        all of them, in 50 kB for 300,000 events.
    """
    matched = [Matcher(source, query).all() for query in queries]
    hit = bytearray(len(source.run))
    for found in matched:
        for at in found:
            hit[at] = 1
    if order != "happened":
        hit = bytearray(hit[at] for at in source.order[order])
    return {"total": sum(hit), "bits": base64.b64encode(packed(hit)).decode()}


def packed(hit: bytearray) -> bytes:
    """Return bytes of eight bits each, the lowest first, for one byte a bit."""
    if not hit:
        return b""
    digits = hit[::-1].translate(bytes.maketrans(b"\x00\x01", b"01"))
    return int(digits, 2).to_bytes((len(hit) + 7) // 8, "little")


def words(text: str) -> list[str]:
    """Return what must occur, in small letters."""
    found = (phrase or word for phrase, word in _WORD.findall(text))
    return [word.lower() for word in found if word]


class Matcher:
    """One query over one source."""

    def __init__(self, source: Source, query: Query) -> None:
        self.source = source
        self.words = words(str(query.get("text") or ""))
        self.prompts = bool(query.get("prompts"))
        self.agent = query.get("agent") or None
        self.kind = query.get("kind") or None
        self.verdict = query.get("verdict") or None
        self.flags = int(query.get("flags") or 0)
        self._small: dict[int, str] = {}

    def all(self) -> Iterator[int]:
        """Return the indices of all events for which it holds."""
        known = index(self.source)
        return (at for at in range(known.events) if self.holds(known, at))

    def holds(self, known: Index, at: int) -> bool:
        """Return whether the query holds for the event with an index."""
        if self.flags and not self.flags & known.flags[at]:
            return False  # before anything is looked up: most events have no flag
        place = known.agents[at]
        agent = None if place is None else self.source.agents[place]
        verdicts = known.verdicts.get(at, ())
        event = self.source.run.events[at]
        return self.fits(event, known.kinds[at], agent, known.flags[at], verdicts)

    def fits(
        self, event: Event, kind: str, agent: str | None, flags: int, verdicts: Sequence[Verdict]
    ) -> bool:
        """Return whether the query holds for an event of which this is known."""
        return (
            (not self.flags or bool(self.flags & flags))
            and self.kind in (None, kind)
            and self.agent in (None, agent)
            and (
                self.verdict is None
                or any(f"{auditor}:{verdict}" == self.verdict for auditor, verdict in verdicts)
            )
            and (not self.words or self._says(event, kind, agent))
        )

    def _says(self, event: Event, kind: str, agent: str | None) -> bool:
        told = [getattr(event, "path", ""), kind]
        if agent is not None:
            told += [agent, self.source.title(agent)]
        told += said(self.source, event, prompts=self.prompts)
        hay = "\n".join(map(self._lower, told))
        return all(word in hay for word in self.words)

    def _lower(self, words: str) -> str:
        """Return a text in small letters; a long one, which many prompts share, only once."""
        if len(words) < 200:
            return words.lower()
        small = self._small.get(id(words))
        if small is None:
            small = self._small[id(words)] = words.lower()
        return small


def said(source: Source, event: Event, *, prompts: bool) -> Iterator[str]:
    """Return the texts of an event that a search looks in."""
    if isinstance(event, Asked):
        parts = event.parts if prompts else event.parts[-1:]
        yield from (part.text for part in parts)
    elif isinstance(event, Answered | Said):
        yield event.text
    elif isinstance(event, Posted):
        yield from leaves(event.data)
    elif isinstance(event, Called):
        yield event.tool
        yield from leaves(event.args)
    elif isinstance(event, Consulted):
        yield event.prompt
        yield from event.options
    elif isinstance(event, Returned):
        yield from leaves(event.value)
    elif isinstance(event, Failed):
        yield from (event.error, event.message)
    elif isinstance(event, RunStarted):
        yield event.protocol
        yield from leaves(event.params)
    elif isinstance(event, RunEnded):
        yield event.status
        yield from leaves([event.error, event.result])
    if isinstance(event, Posted | Called):
        for _, _, judged in source.verdicts.get(event.path, ()):
            yield from leaves([judged.reason, [why for _, _, why in judged.rules]])


def leaves(value: JSON) -> Iterator[str]:
    """Return the texts in a JSON value; names of fields and numbers are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
