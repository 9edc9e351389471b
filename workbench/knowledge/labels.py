"""Labels: questions to a corpus whose structure is known, with the class that is to be found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.errors import DatasetError
from workbench.knowledge.corpus import Corpus

Class = Literal["overlap", "unique", "divergence", "absent"]
Divergence = Literal[
    "corpus_ambiguity", "logical_contradiction", "scope_mismatch", "temporal_conflict"
]
"""The four types of "When Agreement Means Something", section 5.1."""

QUESTIONS, LABELS = "questions.jsonl", "labels.jsonl"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_Frozen):
    """A passage's id, and the words in it that matter."""

    passage: str
    quote: Annotated[str, Field(min_length=1)]


class _Line(_Frozen):
    id: str


class Question(_Line):
    """A question as methods are shown it: its id and its words, and nothing of what is expected."""

    question: Annotated[str, Field(min_length=1)]


class _Label(_Line):
    class_: Class = Field(alias="class")
    type: Divergence | None = None
    evidence: tuple[Place, ...] = ()
    answers: tuple[str, ...] = ()
    why: str

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (self.type is not None) != (self.class_ == "divergence"):
            raise ValueError("a divergence has a type, and nothing else has one")
        if bool(self.evidence) == (self.class_ == "absent"):
            raise ValueError("what is absent has no evidence, and all else has some")
        return self


T = TypeVar("T", bound=_Line)


class LabelledQuestion(_Frozen):
    """A question with what careful independent readers should come to.

    Attributes
    ----------
    id, question : str
    expected : str
        Its class: ``overlap`` (all cite one passage and say the same), ``unique`` (it is said in
        passing or in scattered parts, so that a reader may be alone with it), ``divergence`` or
        ``absent`` (the corpus does not say).
    type : str or None
        Of the divergence.
    evidence : tuple of Place
        In a temporal conflict the passage in force first.
    answers : tuple of str
        For a divergence the readings, else the parts of the answer.
    why : str
        What makes it a trap, or plain.
    """

    id: str
    question: str
    expected: Class
    type: Divergence | None
    evidence: tuple[Place, ...]
    answers: tuple[str, ...]
    why: str


def read_questions(folder: str | os.PathLike[str]) -> tuple[Question, ...]:
    """Read the questions of a corpus, ``questions.jsonl``; its labels are not opened.

    Parameters
    ----------
    folder : path
        The corpus's.

    Returns
    -------
    tuple of Question
        In the order of the file.

    Raises
    ------
    DatasetError
        If the file is missing, or a line malformed.
    """
    return tuple(_lines(Path(folder) / QUESTIONS, Question))


def read_labels(folder: str | Path, corpus: Corpus | None = None) -> tuple[LabelledQuestion, ...]:
    """Read the questions and labels of a corpus: ``questions.jsonl`` and ``labels.jsonl``.

    Parameters
    ----------
    folder : str or Path
        The corpus's.
    corpus : Corpus, optional
        As it was read; read with the default splitter if not given.

    Returns
    -------
    tuple of LabelledQuestion
        In the order of the questions.

    Raises
    ------
    DatasetError
        A line is malformed, a question has no label or a label no question, or a label's words are
        not in its passage: the labels are then of another state of the corpus.

    Examples
    --------
    >>> read_labels("corpora/handbook")[19].type  # doctest: +SKIP
    'temporal_conflict'
    """
    root = Path(folder)
    corpus = corpus or Corpus.read(root)
    asked = read_questions(root)
    labels = {label.id: label for label in _lines(root / LABELS, _Label)}
    if lost := sorted({one.id for one in asked} ^ labels.keys()):
        raise DatasetError(f"{root}: {lost[0]} is a question without a label, or the other way")
    made = []
    for one in asked:
        label = labels[one.id]
        for place in label.evidence:
            if place.quote not in corpus.passage(place.passage).text:
                raise DatasetError(
                    f"{root / LABELS}: {label.id}: {place.passage} does not say "
                    f"{place.quote!r}; the labels are of another state of the corpus"
                )
        made.append(
            LabelledQuestion(
                id=one.id,
                question=one.question,
                expected=label.class_,
                type=label.type,
                evidence=label.evidence,
                answers=label.answers,
                why=label.why,
            )
        )
    return tuple(made)


def _lines(path: Path, form: type[T]) -> list[T]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from None
    made: list[T] = []
    for number, line in enumerate(lines, 1):
        try:
            made.append(form.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise DatasetError(f"{path}:{number}: {where}: {first['msg']}") from None
    ids = [one.id for one in made]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise DatasetError(f"{path}: {twice} is there twice")
    return made
