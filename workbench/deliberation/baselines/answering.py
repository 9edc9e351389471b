"""What all baselines share: the question as agents read it, and a typed answer through the gate.

Decisions for all of them, so that they differ in their method alone:

- Prompts begin alike (the charge, then the question with lettered options), so that a server can
  reuse the beginning for every agent of a run.
- An answer is JSON. With options it is one letter, which the schema lists; without, a few words.
- Nobody is told that an answer may be withheld. What cannot be read after all attempts is an answer
  of None: it has no vote, and is never a default.
- Each prompt is self-contained; a chat that goes on, as in some of the papers, is quoted instead,
  with its source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, create_model

from workbench.deliberation.answers import counted
from workbench.deliberation.facts import Candidate, FinalAnswer, Tally
from workbench.engine.commands import Steps, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.percent import Percent
from workbench.record.events import Sampling
from workbench.record.parts import Part


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _a_choice(options: tuple[str, ...]) -> tuple[str, ...]:
    if len(options) == 1:
        raise ValueError("one option leaves nothing to choose; give none, or at least two")
    return options


Words = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
"""A text that says something."""
Options = Annotated[
    tuple[Words, ...], Field(max_length=len(ascii_uppercase)), AfterValidator(_a_choice)
]
"""None, or two to 26 of them."""
Count = Annotated[int, Field(ge=1)]
Temperature = Annotated[float, Field(ge=0)]
Order = Literal["answer first", "explanation first"]

_ROOM = 20
"""Characters of a text for each word that is asked for: a guard, not the stop."""
_GRAMMAR = 1900
"""Characters that llama.cpp's grammars count out; they refuse or forget bounds from 2,000 on."""

_CHARGE = "You answer questions. Be accurate, and say only what you have reason to believe."


def room(words: int) -> int:
    """Return the bound in characters for a text of so many words.

    Examples
    --------
    >>> room(60), room(120), room(400)
    (1200, 1900, 3200)
    """
    return min(_ROOM * words, max(_GRAMMAR, 8 * words))


class Reply(BaseModel):
    """What an agent answers; `reply_type` makes the fields, in the order in which it is to write.

    A server that holds a model to a grammar has them written in that order, so that an explanation
    that comes first is thought before the answer, and one that comes second is found for it.
    """

    if TYPE_CHECKING:
        answer: str
        explanation: str


@lru_cache(maxsize=256)
def reply_type(letters: str, order: Order, words: int, *, confidence: bool) -> type[Reply]:
    """Return `Reply` with the letters of the options as its only answers (none: a short text)."""
    answer: Any = (Annotated[Words, Field(max_length=200)], ...)
    if letters:
        answer = (Literal[tuple(letters)], ...)
    explanation: Any = (Annotated[Words, Field(max_length=room(words))], ...)
    fields: dict[str, Any] = {"answer": answer, "explanation": explanation}
    if order == "explanation first":
        fields = dict(reversed(fields.items()))
    if confidence:
        fields["confidence"] = (Percent, ...)
    return create_model("Reply", __base__=Reply, **fields)


@dataclass(frozen=True, slots=True)
class Made:
    """A candidate and the path at which it was posted."""

    candidate: Candidate
    path: str

    def part(self, by: str = "") -> Part:
        """Return it as others read it; `by` is whose it is, to the reader."""
        made = self.candidate
        said = made.answer if made.answer is not None else "(none that could be read)"
        sure = "" if made.confidence is None else f" (confidence {made.confidence} %)"
        return Part(f"{by or made.author} answered: {said}{sure}\n{made.explanation}", self.path)


