"""One interpreter's work (layer 3): it reads the package and reports; it reads nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.deliberation.consultation import prompts
from workbench.deliberation.consultation.facts import (
    ROLE,
    Finding,
    Interpreted,
    NotInterpreted,
    PackagedPassage,
    RetrievalPackage,
)
from workbench.deliberation.consultation.schemas import Report
from workbench.engine.commands import Steps, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.record.events import Sampling
from workbench.record.parts import Part

_LABEL = re.compile(r"(?:passage\s*)?P?\s*(\d+)", re.IGNORECASE)
_TRIM = " \t\n\"'`<>[](){}.,;:"


def role_of(number: int) -> str:
    """Return the role of an interpreter: ``interpreter=1``. A mapping of models is keyed by it."""
    return f"{ROLE}={number}"


def interpret(
    number: int,
    package: RetrievalPackage,
    path: str,
    *,
    options: Sequence[str],
    words: int,
    sampling: Sampling,
    attempts: int,
    heard: Sequence[Part] = (),
) -> Steps[tuple[Interpreted | NotInterpreted, int]]:
    """Read and report; post `Interpreted`, or `NotInterpreted` where no report can be read.

    `heard` is what a reader is told of other reports, which is nothing in a consultation.

    Returns
    -------
    fact : Interpreted or NotInterpreted
    tokens : int
    """
    shown = given_to(number, package)
    asked = yield from ask_json(
        "report",
        role_of(number),
        prompts.interpret(package, path, shown, options, words, heard),
        Report,
        sampling=sampling,
        attempts=attempts,
    )
    fact: Interpreted | NotInterpreted
    if isinstance(asked, Unparsed):
        fact = NotInterpreted(interpreter=number, reason=asked.errors[-1])
    else:
        fact = Interpreted(
            interpreter=number, findings=tuple(_findings(number, package, shown, asked.value))
        )
    yield from post("interpretation", fact, [asked.path])
    return fact, asked.tokens


def given_to(number: int, package: RetrievalPackage) -> tuple[PackagedPassage, ...]:
    """Return the passages that an interpreter is given: those of its path, else all."""
    if not package.paths:
        return package.passages
    own = set(package.paths.get(str(number), ()))
    return tuple(passage for passage in package.passages if passage.id in own)


def _findings(
    number: int, package: RetrievalPackage, shown: Sequence[PackagedPassage], report: Report
) -> Iterable[Finding]:
    queries = {query.id.casefold(): query.id for query in package.sub_queries}
    only = package.sub_queries[0].id if len(package.sub_queries) == 1 else ""
    references = References(package, shown)
    for place, told in enumerate(report.findings, 1):
        cited, invalid = references.resolve(told.passages)
        yield Finding(
            id=f"{number}.{place}",
            interpreter=number,
            sub_query=queries.get(told.sub_query.strip(_TRIM).casefold(), only),
            conclusion=told.conclusion,
            cited=cited,
            invalid=invalid,
            confidence=told.confidence,
            ambiguities=tuple(text for text in told.ambiguities if text.strip()),
            alternatives=tuple(text for text in told.alternatives if text.strip()),
        )


class References:
    """What an interpreter's citations can name: passages by label or id, and documents by id.

    An id may be written as it is or as it was shown (`prompts.named`).

    A passage of the package that this interpreter was not given is nothing that it can cite.
    """

    def __init__(self, package: RetrievalPackage, shown: Sequence[PackagedPassage]) -> None:
        names = prompts.labels(package)
        self._known = {passage.id: passage.id for passage in shown}
        self._known |= {passage.document: passage.document for passage in shown}
        self._known |= {prompts.named(id): id for id in self._known.values()}
        self._labels = {names[passage.id].removeprefix("P"): passage.id for passage in shown}

    def resolve(self, written: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the references that citations name, and the citations that name nothing."""
        cited, invalid = set[str](), dict[str, None]()
        for text in written:
            name = text.strip(_TRIM)
            label = _LABEL.fullmatch(name)
            found = self._known.get(name)
            if found is None and label is not None:
                found = self._labels.get(label[1].lstrip("0"))
            if found is None:
                invalid[text] = None
            else:
                cited.add(found)
        return tuple(sorted(cited)), tuple(invalid)
