"""The commands that may ask a model: run, resume, fork, audit, model."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.output import OK, UNUSABLE, UsageError, Watch, beside, refused, say
from workbench.cli.person import Person
from workbench.errors import ForkError, RunError

if TYPE_CHECKING:
    from workbench.auditors.summary import Summary
    from workbench.lm.base import LM
    from workbench.record.events import JSON
    from workbench.record.run import Run


def run_command(args: argparse.Namespace) -> int:
    """Run a protocol and write its run file."""
    from workbench.cli.protocols import bound_of
    from workbench.engine.run import run_sync

    bound = bound_of(args)
    lm = language_model(args)
    with Watch(args) as watch:
        run = run_sync(
            bound,
            lm=lm,
            to=new_file(args.out),
            human=Person(watch.clear),
            seed=args.seed,
            on_event=watch,
        )
    return _done(args, run)


def resume_command(args: argparse.Namespace) -> int:
    """Go on with an interrupted run, in its own file."""
    from workbench.engine.loop import wait
    from workbench.engine.run import resume
    from workbench.record.run import open_run

    lm = given_language_model(args)
    with warnings.catch_warnings(action="ignore"):  # the resume itself warns of a torn line
        begun = open_run(args.file)
    with Watch(args, begun) as watch:
        person = Person(watch.clear)
        run = wait(resume(args.file, parent=args.parent, lm=lm, human=person, on_event=watch))
    return _done(args, run)


def fork_command(args: argparse.Namespace) -> int:
    """Branch off a run."""
    from workbench.engine.fork import fork
    from workbench.engine.loop import wait
    from workbench.record.run import open_run

    if args.answer is not None and len(args.at) != 1:
        raise UsageError("--answer goes with one --at")
    parent = open_run(args.file)
    edits: dict[str, JSON] = {}
    if args.answer is not None:
        edits[args.at[0]] = _answer(args.answer, parent, args.at[0])
    params = dict(args.param)
    lm = given_language_model(args)
    is_same = parent.ended is not None and not (edits or args.at or params)
    if is_same:
        say("nothing is changed by --at, --answer or --param: nobody is asked", sys.stderr)
    with Watch(args, is_asking=not is_same) as watch:
        run = wait(
            fork(
                parent,
                edits,
                at=() if edits else args.at,
                params=params,
                rule=args.rule,
                lm=lm,
                human=Person(watch.clear),
                to=new_file(args.out or _free(args.file)),
                seed=args.seed,
                on_event=watch,
            )
        )
    return _done(args, run)


def audit_command(args: argparse.Namespace) -> int:
    """Judge a bi-layer run, or labelled statements, in a file of its own."""
    if (args.file is None) == (args.statements is None):
        raise UsageError("audit takes a run's file or --statements CASE")
    if args.statements is not None:
        return _calibrate(args)
    from workbench.auditors.audit import audit
    from workbench.auditors.summary import summary
    from workbench.engine.run import run_sync

    try:
        bound = audit(args.file)
    except RunError as error:  # a run, but not of a kind that can be audited
        return refused(error, UNUSABLE)
    out = args.out or beside(args.file, "audit")
    lm = language_model(args)
    with Watch(args) as watch:
        run = run_sync(bound, lm=lm, to=new_file(out), seed=args.seed, on_event=watch)
    found = summary(run)
    if args.json:
        print(json.dumps(_told(run) | _numbers(found), indent=2))
    else:
        say(found)
        say(f"written: {run.path}")
    return OK


def _numbers(found: Summary) -> dict[str, Any]:
    """Return a summary's fields by their names, a share with its percent."""
    from workbench.auditors.summary import Share

    return {
        name: value._asdict() | {"percent": value.percent} if isinstance(value, Share) else value
        for name, value in asdict(found).items()
    }


