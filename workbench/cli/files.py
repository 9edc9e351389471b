"""The commands that need no more than files: show, replay, verify, diff, export."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from workbench.cli.output import (
    NO,
    OK,
    UNUSABLE,
    UsageError,
    beside,
    page_file,
    refused,
    say,
    warned,
)
from workbench.errors import RunError, WorkbenchError

if TYPE_CHECKING:
    from workbench.record.events import JSON
    from workbench.record.run import Run


def show_command(args: argparse.Namespace) -> int:
    """Tell a run, or all that is known at one of its paths."""
    from workbench.record.run import open_run
    from workbench.views.terminal import story

    run = open_run(args.file)
    if args.path:
        return _show_path(run, args)
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    say(run)
    for text in story(run):
        say(text)
    if run.started.protocol == "audit":
        from workbench.auditors.summary import summary

        try:
            say(summary(run))
        except RunError as error:  # an audit of another make: what it holds is told above
            say(error)
    return OK


def _show_path(run: Run, args: argparse.Namespace) -> int:
    """Tell what is at a path, or what happened below it."""
    from workbench.views.terminal import full, inside

    scope = args.path.rstrip("/") + "/"
    below = [e.path for e in run.commands_and_facts() if e.path.startswith(scope)]
    whole = args.path not in run.derived and below
    try:
        if args.json:
            told = [_at(run, path) for path in below] if whole else _at(run, args.path)
            print(json.dumps(told, indent=2))
        else:
            for text in inside(run, args.path) if whole else [full(run, args.path)]:
                say(text)
    except KeyError as error:
        return refused(error.args[0], UNUSABLE)
    return OK


def replay_command(args: argparse.Namespace) -> int:
    """Execute a run on its recorded answers, and tell it."""
    from workbench.engine.verify import replay
    from workbench.views.terminal import story

    run = replay(args.file)
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    for text in story(run):
        say(text)
    return OK


def verify_command(args: argparse.Namespace) -> int:
    """Check that runs follow from their answers."""
    from workbench.engine.verify import verify

    code = OK
    told: list[dict[str, JSON]] = []
    for file in args.files:
        row: dict[str, JSON] = {"file": str(file), "ok": False, "events": None, "answers": None}
        try:
            found = verify(file)
        except WorkbenchError as error:  # the other files are still worth a check
            code, row["problem"] = UNUSABLE, str(error)
            said, to = f"workbench: {error}", sys.stderr
        else:
            code = code if found else max(code, NO)
            row |= {"ok": bool(found), "events": found.events, "answers": found.answers}
            row["problem"] = str(found.problem) if found.problem else None
            said, to = str(found), sys.stdout
        told.append(row)
        if not args.json:
            say(said, to)
    if args.json:
        print(json.dumps(told, indent=2))
    return code


def diff_command(args: argparse.Namespace) -> int:
    """Compare two runs."""
    from workbench.record.diff import diff

    found = diff(args.before, args.after)
    if args.json:
        print(
            json.dumps(
                {
                    "equal": not found,
                    "first": found.first._asdict() if found.first else None,
                    **{
                        name: [change._asdict() for change in getattr(found, name)]
                        for name in ("requests", "answers", "facts", "verdicts", "accounting")
                    },
                    "head": found.head,
                    "params": found.params,
                    "usage": [u._asdict() for u in found.usage],
                    "cost_usd": found.cost_usd,
                },
                indent=2,
            )
        )
    else:
        say(found)
    return NO if found else OK


def export_command(args: argparse.Namespace) -> int:
    """Write a one-file HTML report."""
    from workbench.record.run import open_run
    from workbench.views.export import export

    usual = beside(args.file, "audit")
    audit = args.audit or (usual if usual.is_file() else None)
    if args.html.exists() and any(args.html.samefile(f) for f in (args.file, audit) if f):
        raise UsageError(f"--html {args.html} is the run itself")
    run = open_run(args.file)
    judged = open_run(audit) if audit else None
    if judged and not _is_audit_of(run, judged):
        if args.audit:
            return refused(f"{audit}: is no audit of {args.file}", UNUSABLE)
        warned(f"{audit} is no audit of {args.file}, and is left out")
        audit = judged = None
    options: dict[str, Any] = {}
    if audit is None and run.started.protocol in ("consultation", "verification"):
        compared = beside(args.file, "comparison")
        options["comparison"] = open_run(compared) if compared.is_file() else None
        if args.corpus:
            from workbench.knowledge.corpus import Corpus

            options["corpus"] = Corpus.read(args.corpus)
    elif args.corpus:
        raise UsageError("--corpus goes with a consultation or a verification")
    export(run, page_file(args.html), audit=judged, **options)
    if args.json:
        print(json.dumps({"html": str(args.html), "audit": str(audit) if audit else None}))
    else:
        say(f"written: {args.html}")
    return OK


def _is_audit_of(run: Run, judged: Run) -> bool:
    return judged.started.protocol == "audit" and judged.started.subject == run.digest


def _facts(run: Run) -> dict[str, Any]:
    from workbench.record.events import Posted, plain

    return {
        "started": plain(run.started),
        "status": run.status,
        "digest": run.digest,
        "usage": run.usage._asdict(),
        "result": run.result,
        "facts": [
            {"path": e.path, "kind": e.kind, "data": e.data}
            for e in run.by_path()
            if isinstance(e, Posted)
        ],
        "failures": [plain(e) for e in run.failures.values()],
    }


def _at(run: Run, path: str) -> dict[str, Any]:
    from workbench.record.events import plain

    event, answer = plain(run[path]), run.answers.get(path) or run.failures.get(path)
    return event | {"answer": plain(answer) if answer else None}
