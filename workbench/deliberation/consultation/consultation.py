"""Regime-isolated consultation as one protocol: package, isolated interpreters, synthesis.

"When Agreement Means Something: Regime Isolation and Evidence-Bound Synthesis in Multi-Interpreter
Knowledge Systems", sections 2 to 9. Decisions where the paper is silent:

- All interpreters are asked at the same time, from one package, in the same words; nothing that one
  answers is in a prompt of another (`isolation` proves it from the run's file).
- Which models answer is not the protocol's to know. It is bound to the families that are to answer,
  refuses too few of them, and `conformance` holds the run to the models that it recorded.
- An interpreter that refuses, or whose report cannot be read, is lost: it is not counted, and
  whether the session is still conformant is told. An endpoint that does not answer stops the run,
  which a resume goes on with; silence is no reading, and until then the session is not conformant.
- The synthesis in the run is what rules decide. A comparer model that decides more does so in a run
  about this run (`comparison`), so that no interpreter and no synthesis can be fed by it.
- A corpus that changes while it is read does not change the package. The outputs say so and stay
  bound to the passport that was read.
- The two modes of section 9 are two protocols; a package says which mode it was made for, and the
  other refuses it. Nothing is kept in the process between sessions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.deliberation.consultation.classes import NOW, Rules
from workbench.deliberation.consultation.conformance import shortcomings
from workbench.deliberation.consultation.facts import (
    ROLE,
    Finding,
    Interpreted,
    Mode,
    RetrievalPackage,
    Synthesised,
)
from workbench.deliberation.consultation.interpretation import interpret
from workbench.deliberation.consultation.package import tools
from workbench.deliberation.consultation.topology import topology_of
from workbench.engine.commands import Steps, all_of, call, post
from workbench.engine.gate import explain
from workbench.engine.protocol import World, protocol
from workbench.errors import NonConformant, ProtocolError
from workbench.record.events import JSON, Sampling

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Count = Annotated[int, Field(ge=1)]
Temperature = Annotated[float, Field(ge=0)] | None


class Outcome(BaseModel):
    """How a session ended: what can be counted, and no answer.

    Attributes
    ----------
    nonconformant : tuple of str
        Why the session is not conformant, as far as its protocol knows; see `conformance`.
    passport, package : str
        The digests that everything is bound to.
    corpus_changed : bool
        The corpus was another one, or unreadable, once all had read.
    interpreters, reported : int
    findings, invalid : int
        Findings, and citations that name nothing that was given.
    overlap, unique, divergence : int
        Findings in each class.
    tokens : int
        Read and written, as far as the server told.
    """

    model_config = ConfigDict(frozen=True)

    nonconformant: tuple[str, ...]
    passport: str
    package: str
    corpus_changed: bool
    interpreters: int
    reported: int
    findings: int
    invalid: int
    overlap: int
    unique: int
    divergence: int
    tokens: int


def _world(
    corpus: str,
    passport: str | None = None,
    near: Path | None = None,
    **_: object,
) -> World:
    return tools(corpus, passport, near)


@protocol("consultation", world=_world, before={"rules": 1})
def consultation(
    question: Text,
    corpus: Text,  # noqa: ARG001  # its tools read it
    families: tuple[str, ...],
    *,
    options: tuple[Text, ...] = (),
    passport: str | None = None,
    passages: Count = 6,
    diversity: bool = False,
    words: Count = 30,
    allow_nonconformant: bool = False,
    temperature: Temperature = 0.7,
    max_tokens: Count | None = 1200,
    attempts: Count = 3,
    rules: Rules = NOW,
) -> Steps[Outcome]:
    """Consult a corpus about a question (section 9, mode 2).

    Parameters
    ----------
    question : str
    corpus : str
        A folder of documents.
    families : tuple of str
        The model family of each interpreter; their number is n. `consult_corpus` fills it in from
        the models.
    options : tuple of str
        Of the question, where it names any: conclusions are then compared by them as well.
    passport : str, optional
        The SHA-256 of the corpus's passport: another corpus is refused.
    passages : int
        For each sub-query.
    diversity : bool
        Whether each interpreter has a retrieval path of its own.
    words : int
        Asked for in a conclusion.
    allow_nonconformant : bool
        Run with fewer than three interpreters or two families; every output says so.
    temperature, max_tokens
        Of every interpreter; one for all, since a setting would be a way to tell them apart.
    attempts : int
        Asks for each report.
    rules : {1, 2}
        Which rules relate conclusions in the run's own record of what came out: 1 as it was with
        runs of before there was another set, whose files do not say.

    Returns
    -------
    Outcome
        The run's result: what can be counted. The output itself is `synthesis` of the run.

    Raises
    ------
    NonConformant
        If the interpreters are too few or of one family, and that was not allowed.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    return (
        yield from _session(
            "consultation",
            question,
            families,
            options=options,
            passport=passport,
            passages=passages,
            diversity=diversity,
            words=words,
            allow_nonconformant=allow_nonconformant,
            sampling=sampling,
            attempts=attempts,
            rules=rules,
        )
    )


