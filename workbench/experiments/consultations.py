"""Consult a labelled corpus about each of its questions, one run file a question.

::

    FOLDER/H01.run.jsonl              one session; only this file decides what is left to do
    FOLDER/H01.comparison.run.jsonl   the comparer's run about it, where a comparer is given

What is run reads the questions and the documents. The labels are read by `score_consultations`
alone, once the readers are done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workbench.deliberation.consultation.comparison import comparison
from workbench.deliberation.consultation.session import bind_consultation, interpreters
from workbench.engine.drive import Models, OnEvent
from workbench.engine.loop import wait
from workbench.engine.protocol import Bound
from workbench.errors import Diverged, RunError
from workbench.experiments.consultation_scores import (
    ConsultationScores,
    compared,
    score_consultations,
)
from workbench.experiments.jobs import Did, Failure, check_same, once, work_off
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.labels import Question, read_questions
from workbench.lm.base import LM
from workbench.record.log import SUFFIX


class Consulted(NamedTuple):
    """What came of one question; `why` tells of a failure or interruption."""

    question: Question
    did: Did
    path: Path
    why: str = ""


async def bench_consultation(
    corpus: str | os.PathLike[str],
    lms: Sequence[LM],
    *,
    to: str | os.PathLike[str],
    questions: Sequence[Question] | None = None,
    n: int | None = None,
    comparer: LM | None = None,
    seed: int = 0,
    runs_at_once: int = 1,
    on_event: OnEvent | None = None,
    on_done: Callable[[Consulted], None] | None = None,
    **options: Any,
) -> ConsultationScores:
    """Consult a labelled corpus about its questions, as far as that was not done before.

    Parameters
    ----------
    corpus : path
        A folder of documents with ``questions.jsonl`` and ``labels.jsonl``.
    lms : sequence of LM
        As for `consult_corpus`.
    to : path
        A folder: a new one, or that of an earlier call with the same models, options and seed.
    questions : sequence of Question, optional
        Of the corpus's; default: all.
    n : int, optional
        Interpreters.
    comparer : LM, optional
        Decides what rules leave undecided, in a run of its own.
    seed : int
        Of every run.
    runs_at_once, on_event, on_done
        As for `bench`.
    **options
        Of `consultation`.

    Returns
    -------
    ConsultationScores
        Of these questions.

    Raises
    ------
    NonConformant, CorpusError, DatasetError
        Before anything is asked.
    RunFileError
        If a file in the folder is of other models, options or corpus: they would be mixed up.
    RunFailed
        If the models did not answer three runs in a row; what there is is kept.
    ValueError
        If there is no question, or `runs_at_once` is below 1.

    References
    ----------
    .. [1] M. Barziankou, When Agreement Means Something, 2026, sections 3.2 and 5.1.

    Examples
    --------
    >>> import workbench as wb
    >>> lms = [wb.LocalLM(), wb.LocalLM("smollm2")]
    >>> await wb.bench_consultation("corpora/handbook", lms, to="out")  # doctest: +SKIP
    """
    asked = tuple(read_questions(corpus) if questions is None else questions)
    if not asked:
        raise ValueError("there is no question")
    if runs_at_once < 1:
        raise ValueError(f"runs_at_once is {runs_at_once}; it starts at 1")
    families, models = interpreters(lms, n)
    options.setdefault("passport", Corpus.read(Path(corpus)).passport.sha256)
    folder = Path(to)
    jobs = [
        (one, bind_consultation(one.question, corpus, families, **options), place(folder, one))
        for one in asked
    ]
    for _, bound, path in jobs:
        check_same(path, bound, models, seed)
    jobs[0][2].parent.mkdir(parents=True, exist_ok=True)

    async def one(job: tuple[Question, Any, Path]) -> Failure:
        question, bound, path = job
        did, error = await once_compared(bound, path, models, comparer, seed, on_event)
        if on_done is not None:
            on_done(Consulted(question, did, path, str(error or "")))
        return error

    await work_off(jobs, one, runs_at_once)
    return score_consultations(corpus, folder, [one.id for one in asked])


async def once_compared(
    bound: Bound[Any],
    path: Path,
    models: Models,
    comparer: LM | None,
    seed: int,
    on_event: OnEvent | None,
) -> tuple[Did, Failure]:
    """Run, resume or keep a session, and then the comparer's run about it; as `once`."""
    did, error = await once(bound, path, models, seed, on_event)
    if error is None and comparer is not None:
        try:
            about, file = comparison(path), compared(path)
            check_same(file, about, comparer, seed)
            told, error = await once(about, file, comparer, seed, on_event)
            did = told if did == "kept" else did
        except (RunError, Diverged) as refused:
            did, error = "failed", refused
    return did, error


def bench_consultation_sync(*args: Any, **options: Any) -> ConsultationScores:
    """Consult about all questions and wait for the end; takes what `bench_consultation` takes."""
    return wait(bench_consultation(*args, **options))


def place(folder: Path, question: Question) -> Path:
    """Return the file of a question's session."""
    return folder / f"{question.id}{SUFFIX}"
