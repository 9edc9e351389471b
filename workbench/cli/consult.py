"""The commands of a consultation: consult a corpus, check a run's isolation."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli import live
from workbench.cli.live import new_file
from workbench.cli.output import NO, OK, UsageError, Watch, beside, say

if TYPE_CHECKING:
    from workbench.engine.protocol import Bound
    from workbench.lm.base import LM
    from workbench.record.run import Run

RULES = "rules:"
"""In place of a model's name: a reader by rules, of a family of this name."""
FAMILY = ",family="
"""Between the name of a model that does not tell its family, and the family."""
OF_PROTOCOL = "passages diversity words allow_nonconformant temperature".split()


def consult_command(args: argparse.Namespace) -> int:
    """Consult a corpus, or verify it, and print what the readers found.

    Given the file of a session that was stopped, with the same flags, it goes on with it.
    """
    from workbench.deliberation.consultation.binding import SUFFIX, save_output
    from workbench.deliberation.consultation.comparison import comparison
    from workbench.deliberation.consultation.session import bind_consultation, interpreters
    from workbench.deliberation.consultation.synthesis import synthesis
    from workbench.errors import NonConformant

    if (args.question is None) != args.verify:
        raise UsageError("give --question, or --verify to have the corpus itself assessed")
    if args.verify and any(model.startswith(RULES) for model in args.lm or ()):
        by_rules = f"workbench passport {args.corpus} --coherence"
        raise UsageError(f"readers by rules answer questions; to assess a corpus: {by_rules}")
    options = given_options(args)
    if args.options:
        if args.verify:
            raise UsageError("--options goes with --question")
        options["options"] = tuple(args.options)
    lms = language_models(args)
    try:
        families, models = interpreters(lms, args.interpreters)
        bound = bind_consultation(args.question, args.corpus, families, **options)
    except NonConformant as error:
        raise nonconformant(error) from None
    out = args.out or _free(args.corpus, bound.protocol.name)
    file = new_file(out.with_name(out.name.removesuffix(".run.jsonl") + SUFFIX))
    run = _ran(args, bound, out, models)
    compared = None
    if args.comparer:
        about = comparison(run)
        lm = language_model(args, args.comparer)
        compared = _ran(args, about, beside(out, "comparison"), {"*": lm})
    made = synthesis(run, compared)
    save_output(made, file)
    if args.json:
        print(json.dumps({"file": str(out), "output": str(file), **made.to_json()}, indent=2))
    else:
        say(made)
        say(f"written: {out}, {file}")
    return OK if made.valid else NO


def given_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the protocol's parameters that were given."""
    return {name: value for name in OF_PROTOCOL if (value := getattr(args, name, None)) is not None}


def language_models(args: argparse.Namespace) -> list[LM]:
    """Make the models that are to read."""
    return [language_model(args, name) for name in args.lm or ["local", "smollm2"]]


def nonconformant(error: Exception) -> UsageError:
    """Return a refusal in the words of the command line."""
    told = str(error).replace("allow_nonconformant=True", "--allow-nonconformant")
    return UsageError(told.replace("give family=", f"give --lm MODEL{FAMILY}NAME"))


def check_command(args: argparse.Namespace) -> int:
    """Check a consultation's run or its output; exit code 1 if it does not hold."""
    if args.what == "isolation" and args.corpus is not None:
        raise UsageError("--corpus goes with output")
    return _isolation(args) if args.what == "isolation" else _output(args)


def _output(args: argparse.Namespace) -> int:
    """Check an output against the run beside it, and against the corpus."""
    from workbench.deliberation.consultation.binding import SUFFIX, is_current, verify_output
    from workbench.record.run import open_run

    if not args.file.name.endswith(SUFFIX):
        raise UsageError(f"an output's name ends in {SUFFIX}")
    beside_it = args.file.with_name(args.file.name.removesuffix(SUFFIX) + ".run.jsonl")
    compared = beside(beside_it, "comparison")
    comparison = open_run(compared) if compared.exists() else None
    found = verify_output(open_run(beside_it), args.file, args.corpus, comparison)
    current = None if args.corpus is None else str(is_current(args.file, args.corpus))
    if args.json:
        told = {"found": [one._asdict() for one in found], "current": current}
        print(json.dumps(told, indent=2))
    else:
        for one in found:
            say(f"{one.what}: {one.how}")
        if not found:
            say("nothing has changed: the output is what its run comes to")
        if current is not None:
            say(current)
    return NO if found else OK


