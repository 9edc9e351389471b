"""Ask one set of questions under the four conditions that the paper's predictions compare.

::

    FOLDER/isolated/H01.run.jsonl              A, B, A: a consultation
    FOLDER/debated/H01.run.jsonl               the same, and told each other's reports
    FOLDER/substituted/H01.run.jsonl           B, A, B: a consultation of other models
    FOLDER/alike/H01.run.jsonl                 A, A, A: one family; non-conformant, and marked so
    FOLDER/alike/H01.comparison.run.jsonl      the comparer's run about it, where one is given

All runs have one seed, so that an interpreter of one number and model is asked the same, with the
same seed, under each condition: what differs is what the condition changes. A question is asked
under all conditions before the next one is, so that whenever the work stops the conditions have the
same questions. The labels are read by `score_predictions` alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workbench.deliberation.consultation.debated import debated_consultation
from workbench.deliberation.consultation.session import bind_consultation, interpreters
from workbench.engine.drive import Models, OnEvent
from workbench.engine.loop import wait
from workbench.engine.protocol import Bound
from workbench.experiments.consultations import once_compared, place
from workbench.experiments.jobs import Did, Failure, check_same, work_off
from workbench.experiments.prediction_scores import PredictionScores, score_predictions
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.labels import Question, read_questions
from workbench.lm.base import LM


class Predicted(NamedTuple):
    """What came of one question under one condition; `why` tells of a failure or interruption."""

    condition: str
    question: Question
    did: Did
    path: Path
    why: str = ""


class _Job(NamedTuple):
    condition: str
    question: Question
    bound: Bound[Any]
    models: Models
    path: Path


async def bench_predictions(
    corpus: str | os.PathLike[str],
    lms: Sequence[LM],
    *,
    to: str | os.PathLike[str],
    questions: Sequence[Question] | None = None,
    comparer: LM | None = None,
    seed: int = 0,
    runs_at_once: int = 1,
    on_event: OnEvent | None = None,
    on_done: Callable[[Predicted], None] | None = None,
    **options: Any,
) -> PredictionScores:
    """Ask a labelled corpus's questions under four conditions, as far as that was not done before.

    Parameters
    ----------
    corpus : path
        A folder of documents with ``questions.jsonl`` and ``labels.jsonl``.
    lms : sequence of 2 LM
        A and B, of two families. There are three interpreters: A, B, A where they are ``isolated``
        and where they are ``debated``, B, A, B where they are ``substituted``, and A, A, A where
        they are ``alike``, which differ by their seeds alone.
    to : path
        A folder: a new one, or that of an earlier call with the same models, options and seed.
    questions : sequence of Question, optional
        Of the corpus's; default: all.
    comparer : LM, optional
        Decides what rules leave undecided, in runs of its own; under every condition.
    seed : int
        Of every run.
    runs_at_once, on_event, on_done
        As for `bench`.
    **options
        That `consultation` and `debated_consultation` have in common.

    Returns
    -------
    PredictionScores
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
        If there is no question, there are not two models, or `runs_at_once` is below 1.

    References
    ----------
    .. [1] M. Barziankou, When Agreement Means Something, 2026, section 11.

    Examples
    --------
    >>> import workbench as wb
    >>> lms = [wb.LocalLM(), wb.LocalLM("smollm2")]
    >>> await wb.bench_predictions("corpora/handbook", lms, to="out")  # doctest: +SKIP
    """
    asked = tuple(read_questions(corpus) if questions is None else questions)
    if not asked:
        raise ValueError("there is no question")
    if len(lms) != 2:
        raise ValueError(f"there are {len(lms)} models; the conditions are made of two")
    if runs_at_once < 1:
        raise ValueError(f"runs_at_once is {runs_at_once}; it starts at 1")
    options.setdefault("passport", Corpus.read(Path(corpus)).passport.sha256)
    jobs = [
        _Job(condition, one, bound, models, place(Path(to) / condition, one))
        for one in asked
        for condition, (bound, models) in _conditions(corpus, one.question, lms, options).items()
    ]
    for job in jobs:
        check_same(job.path, job.bound, job.models, seed)
    for job in jobs:
        job.path.parent.mkdir(parents=True, exist_ok=True)

    async def one(job: _Job) -> Failure:
        did, error = await once_compared(job.bound, job.path, job.models, comparer, seed, on_event)
        if on_done is not None:
            on_done(Predicted(job.condition, job.question, did, job.path, str(error or "")))
        return error

    await work_off(jobs, one, runs_at_once)
    return score_predictions(corpus, to, [one.id for one in asked])


def bench_predictions_sync(*args: Any, **options: Any) -> PredictionScores:
    """Ask under all conditions and wait for the end; takes what `bench_predictions` takes."""
    return wait(bench_predictions(*args, **options))


def _conditions(
    corpus: str | os.PathLike[str], question: str, lms: Sequence[LM], options: dict[str, Any]
) -> dict[str, tuple[Bound[Any], Models]]:
    """Return what to run for a question under each condition, and with which models."""
    a, b = lms
    mixed, models = interpreters([a, b])
    others, substitutes = interpreters([b, a])
    alike, same = interpreters([a])
    loose = {**options, "allow_nonconformant": True}
    return {
        "isolated": (bind_consultation(question, corpus, mixed, **options), models),
        "debated": (debated_consultation(question, os.fspath(corpus), mixed, **options), models),
        "substituted": (bind_consultation(question, corpus, others, **options), substitutes),
        "alike": (bind_consultation(question, corpus, alike, **loose), same),
    }
