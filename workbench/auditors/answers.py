"""What the quality judge reads: the answers of several methods to one question, without names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from string import ascii_uppercase
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from workbench.deliberation.facts import FinalAnswer
from workbench.errors import RunError
from workbench.record.events import Asked
from workbench.record.parts import Part
from workbench.record.run import Run, open_run

ROLE = "quality_judge"
CHARGE = (
    "You judge how good explanations are. You do not know who wrote them. Length is no merit, and "
    "neither is the place in which an answer stands."
)
NAME = "[name]"
"""What stands in a text where a name was."""
ORDINARY = frozenset({"direct"})
"""Names that are words of every day, and that no answer has cause to use as names."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswerUnit(_Frozen):
    """One method's answer to a question.

    Attributes
    ----------
    subject : str
        The digest of the run that gave it.
    path : str
        Of its `FinalAnswer`.
    method : str
        Its label; no prompt holds it.
    text : str or None
        Answer and explanation as they are judged; None: there is nothing to judge.
    removed : int
        Names that were taken out of the text.
    """

    subject: Annotated[str, Field(min_length=64, max_length=64)]
    path: str
    method: str
    text: str | None
    removed: int

    @property
    def source(self) -> str:
        """The source of a part that quotes it."""
        return f"{self.subject[:12]}:{self.path}"


class Panel(_Frozen):
    """A question and the answers to it that are judged side by side."""

    item: str
    question: str
    options: tuple[str, ...]
    answers: tuple[AnswerUnit, ...]


Count = Annotated[int, Field(ge=1)]
Reason = Annotated[str, Field(max_length=400)]
"""A judge's reason: at most 20 words are asked for."""
Asks = tuple[str, tuple[str, ...]]
"""A question and its options."""
Runs = Mapping[str, Iterable[Run | str | os.PathLike[str]]]


def panels(runs: Runs) -> tuple[Panel, ...]:
    """Return a panel for each question that the runs answer.

    Parameters
    ----------
    runs : mapping of str to iterable of Run or path
        By method. Runs of one question are those with equal question and options.

    Raises
    ------
    RunError
        If a run has not ended in a `FinalAnswer`, or two of one method answer one question.
    """
    found: dict[Asks, dict[str, Run]] = {}
    for method, given in runs.items():
        for one in given:
            run = one if isinstance(one, Run) else open_run(one)
            params = run.started.params
            asked = (str(params.get("question")), tuple(params.get("options") or ()))
            if method in found.setdefault(asked, {}):
                raise RunError(f"two runs of {method} answer {asked[0][:60]!r}; give one", run)
            found[asked][method] = run
    return tuple(
        Panel(
            item=sha256(repr(asked).encode()).hexdigest()[:12],
            question=asked[0],
            options=asked[1],
            answers=_units(asked, answers),
        )
        for asked, answers in found.items()
    )


def subject_of(given: Sequence[Panel]) -> str:
    """Return what an audit of several runs is about: a digest over theirs."""
    digests = sorted(unit.subject for panel in given for unit in panel.answers)
    return digests[0] if len(digests) == 1 else sha256("\n".join(digests).encode()).hexdigest()


def shown(panel: Panel, units: Sequence[AnswerUnit]) -> list[Part]:
    """Return the question and these answers, numbered from 1, as the judge reads them."""
    options = "".join(f"\n{a}. {b}" for a, b in zip(ascii_uppercase, panel.options, strict=False))
    parts = [Part(f"Question: {panel.question}{options}")]
    for number, unit in enumerate(units, 1):
        parts += [Part(f"Answer {number}:"), Part(unit.text or "", unit.source)]
    return parts


def some(found: tuple[Panel, ...]) -> tuple[Panel, ...]:
    """Return the panels; `ValueError` if there are none."""
    if not found:
        raise ValueError("there is nothing to judge: no answers, or no pair of them")
    return found


def _units(asked: Asks, runs: Mapping[str, Run]) -> tuple[AnswerUnit, ...]:
    """Return the answers of a panel, each without any name of any of them.

    A word that only one method's answer lost would tell which it is.
    """
    names: set[str] = set()
    for method, run in runs.items():
        roles = {e.role for e in run.commands.values() if isinstance(e, Asked)}
        names |= {method.partition(":")[0], run.started.protocol, *roles}
    return tuple(_unit(run, method, asked, names - ORDINARY) for method, run in runs.items())


def _unit(run: Run, method: str, asked: Asks, names: Iterable[str]) -> AnswerUnit:
    finals = run.facts_of("FinalAnswer")
    if not finals:
        raise RunError(
            f"a run of {run.started.protocol!r} that is {run.status} has no FinalAnswer", run
        )
    final = FinalAnswer.read(finals[-1])
    text, removed = None, 0
    if final.answer is not None and final.explanation.strip():
        said = f"{_spelled(final.answer, asked[1])}\n{final.explanation.strip()}"
        text, removed = unnamed(said, names, kept=" ".join([asked[0], *asked[1]]))
    return AnswerUnit(
        subject=run.digest, path=finals[-1].path, method=method, text=text, removed=removed
    )


def _spelled(answer: str, options: tuple[str, ...]) -> str:
    place = ascii_uppercase.find(answer) if len(answer) == 1 else -1
    return f"{answer}. {options[place]}" if 0 <= place < len(options) else answer


def unnamed(text: str, names: Iterable[str], kept: str = "") -> tuple[str, int]:
    """Return a text without names of methods and agents, and how many were taken out.

    Names are whole words, in any case, with any of space, hyphen and underscore between their
    parts. A name that `kept` (the question) uses is a word of the matter and stays.

    Examples
    --------
    >>> unnamed("As Debater 1 says, MAVEN agrees.", ["debater_1", "maven"])
    ('As [name] says, [name] agrees.', 2)
    >>> unnamed("A judge may reconcile them.", ["judge"], kept="What may a judge do?")
    ('A judge may reconcile them.', 0)
    """
    removed = 0
    for name in sorted({name for name in names if name}, key=lambda name: (-len(name), name)):
        parts = [re.escape(part) for part in re.split(r"[\s_-]+", name) if part]
        words = r"[\s_-]*".join(parts)
        pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
        if parts and not pattern.search(kept):
            text, count = pattern.subn(NAME, text)
            removed += count
    return text, removed