def _isolation(args: argparse.Namespace) -> int:
    """Check that a run keeps the isolation contract, and tell what was read."""
    from workbench.deliberation.consultation.isolation import isolation
    from workbench.record.run import open_run

    run = open_run(args.file)
    found = isolation(run)
    if args.json:
        print(json.dumps(found.to_dicts(), indent=2))
    else:
        for row in found.iter_rows(named=True):
            part = "" if row["part"] is None else f", part {row['part']}"
            source = "" if row["source"] is None else f" from {row['source']}"
            say(f"({row['condition']}) {row['rule']} at {row['path']}{part}{source}: {row['what']}")
        for line in _proof(run):
            say(line)
        broken = f"broken {found.height} times; the session is invalid"
        say(f"isolation contract: {'kept' if found.is_empty() else broken}")
    return OK if found.is_empty() else NO


def _proof(run: Run) -> list[str]:
    """Return a line an interpreter: where the parts of its prompts come from."""
    from workbench.deliberation.consultation.isolation import PACKAGE
    from workbench.deliberation.consultation.leaks import owner_of
    from workbench.record.events import Asked

    made: dict[int, Counter[str]] = {}
    for path, ask in run.commands.items():
        reader = owner_of(path)
        if isinstance(ask, Asked) and reader is not None:
            for part in ask.parts:
                made.setdefault(reader, Counter())[_origin(part.source, reader, PACKAGE)] += 1
    return [
        f"interpreter {reader} read {counts.total()} parts: "
        + ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
        for reader, counts in sorted(made.items())
    ]


def _origin(source: str | None, reader: int, package: str) -> str:
    if source is None:
        return "of the protocol's own words"
    if source == package or not source.startswith("/"):
        return "of the package"
    return "of its own path" if source.startswith(f"/interpreter={reader}/") else "from elsewhere"


def language_model(args: argparse.Namespace, name: str) -> LM:
    """Make one of several models; ``smollm2`` is short for ``local:smollm2``.

    ``rules:NAME:error=0.2,bias=0.3,sway=0.5`` is a reader by rules, with any of these set;
    ``prod-1,family=llama`` a model at an endpoint, of a family that its name does not tell.
    """
    if name.startswith(RULES):
        return _rule_reader(name.removeprefix(RULES))
    name, _, family = name.partition(FAMILY)
    one = argparse.Namespace(**vars(args) | {"lm": "local:smollm2" if name == "smollm2" else name})
    if one.lm.startswith("local"):
        if family:
            raise UsageError(f"{FAMILY.strip(',=')}= goes with a model at an endpoint")
        one.base_url = None
    one.family = family or None
    return live.language_model(one)


def _rule_reader(told: str) -> LM:
    from workbench.experiments.readers import rule_reader

    family, _, given = told.partition(":")
    pairs = [one.partition("=") for one in given.split(",")] if given else []
    try:
        options = {name: float(value) for name, _, value in pairs}
        return rule_reader(family or "rules", **options)
    except (TypeError, ValueError) as error:
        why = "it takes error, bias and sway" if isinstance(error, TypeError) else str(error)
        raise UsageError(f"{RULES}{told}: {why}") from None


def _ran(args: argparse.Namespace, bound: Bound[Any], path: Path, models: dict[str, LM]) -> Run:
    """Run a session, or go on with its file where it was stopped."""
    from workbench.engine.loop import wait
    from workbench.experiments.jobs import check_same, once
    from workbench.record.run import open_run

    check_same(path, bound, models, args.seed)
    with Watch(args) as watch:
        _, error = wait(once(bound, path, models, args.seed, watch))
    if error is not None:
        raise error
    return open_run(path)


def _free(corpus: Path, mode: str) -> Path:
    """Return the first name for a session's run, in this folder, that no file has."""
    name = corpus.absolute().name or "corpus"
    names = (Path(f"{name}.{mode}{'' if n == 1 else f'-{n}'}.run.jsonl") for n in count(1))
    return next(path for path in names if not path.exists())