def _calibrate(args: argparse.Namespace) -> int:
    """Judge a case's labelled statements and tell how often the judge is right."""
    from workbench.agents.case import Case
    from workbench.auditors.accuracy import diagnostic_accuracy
    from workbench.auditors.calibration import calibration
    from workbench.auditors.statements import read_statements
    from workbench.engine.run import run_sync

    if args.out is None:
        raise UsageError("--statements needs --out, a new file")
    case, labels = Case.read(args.statements), read_statements(args.statements)
    lm = language_model(args)
    with Watch(args) as watch:
        bound = calibration(case, labels)
        run = run_sync(bound, lm=lm, to=new_file(args.out), seed=args.seed, on_event=watch)
    found = diagnostic_accuracy(run, labels)
    if args.json:
        print(json.dumps(_told(run) | {"rows": found.rows()}, indent=2))
    else:
        say(found)
        say(f"written: {run.path}")
    return OK


def model_command(args: argparse.Namespace) -> int:
    """Tell about a model."""
    lm = language_model(args)
    found = {**lm.describe(), **(lm.info() if hasattr(lm, "info") else {})}
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            say(f"{name}: {value}")
    return OK


RESUMABLE = (run_command, resume_command, fork_command, audit_command)
"""Those whose run file a resume goes on with."""


def language_model(args: argparse.Namespace) -> LM:
    """Make the model that the arguments name."""
    from workbench.lm.budget import is_priced
    from workbench.lm.limits import limited

    name: str = args.lm
    lm: LM
    if name == "local" or name.startswith("local:"):
        from workbench.lm.local import LocalLM

        if args.base_url is not None:
            raise UsageError("--base-url goes with --lm MODEL, the model's name at that endpoint")
        model = name.partition(":")[2]
        lm = LocalLM(model) if model else LocalLM()
        if args.do is model_command:
            return lm
    else:
        from workbench.lm.openai import OpenAILM

        lm = OpenAILM(name, base_url=args.base_url, family=getattr(args, "family", None))
        if args.do is not model_command:
            lm.require_key(f"--lm {name}")  # before a file is made
    if args.budget_usd is not None and not is_priced(lm):  # before a file is made
        raise UsageError(
            f"--budget-usd: the price of {name!r} is not known, so it cannot be kept; "
            "give --budget-tokens"
        )
    budget = {"tokens": args.budget_tokens, "usd": args.budget_usd}
    if args.at_once or any(value is not None for value in budget.values()):
        return limited(lm, at_once=args.at_once, **budget)
    return lm


def given_language_model(args: argparse.Namespace) -> LM | None:
    """Make the model that the arguments name; None: the recorded one, as it was recorded."""
    if args.lm is not None:
        return language_model(args)
    for name in ("base_url", "at_once", "budget_tokens", "budget_usd"):
        if getattr(args, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} goes with --lm")
    return None


def _free(parent: Path) -> Path:
    """Return the first name for a fork that no file has."""
    names = (beside(parent, f"fork-{n}") for n in count(1))
    return next(path for path in names if not path.exists())


def new_file(path: Path) -> Path:
    """Return a path that no file has, or one without a byte, in a folder that is there.

    Raises
    ------
    FileExistsError
    """
    from workbench.record.log import is_unbegun

    if path.exists() and not is_unbegun(path):
        raise FileExistsError(f"{path}: exists; nothing is overwritten, so choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _answer(file: str, parent: Run, path: str) -> JSON:
    """Read the answer to put at `path`: JSON for a tool, else a text, to the last character."""
    from workbench.record.events import Called

    if file == "-" and sys.stdin is None:
        raise UsageError("--answer -: standard input is closed")
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = data.decode()
        return json.loads(text) if isinstance(parent.commands.get(path), Called) else text
    except (ValueError, RecursionError) as error:
        raise ForkError(f"{file}: not the answer for {path}: {error}") from None


def _told(run: Run) -> dict[str, Any]:
    """Return what every command tells of the run that it made, as JSON."""
    return {
        "file": str(run.path) if run.path else None,
        "status": run.status,
        "digest": run.digest,
        "result": run.result,
        "usage": run.usage._asdict(),
    }


def _done(args: argparse.Namespace, run: Run) -> int:
    if args.json:
        print(json.dumps(_told(run), indent=2))
    else:
        say(run)
        if run.path:
            say(f"written: {run.path}")
    return OK
