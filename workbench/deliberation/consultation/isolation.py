"""The isolation contract (section 6.1) as a check over a run: each reader is rebuilt alone.

What is proved. For each interpreter its protocol (`interpretation.interpret`) is executed again
with nothing but the session's parameters, the retrieval package and the replies of this interpreter
itself; no other's reply is there to be read. The run must hold exactly what comes of that: each
part of each prompt (words, source, speaker, order), schema, sampling with its seed, place in time
(before any other's answer can be known, by its clock and by its line in the file), what the gate
says of a reply, and the report. Whatever else the run asked, called, consulted or posted is a
breach, but for the package before, and the corpus's passport and the synthesis after. So nothing
that an interpreter was sent depends on what another wrote or on what was made of it, in whatever
words: equality is asked for, not likeness, and a second round is a breach even if all are told the
same.

What that rests on. That `prompts.interpret` and the gate know nothing of other interpreters: they
take no more than the package, the options, a number of words and the reader's own reply, and the
tests hold the names that they use, and their constant words, to that. With paths of its own for
each (retrieval diversity), labels number the whole package: a reader can see that there are
passages which it was not given, not whether anybody was. That a reader may see what its user said
before anybody was asked, the same for all: question, corpus, options, the run's sampling.

The conditions, and the rules that name a breach of them:

- i, no other agent's output: ``reads_other``, ``foreign_text``, ``own_words``, ``altered_passage``,
  ``altered_reply``, ``settings``, ``later``, ``role``, ``human``;
- ii, no feedback from what comes after: ``reads_synthesis``, ``edited``;
- iii, no number, identity or model of the others: ``names_others``;
- iv, no output fed back or into the corpus: ``tool``, ``package``, ``mixed_report``;
- v, any of these invalidates the session: `Synthesis.valid`.

A rule says how a difference looks, by the source and the words of a part; what the words come to
it cannot know. A run that breaks one of the conditions i to iii is not shown to keep the others.

What it cannot see is what no run records: whether a server adds words of its own or lets one
client's cache or account speak to another; who wrote the corpus, and with what in mind; which of
several runs was kept. Interpreters on one endpoint share that trust. A run of a version of the
workbench whose prompts were others cannot be rebuilt: that version can check it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from workbench.deliberation.consultation.conformance import interpreters_of
from workbench.deliberation.consultation.consultation import read_package
from workbench.deliberation.consultation.facts import ROLE, RetrievalPackage, Synthesised
from workbench.deliberation.consultation.interpretation import interpret, role_of
from workbench.deliberation.consultation.leaks import Others, differences, owner_of
from workbench.engine.commands import Steps, all_of, call
from workbench.engine.execution import Execution
from workbench.engine.seeds import Seeds
from workbench.errors import ProtocolError, RunError
from workbench.record.events import (
    EDITED,
    Answer,
    Answered,
    Asked,
    Called,
    Command,
    Consulted,
    Posted,
    Returned,
    Sampling,
    canonical,
)
from workbench.record.run import Run, open_run

PROTOCOLS = ("consultation", "verification")
PACKAGE, CLOSING, SYNTHESIS = "/package", "/closing", "/synthesis"

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
        event, ``part`` of its prompt counting from 0 (null: not of a prompt, or left out of it),
        ``source`` that the part names, ``what`` in words.

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


def rebuilt(run: Run, package: RetrievalPackage | None, number: int) -> dict[str, Command | Posted]:
    """Return what an interpreter must have been sent and must have posted, by path.

    Parameters
    ----------
    run : Run
        Of which nothing is read but its first event and this interpreter's replies.
    package : RetrievalPackage or None
        The run's; without one there is but the call for it.
    number : int
        The interpreter's.

    Returns
    -------
    dict
        As far as the replies go.
    """
    own = {
        path: answer
        for path, answer in run.answers.items()
        if (path == PACKAGE and isinstance(answer, Returned))
        or (owner_of(path) == number and isinstance(answer, Answered))
    }
    execution = Execution(_alone(run, package, number), seed=Seeds.of(run.started))
    events: list[Any] = [*execution.start()]
    while ready := [own[path] for path in execution.pending if path in own]:
        for answer in ready:
            events += execution.feed(answer)
    return {event.path: event for event in events if isinstance(event, Command | Posted)}


def _alone(run: Run, package: RetrievalPackage | None, number: int) -> Steps[None]:
    """Hold a session with one interpreter in its place and nobody in the places of the others."""
    protocol, params = run.started.protocol, run.started.params
    yield from call(
        "package",
        "package",
        question=params["question"],
        mode=protocol,
        passages=params["passages"],
        paths=len(interpreters_of(run)) if params["diversity"] else 0,
    )
    if package is not None:
        reads = interpret(
            number,
            package,
            PACKAGE,
            options=params.get("options", ()),
            words=params["words"],
            sampling=Sampling(temperature=params["temperature"], max_tokens=params["max_tokens"]),
            attempts=params["attempts"],
        )
        yield from all_of("", {role_of(number): reads})


class _Check:
    """One run, held to the contract."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.package = _package(run)
        self.readers = interpreters_of(run)
        self.meant: dict[str, Command | Posted] = {}
        for number in self.readers:
            self.meant |= rebuilt(run, self.package, number)

    @cached_property
    def others(self) -> Others:
        """What a difference can tell of; read only where there is one."""
        return Others(self.run, self.package)

    def breaches(self) -> Iterator[Breach]:
        """Yield every breach."""
        asked = any(isinstance(command, Asked) for command in self.run.commands.values())
        if asked and self.package is None:
            yield _breach("package", None, PACKAGE, "there is no whole package of this session")
        seen: set[tuple[bool, str]] = set()
        replied: set[int | None] = set()
        for event in self.run.events:
            if not isinstance(event, Command | Posted | Answer):
                continue
            place = isinstance(event, Answer), event.path
            again = place in seen
            seen.add(place)
            yield from self._order(event, seen, replied)
            if isinstance(event, Answer):
                yield from self._answer(event, again=again)
            elif (meant := self.meant.get(event.path)) is None or again:
                yield from self._besides(event, again=again)
            elif canonical(meant) != canonical(event):
                yield from self._differs(meant, event)

    def _answer(self, answer: Answer, *, again: bool) -> Iterator[Breach]:
        """Yield an answer that the world did not give, or gave in another's place."""
        what = "there is a second answer" if again else "the answer was put in by an edit"
        if again or answer.origin == EDITED:
            yield _breach("edited", owner_of(answer.path), answer.path, what)

    def _order(
        self,
        event: Command | Posted | Answer,
        seen: set[tuple[bool, str]],
        replied: set[int | None],
    ) -> Iterator[Breach]:
        """Yield what stands in the file after what it must not know, or without what it answers."""
        reader, path = owner_of(event.path), event.path
        if isinstance(event, Answer) and (False, path) not in seen:
            yield _breach("edited", reader, path, "there is an answer, and nobody had asked")
        if isinstance(event, Answered) and reader is not None:
            replied.add(reader)
        elif path == PACKAGE and replied:
            yield _breach("package", None, path, "the package was made after a reading")
        elif (
            isinstance(event, Asked)
            and path == f"/{ROLE}={reader}/report/try=1"
            and replied - {reader}
        ):
            yield _breach("later", reader, path, "asked when others may have answered")

    def _besides(self, event: Command | Posted, *, again: bool) -> Iterator[Breach]:
        """Yield what no interpreter alone would have asked or posted."""
        reader, path = owner_of(event.path), event.path
        if isinstance(event, Consulted):
            yield _breach("human", reader, path, "a human was consulted")
        elif isinstance(event, Called):
            if again or (path, event.tool, event.args) != (CLOSING, "passport", {}):
                yield _breach("tool", reader, path, f"the tool {event.tool!r} was called")
        elif isinstance(event, Posted):
            known = self.package is not None or reader is None  # else it is told by `package`
            if known and (again or (path, event.kind) != (SYNTHESIS, Synthesised.__name__)):
                yield _breach("mixed_report", reader, path, f"no session posts this {event.kind}")
        elif reader is None or reader not in self.readers or event.role != role_of(reader):
            what = f"{event.role} is asked at the path of {reader or 'no interpreter'}"
            yield _breach("role", reader, path, what)
        elif self.package is not None:
            what = "asked once more than its own replies call for, when others may have answered"
            yield _breach("later", reader, path, what)
            first = self.meant.get(f"/{ROLE}={reader}/report/try=1")
            if isinstance(first, Asked):
                yield from self._parts(reader, first, event)

    def _differs(self, meant: Command | Posted, event: Command | Posted) -> Iterator[Breach]:
        """Yield how an event differs from what the interpreter alone makes."""
        reader, path = owner_of(event.path), event.path
        if isinstance(meant, Asked) and isinstance(event, Asked) and reader is not None:
            found = list(self._asked(reader, meant, event))
            yield from found or [_breach("settings", reader, path, "it is written in another way")]
        elif isinstance(meant, Called) and isinstance(event, Called):
            if (meant.tool, meant.args) != (event.tool, event.args):
                what = f"the tool {event.tool!r} was called, with what the session does not ask for"
                yield _breach("tool", reader, path, what)
            else:
                yield _breach("package", reader, path, "the package was made after a reading")
        elif isinstance(meant, Posted) and isinstance(event, Posted):
            source = next((s for s in event.sources if s not in meant.sources), None)
            what = f"the {event.kind} is not what comes of its own replies alone"
            yield _breach("mixed_report", reader, path, what, None, source)
        else:
            yield from self._besides(event, again=True)

    def _asked(self, reader: int, meant: Asked, asked: Asked) -> Iterator[Breach]:
        path = asked.path
        if asked.role != meant.role:
            what = f"{asked.role} is asked at the path of {reader}"
            yield _breach("role", reader, path, what)
        if asked.clock != meant.clock:
            yield _breach("later", reader, path, "asked when others may have answered")
        settings = [
            name
            for name in Sampling.__dataclass_fields__
            if repr(getattr(asked.sampling, name)) != repr(getattr(meant.sampling, name))
        ]
        settings += ["schema"] if repr(asked.schema) != repr(meant.schema) else []
        if settings:
            what = f"its {', '.join(settings)} {'is' if len(settings) == 1 else 'are'} another"
            yield _breach("settings", reader, path, f"{what} than the session's")
        yield from self._parts(reader, meant, asked)

    def _parts(self, reader: int, meant: Asked, asked: Asked) -> Iterator[Breach]:
        """Yield the parts of a prompt that differ from those that were meant."""
        for part, place, read in differences(meant.parts, asked.parts):
            rule, what, told = self.others.explain(reader, part, read)
            shown = part if read is None else read
            source = None if shown is None else shown.source
            yield _breach(rule, reader, asked.path, what, place, source)
            if told:
                what = f"it tells of others: {told}"
                yield _breach("names_others", reader, asked.path, what, place, source)


def _breach(
    rule: str,
    interpreter: int | None,
    path: str,
    what: str,
    part: int | None = None,
    source: str | None = None,
) -> Breach:
    return Breach(CONDITIONS[rule], rule, interpreter, path, part, source, what)


def _package(run: Run) -> RetrievalPackage | None:
    """Return the package if it is this session's, and has a path for each interpreter or none."""
    returned, params = run.answers.get(PACKAGE), run.started.params
    if not isinstance(returned, Returned):
        return None
    mode: Any = run.started.protocol
    try:
        package = read_package(returned.value, mode, params.get("question"), params.get("passport"))
    except ProtocolError:
        return None
    own = {str(number) for number in interpreters_of(run)}
    diverse = package.paths or params.get("diversity")
    return None if diverse and package.paths.keys() != own else package
