"""The control condition of section 11: readers of one package who are told each other's reports.

It is the consultation with its isolation taken away and nothing else: the same package, the same
prompt, and in each further round what the others reported in the round before. It is no session:
`isolation` refuses its runs, and no output is bound to it. By path::

    /package                                Returned     the retrieval package
    /interpreter=1/interpretation           Interpreted  as in a consultation
    /round=2/interpreter=1/interpretation   Interpreted  told of the others' reports
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from workbench.deliberation.consultation import prompts
from workbench.deliberation.consultation.comparison import decided_by
from workbench.deliberation.consultation.consultation import (
    Count,
    Temperature,
    Text,
    check_conformant,
    read_package,
)
from workbench.deliberation.consultation.facts import (
    ROLE,
    Finding,
    Interpreted,
    NotInterpreted,
    RetrievalPackage,
)
from workbench.deliberation.consultation.interpretation import interpret
from workbench.deliberation.consultation.package import tools
from workbench.deliberation.consultation.synthesis import in_order
from workbench.deliberation.consultation.topology import Topology, topology_of
from workbench.engine.commands import Steps, all_of, call
from workbench.engine.protocol import World, protocol
from workbench.errors import RunError
from workbench.record.events import Returned, Sampling
from workbench.record.parts import Part
from workbench.record.run import Run

PROTOCOL = "debated_consultation"
Told = dict[int, tuple[str, tuple[Finding, ...]]]
"""The report of each reader, with the path of its fact."""


def _world(
    corpus: str, passport: str | None = None, near: Path | None = None, **_: object
) -> World:
    return tools(corpus, passport, near)


@protocol(PROTOCOL, world=_world)
def debated_consultation(
    question: Text,
    corpus: Text,  # noqa: ARG001  # its tools read it
    families: tuple[str, ...],
    *,
    rounds: Annotated[int, Field(ge=2)] = 2,
    passport: str | None = None,
    passages: Count = 6,
    words: Count = 30,
    allow_nonconformant: bool = False,
    temperature: Temperature = 0.7,
    max_tokens: Count | None = 1200,
    attempts: Count = 3,
) -> Steps[int]:
    """Have readers report, and report again once they are told what the others reported.

    Parameters
    ----------
    rounds : int
        The first one included, in which nobody is told anything and which asks word for word what a
        consultation asks.
    question, corpus, families, passport, passages, words, allow_nonconformant
        As in `consultation`.
    temperature, max_tokens, attempts
        As in `consultation`.

    Returns
    -------
    int
        The run's result: reports in the last round.

    Raises
    ------
    NonConformant
        If the interpreters are too few or of one family, and that was not allowed.
    """
    check_conformant(families, allow_nonconformant)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    returned = yield from call(
        "package", "package", question=question, mode="consultation", passages=passages, paths=0
    )
    package = read_package(returned.value, "consultation", question, passport)
    reports: Told = {}
    for turn in range(1, rounds + 1):
        key = "" if turn == 1 else f"round={turn}"
        told = yield from all_of(
            key,
            {
                f"{ROLE}={number}": interpret(
                    number,
                    package,
                    returned.path,
                    options=(),
                    words=words,
                    sampling=sampling,
                    attempts=attempts,
                    heard=_heard(number, reports, package),
                )
                for number in range(1, len(families) + 1)
            },
        )
        over = f"/{key}" if key else ""
        reports = {
            fact.interpreter: (f"{over}/{ROLE}={fact.interpreter}/interpretation", fact.findings)
            for fact, _ in told.values()
            if isinstance(fact, Interpreted)
        }
    return len(reports)


def debated_topology(run: Run, comparison: Run | None = None) -> Topology:
    """Return the topology of the last round's reports, classified as a consultation's are.

    Parameters
    ----------
    run : Run
        Of `debated_consultation`.
    comparison : Run, optional
        The comparer's run about it (`comparison`), which decides pairs that rules leave undecided.

    Returns
    -------
    Topology

    Raises
    ------
    RunError
        If it is a run of another protocol, has not come to its last round, or `comparison` is about
        another run.
    """
    package, last = debated_package(run), f"{last_round(run)}/"
    posted = [
        fact
        for kind in ("Interpreted", "NotInterpreted")
        for fact in run.facts_of(kind)
        if fact.path.startswith(last)
    ]
    families = run.started.params["families"]
    if len(posted) < len(families):
        raise RunError("it has not come to the end of its last round; resume it", run)
    reports = in_order(Interpreted.read(f) for f in posted if f.kind != NotInterpreted.__name__)
    return topology_of(
        [finding for report in reports for finding in report.findings],
        [report.interpreter for report in reports],
        package,
        families=dict(enumerate(families, 1)),
        decided=None if comparison is None else decided_by(comparison, run),
    )


def debated_package(run: Run) -> RetrievalPackage:
    """Return the retrieval package that a debate's readers were given.

    Raises
    ------
    RunError
        If it is a run of another protocol, or has no package yet.
    """
    if run.started.protocol != PROTOCOL:
        raise RunError(f"this is a run of {run.started.protocol!r}, not of {PROTOCOL!r}", run)
    returned = run.answers.get("/package")
    if not isinstance(returned, Returned):
        raise RunError("it has no retrieval package yet; resume it", run)
    return read_package(returned.value, "consultation")


def last_round(run: Run) -> str:
    """Return the path that the reports of a debate's last round are under."""
    return f"/round={run.started.params['rounds']}"


def _heard(number: int, reports: Told, package: RetrievalPackage) -> list[Part]:
    """Return what a reader is told of the others' reports."""
    labels = prompts.labels(package)
    return [
        prompts.heard(
            [(f.sub_query, [labels.get(id, id) for id in f.cited], f.conclusion) for f in findings],
            path,
        )
        for other, (path, findings) in sorted(reports.items())
        if other != number
    ]