@protocol("verification", world=_world, before={"rules": 1})
def verification(
    corpus: Text,  # noqa: ARG001  # its tools read it
    families: tuple[str, ...],
    *,
    question: Text = "Does what this collection states hold together?",
    passport: str | None = None,
    passages: Count = 12,
    diversity: bool = False,
    words: Count = 30,
    allow_nonconformant: bool = False,
    temperature: Temperature = 0.7,
    max_tokens: Count | None = 1200,
    attempts: Count = 3,
    rules: Rules = NOW,
) -> Steps[Outcome]:
    """Have interpreters assess the coherence of a corpus of one's own (section 9, mode 1).

    The sub-queries ask for contradictions, terms used in two ways, and dependencies that nothing
    establishes.

    Parameters
    ----------
    question : str
        Narrows what is looked at.
    corpus, families, passport, passages, diversity, words, allow_nonconformant
        As in `consultation`.
    temperature, max_tokens, attempts, rules
        As in `consultation`.

    Returns
    -------
    Outcome
        As in `consultation`.

    Raises
    ------
    NonConformant
        As in `consultation`.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    return (
        yield from _session(
            "verification",
            question,
            families,
            options=(),
            passport=passport,
            passages=passages,
            diversity=diversity,
            words=words,
            allow_nonconformant=allow_nonconformant,
            sampling=sampling,
            attempts=attempts,
            rules=rules,
        )
    )


def _session(
    mode: Mode,
    question: str,
    families: tuple[str, ...],
    *,
    options: tuple[str, ...],
    passport: str | None,
    passages: int,
    diversity: bool,
    words: int,
    allow_nonconformant: bool,
    sampling: Sampling,
    attempts: int,
    rules: Rules,
) -> Steps[Outcome]:
    """Run a session of either mode."""
    check_conformant(families, allow_nonconformant)
    returned = yield from call(
        "package",
        "package",
        question=question,
        mode=mode,
        passages=passages,
        paths=len(families) if diversity else 0,
    )
    package = read_package(returned.value, mode, question, passport)
    told = yield from all_of(
        "",
        {
            f"{ROLE}={number}": interpret(
                number,
                package,
                returned.path,
                options=options,
                words=words,
                sampling=sampling,
                attempts=attempts,
            )
            for number in range(1, len(families) + 1)
        },
    )
    closing = yield from call("closing", "passport")
    now = closing.value.get("sha256") if isinstance(closing.value, dict) else None
    reports = [fact for fact, _ in told.values() if isinstance(fact, Interpreted)]
    reported = [report.interpreter for report in reports]
    findings: list[Finding] = [finding for report in reports for finding in report.findings]
    topology = topology_of(
        findings,
        reported,
        package,
        options=options,
        families=dict(enumerate(families, 1)),
        rules=rules,
    )
    lost = tuple(n for n in range(1, len(families) + 1) if n not in reported)
    changed = now != package.passport.sha256
    left = [family for n, family in enumerate(families, 1) if n in reported]
    why = shortcomings(left)
    fact = Synthesised(
        topology=topology.to_json(), nonconformant=why, lost=lost, corpus_changed=changed
    )
    sources = [f"/{ROLE}={n}/interpretation" for n in range(1, len(families) + 1)]
    yield from post("synthesis", fact, [returned.path, *sources, closing.path])
    return Outcome(
        nonconformant=why,
        passport=package.passport.sha256,
        package=package.digest,
        corpus_changed=changed,
        interpreters=len(families),
        reported=len(reported),
        findings=len(findings),
        invalid=sum(len(finding.invalid) for finding in findings),
        overlap=len(topology.classes.overlap),
        unique=len(topology.classes.unique),
        divergence=len(topology.classes.divergence),
        tokens=sum(tokens for _, tokens in told.values()),
    )


def check_conformant(families: tuple[str, ...], allow: bool) -> None:
    """Refuse interpreters that are too few or of one family.

    Raises
    ------
    NonConformant
    """
    if not families:
        raise NonConformant("a session needs interpreters: give the model family of each")
    if (why := shortcomings(families)) and not allow:
        raise NonConformant(
            f"not conformant: {'; '.join(why)}. Add interpreters, or pass allow_nonconformant=True "
            "and have every output marked"
        )


def read_package(
    value: JSON, mode: Mode, question: str | None = None, passport: str | None = None
) -> RetrievalPackage:
    """Return a retrieval package that a tool returned.

    Raises
    ------
    ProtocolError
        If it is none, is damaged, or was made for the other mode, another question or another
        corpus: a package is never taken for what it is not.
    """
    given: Any = value
    try:
        package = RetrievalPackage.model_validate(given)
    except ValidationError as error:
        raise ProtocolError(f"the tool 'package' returned no package: {explain(error)}") from None
    for what, is_, wanted in (
        ("mode", package.mode, mode),
        ("question", package.question, question),
        ("passport", package.passport.sha256, passport),
    ):
        if wanted is not None and is_ != wanted:
            raise ProtocolError(f"the package's {what} is {is_!r}, and {wanted!r} is wanted")
    return package
