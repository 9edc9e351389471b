"""The attack on a draft and its defence: Skeptic and Responder (section 3.4)."""

from __future__ import annotations

import re

from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import (
    Defence,
    Defended,
    Dimension,
    DraftMade,
    Question,
    Questioned,
)
from workbench.deliberation.maven.schemas import Justification, defence_type, doubts_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps, consult
from workbench.engine.gate import Parsed

_URGENCY = {"high": 0, "medium": 1, "low": 2}
_LINE = re.compile(
    r"\s*(?:(?:[-*•]|\d+[.)])(?:\s+|\Z))?(?:(?P<dimension>factual|logical|causal|adversarial)\s*:)?(?P<claim>.*)",
    re.IGNORECASE | re.DOTALL,
)


def attack(
    board: Blackboard, draft: Placed[DraftMade], *, iteration: int, most: int, human: bool
) -> Steps[Placed[Questioned]]:
    """Ask the Skeptic, a model or a person, and post Q_ver with the urgent questions first."""
    if human:
        said = yield from consult("skeptic/attack", prompts.skeptic_consulted(draft, board.query))
        fact = Questioned(iteration=iteration, by="human", questions=questions_of(said.text))
        return Placed((yield from board.put("skeptic/questioned", fact, [said.path])), fact)
    got = yield from board.ask(
        "skeptic/attack",
        "skeptic",
        [prompts.draft(draft, board.query), prompts.skeptic(most)],
        doubts_type(most),
        iteration=iteration,
        what="questions",
        instead="nothing is examined, so the draft cannot be accepted in this iteration",
    )
    if not isinstance(got, Parsed):
        fact = Questioned(iteration=iteration, by="unparsed", questions=())
        return Placed((yield from board.put("skeptic/questioned", fact, [got.path])), fact)
    urgent = sorted(got.value.questions, key=lambda doubt: _URGENCY[doubt.priority])
    fact = Questioned(
        iteration=iteration,
        by="model",
        questions=tuple(
            Question(number=n, **doubt.model_dump()) for n, doubt in enumerate(urgent, 1)
        ),
    )
    return Placed((yield from board.put("skeptic/questioned", fact, [got.path])), fact)


def questions_of(text: str) -> tuple[Question, ...]:
    """Return a person's questions: one a line, its claim being the line itself.

    A line may begin with a bullet or number and with its dimension; else it is adversarial. A
    person's questions are all of high priority.
    """
    made: list[Question] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        claim = found["claim"].strip() if found else ""
        if found and claim:
            dimension: Dimension = (found["dimension"] or "adversarial").lower()  # type: ignore[assignment]
            made.append(
                Question(
                    number=len(made) + 1,
                    dimension=dimension,
                    priority="high",
                    claim=claim,
                    question="Is this so?" if not claim.endswith("?") else "",
                )
            )
    return tuple(made)


def defend(
    board: Blackboard, draft: Placed[DraftMade], asked: Placed[Questioned], *, iteration: int
) -> Steps[Placed[Defended] | None]:
    """Ask the Responder, who reads the draft and the questions and nothing of the Researcher."""
    count = len(asked.fact.questions)
    got = yield from board.ask(
        "defence",
        "responder",
        [prompts.draft(draft, board.query), prompts.questions(asked), prompts.responder(count)],
        defence_type(count),
        iteration=iteration,
        what="justifications",
        instead="the findings stand as they were probed",
    )
    if not isinstance(got, Parsed):
        return None
    defences = []
    for number in range(1, count + 1):
        one: Justification = getattr(got.value, f"q{number}")
        defences.append(
            Defence(
                number=number,
                justification=one.justification,
                confidence=one.confidence / 100,
            )
        )
    fact = Defended(iteration=iteration, defences=tuple(defences))
    return Placed((yield from board.put("defended", fact, [got.path])), fact)