@dataclass(frozen=True, slots=True)
class Task:
    """A question and how agents are asked it."""

    question: str
    options: tuple[str, ...]
    words: int
    sampling: Sampling
    attempts: int

    @property
    def letters(self) -> str:
        """The letters of the options."""
        return ascii_uppercase[: len(self.options)]

    def opening(self) -> list[Part]:
        """Return the beginning that all prompts of a run have in common."""
        options = "".join(f"\n{a}. {b}" for a, b in zip(self.letters, self.options, strict=True))
        return [Part(_CHARGE, None, "system"), Part(f"Question: {self.question}{options}")]

    def instruction(self, how: str, order: Order, *, confidence: bool) -> Part:
        """Return the words that ask for a reply of `reply_type`."""
        answer = "the letter of one option" if self.options else "a few words or a number, no more"
        keys = [
            f"answer ({answer})",
            f"explanation (at most {self.words} words, clear to someone who reads nothing else)",
        ]
        if order == "explanation first":
            keys.reverse()
        if confidence:
            keys.append("confidence (that the answer is right, 0 to 100)")
        told = f"{', '.join(keys[:-1])} and {keys[-1]}"
        return Part(f"{how}\n\nAnswer with one JSON object with the keys {told}, in this order.")

    def solve(
        self,
        role: str,
        how: str,
        read: Sequence[Part] = (),
        *,
        turn: int = 1,
        order: Order = "explanation first",
        confidence: bool = False,
        sources: Iterable[str] = (),
    ) -> Steps[Made]:
        """Ask an agent for an answer and post it as a `Candidate`.

        Parameters
        ----------
        role : str
        how : str
            What the method has the agent do.
        read : sequence of Part
            What it reads between the question and the instruction.
        sources : iterable of str
            Paths that the candidate was drawn from, besides the reply.
        """
        got = yield from ask_json(
            "answer",
            role,
            [*self.opening(), *read, self.instruction(how, order, confidence=confidence)],
            reply_type(self.letters, order, self.words, confidence=confidence),
            sampling=self.sampling,
            attempts=self.attempts,
        )
        if isinstance(got, Unparsed):
            made = Candidate(turn=turn, author=role, answer=None, explanation="")
        else:
            made = Candidate(
                turn=turn,
                author=role,
                answer=got.value.answer.strip(),
                explanation=got.value.explanation,
                confidence=getattr(got.value, "confidence", None),
            )
        path = yield from post("candidate", made, [got.path, *sources])
        return Made(made, path)


def conclude(made: Made, how: str) -> Steps[FinalAnswer]:
    """Post a candidate as the answer of the run."""
    last = made.candidate
    if last.answer is None:
        how = f"{how}; no answer of {last.author} could be read"
    final = FinalAnswer(answer=last.answer, explanation=last.explanation, how=how)
    yield from post("final", final, [made.path])
    return final


def vote(made: Sequence[Made], weights: Sequence[float] | None = None) -> Steps[FinalAnswer]:
    """Count answers, post the `Tally`, and post the answer with most as that of the run.

    Which answers are one, `counted` tells. The explanation is that of the first candidate with the
    answer; of weighted votes, of the one with the greatest weight.
    """
    weighed = [1.0] * len(made) if weights is None else list(weights)
    totals: dict[str, float] = {}
    best: dict[str, tuple[float, Made]] = {}
    read = [
        (answer, one, weight)
        for one, weight in zip(made, weighed, strict=True)
        if (answer := one.candidate.answer) is not None
    ]
    forms = counted([answer for answer, _, _ in read])
    for key, (_, one, weight) in zip(forms, read, strict=True):
        totals[key] = round(totals.get(key, 0.0) + weight, 9)  # 3 x 0.1 is as much as 0.3
        if key not in best or weight > best[key][0]:
            best[key] = (weight, one)
    most = max(totals.values(), default=0.0)
    first = [key for key, total in totals.items() if total == most]
    chosen = best[first[0]][1].candidate if first else None
    tally = Tally(
        by="majority" if weights is None else "confidence",
        weights={best[key][1].candidate.answer or "": total for key, total in totals.items()},
        chosen=chosen.answer if chosen else None,
        tied=len(first) > 1,
        unread=len(made) - len(read),
    )
    path = yield from post("vote", tally, [one.path for one in made])
    how = f"{tally.by} vote: {most:g} of {sum(totals.values()):g}{', tied' * tally.tied}"
    if chosen is None:
        how = f"{tally.by} vote: no candidate could be read"
    elif tally.unread:
        how += f", {tally.unread} unread"
    final = FinalAnswer(
        answer=chosen.answer if chosen else None,
        explanation=chosen.explanation if chosen else "",
        how=how,
    )
    yield from post("final", final, [path, *([best[first[0]][1].path] if first else [])])
    return final
