"""The command that puts the paper's four predictions to the test: bench predictions."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

from workbench.cli.bench import Progress
from workbench.cli.consult import given_options, language_model, language_models, nonconformant
from workbench.cli.consult_bench import chosen
from workbench.cli.output import INTERRUPTED, OK, STOPPED, UsageError, Watch, refused, say

if TYPE_CHECKING:
    from workbench.experiments.prediction_scores import PredictionScores
    from workbench.experiments.predictions_bench import Predicted
    from workbench.knowledge.labels import Question


def predict_bench_command(args: argparse.Namespace) -> int:
    """Ask under four conditions, go on where an earlier call stopped, and tell what came out."""
    from workbench.errors import NonConformant
    from workbench.experiments.prediction_scores import score_predictions

    try:
        if args.score_only:
            some = chosen(args) if args.first or args.sample else None
            ids = None if some is None else [one.id for one in some]
            found = score_predictions(args.corpus, args.out, ids)
        else:
            found = _asked(args, chosen(args))
    except KeyboardInterrupt:
        kept = "what was answered is kept, and the same command goes on"
        return refused(f"interrupted; {kept}", INTERRUPTED)
    except NonConformant as error:
        raise nonconformant(error) from None
    if args.json:
        told = {
            "predictions": [one.to_json() for one in found.verdicts],
            "sessions": found.sessions.to_dicts(),
        }
        print(json.dumps(told, indent=2))
    else:
        say(found)
        say(f"\n{'read' if args.score_only else 'written'}: {args.out}")
    left = set(found.sessions.get_column("status")) - {"complete"}
    return STOPPED if left and not args.score_only else OK


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
