"""The isolation contract (section 6.1) as a check over a run: who read what, and from where.

Every part of every prompt says where its text came from, so that isolation is a join and no claim.
For each interpreter, each part must be a passage of the package word for word, the package's
sub-queries, something of its own path, or the protocol's own words; and those must be the same for
every interpreter, so that they cannot carry anything from one to another. The conditions, and the
rules that hold a run to them:

- i, no other agent's output: ``reads_other``, ``foreign_text``, ``own_words``, ``altered_passage``,
  ``altered_reply``, ``settings``, ``later``, ``role``, ``human``;
- ii, no feedback from what comes after: ``reads_synthesis``, ``edited``;
- iii, no number, identity or model of the others: ``names_others``;
- iv, no output fed back or into the corpus: ``tool``, ``package``, ``mixed_report``;
- v, any of these invalidates the session: `Synthesis.valid`.

What it cannot see is what no run records: whether a server lets one client's cache or account speak
to another. Interpreters on one endpoint share that trust.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from workbench.deliberation.consultation.conformance import interpreters_of
from workbench.deliberation.consultation.consultation import read_package
from workbench.deliberation.consultation.facts import ROLE, PackagedPassage, RetrievalPackage
from workbench.deliberation.consultation.interpretation import given_to
from workbench.deliberation.consultation.leaks import Names, Writings, owner_of, untold, without
from workbench.deliberation.consultation.prompts import quote
from workbench.deliberation.consultation.reading import normal_form
from workbench.errors import ProtocolError, RunError
from workbench.record.events import (
    EDITED,
    Answered,
    Asked,
    Called,
    Consulted,
    Returned,
)
from workbench.record.parts import Part
from workbench.record.plainly import as_text
from workbench.record.run import Run, open_run
from workbench.record.tables import tables

PROTOCOLS = ("consultation", "verification")
PACKAGE, CLOSING = "/package", "/closing"
TOOLS = {PACKAGE: "package", CLOSING: "passport"}
"""All that a session may call, and where."""
FRAME = 12
"""Words around a quoted passage besides its heading, document and version: its tags."""
ELSEWHERE = re.compile(r"[0-9a-f]{8,64}:/")
"""A path in another run."""

SCHEMA = pl.Schema(
    {
        "condition": pl.String(),
        "rule": pl.String(),
        "interpreter": pl.Int64(),
        "path": pl.String(),
        "part": pl.Int64(),
        "source": pl.String(),
        "what": pl.String(),
    }
)

CONDITIONS = {
    **dict.fromkeys(
        (
            "reads_other", "foreign_text", "own_words", "altered_passage", "altered_reply",
            "settings", "later", "role", "human",
        ),
        "i",
    ),
    **dict.fromkeys(("reads_synthesis", "edited"), "ii"),
    "names_others": "iii",
    **dict.fromkeys(("tool", "package", "mixed_report"), "iv"),
}  # fmt: skip
"""Which condition of the contract a rule belongs to."""


class Breach(NamedTuple):
    """A condition of the contract that a run does not keep, and the part that breaks it."""

    condition: str
    rule: str
    interpreter: int | None
    path: str
    part: int | None
    source: str | None
    what: str


def isolation(run: Run | str | os.PathLike[str]) -> pl.DataFrame:
    """Return the breaches of the isolation contract; no rows: the session kept it.

    Parameters
    ----------
    run : Run or path
        A consultation or a verification, finished or not.

    Returns
    -------
    DataFrame
        One row a breach: ``condition`` (``i`` to ``iv``; by (v) one row invalidates the session),
        ``rule``, ``interpreter`` (whose isolation it breaks; null: the session's), ``path`` of the
        event, ``part`` of its prompt counting from 0 (null: not of a prompt), ``source`` that the
        part names, ``what`` in words.

    Raises
    ------
    RunError
        If it is no run of these protocols: there is then no contract to hold it to.
    """
    run = run if isinstance(run, Run) else open_run(run)
    return pl.DataFrame(breaches(run), schema=SCHEMA, orient="row")


def breaches(run: Run) -> list[Breach]:
    """Return the breaches in the order of conditions and paths."""
    if run.started.protocol not in PROTOCOLS:
        raise RunError(
            f"this is a run of {run.started.protocol!r}; the contract is that of a consultation"
        )
    found = set(_Check(run).breaches())
    return sorted(found, key=lambda b: (b.condition, b.path, b.part or 0, b.rule, b.what))


def _breach(
    rule: str,
    interpreter: int | None,
    path: str,
    what: str,
    part: int | None = None,
    source: str | None = None,
) -> Breach:
    return Breach(CONDITIONS[rule], rule, interpreter, path, part, source, what)


class _Check:
    """One run, held to the contract."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.asks = {p: e for p, e in run.commands.items() if isinstance(e, Asked)}
        self.readers = {n for path in self.asks if (n := owner_of(path)) is not None}
        self.package = _package(run)
        self.given: dict[int, dict[str, PackagedPassage]] = {}
        queries: list[str] = []
        if self.package is not None:
            self.given = {
                n: {passage.id: passage for passage in given_to(n, self.package)}
                for n in interpreters_of(run)
            }
            queries = [query.text for query in self.package.sub_queries]
        params: Mapping[str, Any] = run.started.params
        self.asked_about = (str(params.get("question")), *params.get("options", ()), *queries)
        self.names = Names(run)
        self.cleaned: dict[str, tuple[str, str]] = {}
        self.added: dict[tuple[str, str], str] = {}
        self.writings = Writings(run, self.package)

    def breaches(self) -> Iterator[Breach]:
        """Yield every breach."""
        yield from self._world()
        yield from self._reads()
        yield from self._own_words()
        yield from self._settings()
        yield from self._facts()

    def _world(self) -> Iterator[Breach]:
        """Yield what was done besides the package, the asks and the closing passport."""
        if self.package is None and (self.asks or PACKAGE in self.run.answers):
            yield _breach("package", None, PACKAGE, "there is no whole package of this session")
        for path, command in self.run.commands.items():
            number = owner_of(path)
            if isinstance(command, Consulted):
                yield _breach("human", number, path, "a human was consulted")
            elif isinstance(command, Called):
                yield from self._tool(path, command)
            elif number is None or command.role != f"{ROLE}={number}":
                what = f"{command.role} is asked at the path of {number or 'no interpreter'}"
                yield _breach("role", number, path, what)
            answer = self.run.answers.get(path)
            if answer is not None and answer.origin == EDITED:
                yield _breach("edited", number, path, "the answer was put in by an edit")

    def _tool(self, path: str, called: Called) -> Iterator[Breach]:
        first = min((ask.clock for ask in self.asks.values()), default=None)
        told = self.writings.of_others(0, without(as_text(called.args), self.asked_about))
        if called.tool != TOOLS.get(path):
            what = f"the tool {called.tool!r} was called"
            yield _breach("tool", owner_of(path), path, what)
        elif path == PACKAGE and first is not None and called.clock >= first:
            yield _breach("package", None, path, "the package was made after a reading")
        if told:
            yield _breach("tool", None, path, f"its arguments hold what was found: {told}")

    def _reads(self) -> Iterator[Breach]:
        """Yield the parts whose source or words are not for their reader."""
        frames: defaultdict[int, dict[str, Place]] = defaultdict(dict)
        reads = tables(self.run).reads.filter(pl.col("kind") != "own")
        for path, place, source in reads.select("path", "part", "source").iter_rows():
            reader = owner_of(path)
            if reader is None:
                continue  # told by `role`
            part = self.asks[path].parts[place]
            if source in self.given.get(reader, {}):
                given = self.given[reader][source]
                yield from self._quoted(reader, path, place, part, given)
                added = self.added.get((given.id, part.text), part.text)
                frames[reader].setdefault(_frame(added), Place(path, place, source))
            elif source != PACKAGE:
                rule, what = self._source(reader, path, part)
                if rule:
                    yield _breach(rule, reader, path, what, place, source)
        for reader, frame in untold(frames, set(frames)) if len(frames) > 1 else ():
            where = frames[reader][frame]
            what = "its tags are not those that the others were shown"
            yield _breach("altered_passage", reader, where.path, what, where.part, where.source)

    def _source(self, reader: int, path: str, part: Part) -> tuple[str, str]:
        """Return the rule that a part breaks by its source, and how; or empty texts."""
        source = str(part.source)
        owner, event = owner_of(source), self.run.derived.get(source)
        if owner is not None and owner != reader:
            return "reads_other", f"it reads interpreter {owner}"
        if owner is None:
            if not source.startswith("/") and not ELSEWHERE.match(source):
                return "altered_passage", "this is no passage that it was given"
            return "reads_synthesis", "this is no part of its path"
        reply = self.run.answers.get(source)
        if not isinstance(event, Asked) or event.clock >= self.asks[path].clock:
            return "reads_synthesis", "this is no reply that it gave before"
        text = part.text.strip()
        if not isinstance(reply, Answered) or (text not in reply.text and text != "(nothing)"):
            return "altered_reply", "these are not the words of its own reply"
        return "", ""

    def _quoted(
        self, reader: int, path: str, place: int, part: Part, given: PackagedPassage
    ) -> Iterator[Breach]:
        """Yield a passage that is not quoted word for word, or has words added to it."""
        if quote(given.text) not in part.text:
            what = "the passage is not quoted as the package has it"
            yield _breach("altered_passage", reader, path, what, place, part.source)
            return
        key = (given.id, part.text)
        if key not in self.added:
            self.added[key] = _added(part, given)
        added = self.added[key]
        if len(normal_form(added).split()) > FRAME:
            what = "words were added to the passage"
            yield _breach("altered_passage", reader, path, what, place, part.source)
        yield from self._words(reader, path, place, part.source, added)

    def _own_words(self) -> Iterator[Breach]:
        """Yield words of the protocol's own that not every interpreter was told."""
        told: defaultdict[str, defaultdict[int, dict[str, Place]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for path, ask in self.asks.items():
            reader = owner_of(path)
            if reader is None:
                continue
            yield from self._shown(reader, path, ask)
            for place, part in enumerate(ask.parts):
                if part.source not in (None, PACKAGE):
                    continue
                text = self._without_error(path, ask, place)
                yield from self._words(reader, path, place, part.source, text)
                known, text = told[_key(path)][reader], f"{part.speaker}: {text}"
                while text in known:
                    text += " (again)"
                known[text] = Place(path, place, part.source)
        for key, by_reader in told.items():
            if not key.endswith("/try=1"):
                continue  # who is asked again differs, and is told its own error
            for reader, text in untold(by_reader, self.readers):
                where = by_reader[reader][text]
                what = "not every interpreter was told this"
                yield _breach("own_words", reader, where.path, what, where.part, where.source)

    def _shown(self, reader: int, path: str, ask: Asked) -> Iterator[Breach]:
        """Yield passages left out, repeated or moved: what is missing can tell something too."""
        given = self.given.get(reader, {})
        shown = [part.source for part in ask.parts if part.source in given]
        if shown != list(given):
            what = "its passages are not those that it was given, each once and in their order"
            yield _breach("altered_passage", reader, path, what)

    def _without_error(self, path: str, ask: Asked, place: int) -> str:
        """Return a part's words, without the gate's error about the reader's own reply."""
        text = ask.parts[place].text
        if place and ask.parts[place - 1].source in self.asks:
            gate = self.run.facts.get(path.rpartition("/try=")[0] + "/gate")
            for error in gate.data.get("errors", ()) if gate is not None else ():
                text = text.replace(str(error), "")
        return text

    def _words(
        self, reader: int, path: str, place: int, source: str | None, text: str
    ) -> Iterator[Breach]:
        """Yield what words that are no quotation tell of the other interpreters."""
        if text not in self.cleaned:
            cleaned = without(text, self.asked_about)
            self.cleaned[text] = cleaned, self.names.found(cleaned)
        text, told = self.cleaned[text]
        if told:
            yield _breach(
                "names_others", reader, path, f"it tells of others: {told}", place, source
            )
        if told := self.writings.of_others(reader, text):
            what = f"it quotes another: {told}"
            yield _breach("foreign_text", reader, path, what, place, source)

    def _settings(self) -> Iterator[Breach]:
        """Yield settings, schemas and times that tell one interpreter from the others."""
        told: defaultdict[str, defaultdict[int, dict[str, str]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        first: dict[int, Asked] = {}
        for path, ask in self.asks.items():
            reader = owner_of(path)
            if reader is None or not path.endswith("/try=1"):
                continue
            drawn = replace(ask.sampling, seed=None)
            told[_key(path)][reader][repr((drawn, ask.schema))] = path
            if reader not in first or ask.clock < first[reader].clock:
                first[reader] = ask
        for by_reader in told.values():
            for reader, value in untold(by_reader, self.readers):
                what = "its sampling or schema is not that of the others"
                yield _breach("settings", reader, by_reader[reader][value], what)
        begun = min((ask.clock for ask in first.values()), default=0)
        for reader, ask in first.items():
            if ask.clock > begun:
                yield _breach("later", reader, ask.path, "asked when others may have answered")

    def _facts(self) -> Iterator[Breach]:
        """Yield facts of an interpreter that are drawn from more than its own replies."""
        for path, fact in self.run.facts.items():
            reader = owner_of(path)
            if reader is None:
                continue
            for source in fact.sources:
                if owner_of(source) != reader:
                    what = f"the {fact.kind} is drawn from elsewhere"
                    yield _breach("mixed_report", reader, path, what, None, source)
            if (claimed := fact.data.get("interpreter", reader)) != reader:
                yield _breach("mixed_report", reader, path, f"it says interpreter {claimed}")


class Place(NamedTuple):
    """Where a text stands."""

    path: str
    part: int
    source: str | None


def _package(run: Run) -> RetrievalPackage | None:
    returned = run.answers.get(PACKAGE)
    if not isinstance(returned, Returned):
        return None
    mode: Any = run.started.protocol
    try:
        return read_package(returned.value, mode)
    except ProtocolError:
        return None


def _added(part: Part, given: PackagedPassage) -> str:
    """Return what stands around a quoted passage besides its heading, document and version."""
    document, version = (" ".join(text.split()) for text in (given.document, given.version))
    frame = part.text.replace(quote(given.text), "", 1)
    return without(frame, (given.heading, document, f", version {version}" if version else ""))


def _frame(added: str) -> str:
    """Return the words of a passage's tags without its label: the same for every passage."""
    return re.sub(r"\bp\d+\b", "p", normal_form(added))


def _key(path: str) -> str:
    """Return a path below its interpreter: the same question has the same one for each."""
    return path.strip("/").partition("/")[2]
