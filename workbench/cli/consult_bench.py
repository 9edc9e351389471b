"""The command that holds consultations of a labelled corpus to its labels: bench consultation."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.cli.bench import Progress
from workbench.cli.consult import given_options, language_model, language_models, nonconformant
from workbench.cli.output import INTERRUPTED, OK, STOPPED, UsageError, Watch, refused, say

if TYPE_CHECKING:
    import polars as pl

    from workbench.experiments.consultation_scores import ConsultationScores
    from workbench.experiments.consultations import Consulted
    from workbench.knowledge.labels import Question

Scores = TypeVar("Scores")


def consult_bench_command(args: argparse.Namespace) -> int:
    """Consult about the questions, go on where an earlier call stopped, and tell the scores."""
    from workbench.experiments.consultation_scores import score_consultations

    def told(found: ConsultationScores) -> dict[str, Any]:
        return {
            "summary": found.summary.to_dicts(),
            "confusion": found.confusion.to_dicts(),
            "cost": found.cost,
            "questions": found.questions.to_dicts(),
        }

    return labelled_bench(args, _asked, score_consultations, told, lambda one: one.questions)


def labelled_bench(
    args: argparse.Namespace,
    ask: Callable[[argparse.Namespace, tuple[Question, ...]], Scores],
    score: Callable[[str, str, list[str] | None], Scores],
    told: Callable[[Scores], dict[str, Any]],
    runs: Callable[[Scores], pl.DataFrame],
) -> int:
    """Ask a labelled corpus's questions, or only score what was answered, and tell the scores."""
    from workbench.errors import NonConformant

    try:
        if args.score_only:
            some = chosen(args) if args.first or args.sample else None
            ids = None if some is None else [one.id for one in some]
            found = score(args.corpus, args.out, ids)
        else:
            found = ask(args, chosen(args))
    except KeyboardInterrupt:
        kept = "what was answered is kept, and the same command goes on"
        return refused(f"interrupted; {kept}", INTERRUPTED)
    except NonConformant as error:
        raise nonconformant(error) from None
    if args.json:
        print(json.dumps(told(found), indent=2))
    else:
        say(found)
        say(f"\n{'read' if args.score_only else 'written'}: {args.out}")
    left = set(runs(found).get_column("status")) - {"complete"}
    return STOPPED if left and not args.score_only else OK


def chosen(args: argparse.Namespace) -> tuple[Question, ...]:
    """Return the questions to ask, in the corpus's order."""
    from workbench.engine.commands import rng
    from workbench.knowledge.labels import read_questions

    questions = read_questions(args.corpus)[: args.first]
    if args.sample is None:
        return questions
    if args.sample > len(questions):
        raise UsageError(f"--sample {args.sample}: there are {len(questions)} questions")
    drawn = set(rng(args.seed, "questions").sample(range(len(questions)), args.sample))
    return tuple(one for n, one in enumerate(questions) if n in drawn)


def _asked(args: argparse.Namespace, questions: tuple[Question, ...]) -> ConsultationScores:
    from workbench.experiments.consultations import bench_consultation_sync

    progress = Progress(len(questions), args.quiet)

    def tell(one: Consulted) -> None:
        progress(one.question.id, one.did, one.why)

    comparer = language_model(args, args.comparer) if args.comparer else None
    with Watch(args) if args.facts and not args.quiet else nullcontext() as watch:
        return bench_consultation_sync(
            args.corpus,
            language_models(args),
            to=args.out,
            questions=questions,
            n=args.interpreters,
            comparer=comparer,
            seed=args.seed,
            runs_at_once=args.runs_at_once,
            on_event=watch,
            on_done=tell,
            **given_options(args),
        )
