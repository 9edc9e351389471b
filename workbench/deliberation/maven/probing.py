"""The Researcher (section 3.4): probe each claim blind, then contrast and calibrate.

Decisions where the paper is silent:

- Each claim is probed in an ask of its own, at the same time as the others and as the Responder.
  The ask holds the question, the claim and its passages: neither the draft nor the defence, so that
  no confidence of another agent can be read into the evidence.
- Contrast and calibration are a second ask, which reads the Responder's justifications. It can
  change the confidence of a finding and say whether the defence agrees, but not its verdict.
- K holds every claim whose probe could be read, also where the verdict is ``unknown``, with the
  calibrated confidence (Eq. 2 verifies each c once). A probe that could not be read leaves no line,
  so that its claim is probed again when it is questioned again.
- A line of K that is read again names its probe as its source, which holds the claim, the verdict
  and the evidence; its confidence may have been calibrated since, in the report that took it up.
"""

from __future__ import annotations

from typing import Any

from workbench.deliberation.answers import normalised
from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import (
    Defended,
    Evidence,
    EvidenceReported,
    Probed,
    Question,
    Questioned,
)
from workbench.deliberation.maven.schemas import CitedProbe, Comparison, comparison_type, probe_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps, all_of, call
from workbench.engine.gate import Parsed
from workbench.record.parts import Part


def probe(
    board: Blackboard,
    asked: Placed[Questioned],
    *,
    iteration: int,
    corpus: str | None,
    passages: int,
) -> Steps[tuple[Evidence, ...]]:
    """Return a finding for each claim of Q_ver: from K if it is there, else probed.

    Parameters
    ----------
    corpus : str or None
        What is searched for each claim, for so many `passages`.
    """
    claims: dict[str, Question] = {}
    for one in asked.fact.questions:
        claims.setdefault(normalised(one.claim), one)
    known = {
        key: found.model_copy(update={"cached": True, "agreement": None})
        for key, found in board.now.cache.items()
        if key in claims
    }
    fresh = {key: one for key, one in claims.items() if key not in known}
    probed = yield from all_of(
        "",
        {
            f"claim={one.number}": _probe(
                board, asked, one, iteration=iteration, corpus=corpus, passages=passages
            )
            for one in fresh.values()
        },
    )
    found = dict(zip(fresh, probed.values(), strict=True)) | known
    return tuple(line for key in claims if (line := found[key]) is not None)


def _probe(
    board: Blackboard,
    asked: Placed[Questioned],
    one: Question,
    *,
    iteration: int,
    corpus: str | None,
    passages: int,
) -> Steps[Evidence | None]:
    hits: list[dict[str, Any]] = []
    given: list[Part] = []
    if corpus is not None:
        returned = yield from call("search", "search", query=one.claim, corpus=corpus, k=passages)
        hits = returned.value
        given = prompts.passages(hits) if hits else [prompts.nothing_found(returned.path)]
    got = yield from board.ask(
        "probe",
        "researcher",
        # The charge comes before what differs, so that the probes of a run share it.
        [prompts.researcher(cite=bool(hits)), *given, prompts.claim(asked, one)],
        probe_type(len(hits)),
        iteration=iteration,
        what=f"evidence on claim {one.number}",
        instead="the claim is not examined and does not enter K",
    )
    if not isinstance(got, Parsed):
        return None
    value = got.value
    cited = dict.fromkeys(
        str(hits[n - 1]["passage"])
        for n in (value.passages if isinstance(value, CitedProbe) else ())
    )
    fact = Probed(
        iteration=iteration,
        claim=one.claim,
        verdict=value.verdict,
        evidence=value.evidence,
        confidence=value.confidence / 100,
        passages=tuple(cited),
    )
    path = yield from board.put("probed", fact, [got.path])
    return Evidence(
        key=normalised(one.claim),
        claim=one.claim,
        verdict=fact.verdict,
        evidence=fact.evidence,
        confidence=fact.confidence,
        agreement=None,
        passages=fact.passages,
        probed=path,
        cached=False,
    )


def report(
    board: Blackboard,
    found: tuple[Evidence, ...],
    defended: Placed[Defended] | None,
    *,
    iteration: int,
    keep: bool,
) -> Steps[Placed[EvidenceReported]]:
    """Contrast the findings with the defence, calibrate them, and post E_t, which updates K."""
    sources = [one.probed for one in found]
    lines = found
    if found and defended is not None:
        got = yield from board.ask(
            "contrast",
            "researcher",
            [*prompts.findings(found), prompts.defences(defended), prompts.contrast(len(found))],
            comparison_type(len(found)),
            iteration=iteration,
            what="contrast",
            instead="the findings stand as they were probed",
        )
        if isinstance(got, Parsed):
            made: list[Evidence] = []
            for number, line in enumerate(found, 1):
                one: Comparison = getattr(got.value, f"f{number}")
                update = {"agreement": one.agreement, "confidence": one.confidence / 100}
                made.append(line.model_copy(update=update))
            lines = tuple(made)
            sources.append(got.path)
    fact = EvidenceReported(iteration=iteration, findings=lines, kept=keep)
    return Placed((yield from board.put("reported", fact, sources)), fact)
