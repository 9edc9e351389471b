"""The command that puts the paper's four predictions to the test: bench predictions."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from workbench.cli.bench import Progress
from workbench.cli.consult import given_options, language_model, language_models
from workbench.cli.consult_bench import labelled_bench
from workbench.cli.output import UsageError, Watch

if TYPE_CHECKING:
    from workbench.experiments.prediction_scores import PredictionScores
    from workbench.experiments.predictions_bench import Predicted
    from workbench.knowledge.labels import Question


def predict_bench_command(args: argparse.Namespace) -> int:
    """Ask under four conditions, go on where an earlier call stopped, and tell what came out."""
    from workbench.experiments.prediction_scores import score_predictions

    def told(found: PredictionScores) -> dict[str, Any]:
        return {
            "predictions": [one.to_json() for one in found.verdicts],
            "sessions": found.sessions.to_dicts(),
        }

    return labelled_bench(args, _asked, score_predictions, told, lambda one: one.sessions)


def _asked(args: argparse.Namespace, questions: tuple[Question, ...]) -> PredictionScores:
    from workbench.experiments.prediction_scores import CONDITIONS
    from workbench.experiments.predictions_bench import bench_predictions_sync

    lms = language_models(args)
    if len(lms) != 2:
        raise UsageError(f"{len(lms)} --lm: the conditions are made of two models, A and B")
    progress = Progress(len(questions) * len(CONDITIONS), args.quiet)

    def tell(one: Predicted) -> None:
        progress(f"{one.condition} {one.question.id}", one.did, one.why)

    comparer = language_model(args, args.comparer) if args.comparer else None
    with Watch(args) if args.facts and not args.quiet else nullcontext() as watch:
        return bench_predictions_sync(
            args.corpus,
            lms,
            to=args.out,
            questions=questions,
            comparer=comparer,
            seed=args.seed,
            runs_at_once=args.runs_at_once,
            on_event=watch,
            on_done=tell,
            **given_options(args),
        )
