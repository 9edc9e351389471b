"""The command line: the library's functions over files.

Exit codes: 0 done; 1 a check says no (a divergence, a difference); 2 wrong usage; 3 a run could not go
on (what it has is kept); 4 a file, case or model cannot be used; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import _version
from workbench.errors import Diverged, RunError, WorkbenchError

if TYPE_CHECKING:
    from workbench.lm.base import LM
    from workbench.record.events import Event
    from workbench.record.run import Run

OK, NO, USAGE, STOPPED, UNUSABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        return int(args.do(args))
    except KeyboardInterrupt:
        print("interrupted; what was answered is kept, and resume goes on from there", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Diverged as error:
        print(error, file=sys.stderr)
        return NO
    except RunError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return STOPPED
    except (WorkbenchError, OSError) as error:
        print(f"workbench: {error}", file=sys.stderr)
        return UNUSABLE


def _run(args: argparse.Namespace) -> int:
    from workbench.agents.bilayer import bilayer
    from workbench.agents.case import Case
    from workbench.engine.run import run_sync

    given = {
        name: value
        for name in ("mode", "searches", "passages", "words", "history", "tokens", "temperature")
        if (value := getattr(args, name)) is not None
    }
    bound = bilayer(Case.read(args.case), turns=args.turns, **given)
    lm = _lm(args)
    with _Watch(args) as watch:
        run = run_sync(bound, lm=lm, to=_new(args.out), seed=args.seed, on_event=watch)
    return _done(args, run)


def _resume(args: argparse.Namespace) -> int:
    from workbench.engine.loop import wait
    from workbench.engine.run import resume

    with _Watch(args) as watch:
        run = wait(resume(args.file, lm=_lm(args) if args.lm else None, on_event=watch))
    return _done(args, run)


def _fork(args: argparse.Namespace) -> int:
    from workbench.engine.fork import fork
    from workbench.engine.loop import wait

    edits: dict[str, Any] = {}
    if args.answer is not None:
        if len(args.at) != 1:
            raise SystemExit("workbench fork: --answer goes with one --at")
        edits[args.at[0]] = _answer(args.answer)
    params = dict(_param(text) for text in args.param)
    with _Watch(args) as watch:
        run = wait(
            fork(
                args.file,
                edits,
                at=() if edits else args.at,
                params=params,
                rule=args.rule,
                lm=_lm(args) if args.lm else None,
                to=_new(args.out),
                on_event=watch,
            )
        )
    return _done(args, run)


def _audit(args: argparse.Namespace) -> int:
    from workbench.auditors.audit import audit
    from workbench.auditors.summary import summary
    from workbench.engine.run import run_sync
    from workbench.record.log import SUFFIX

    out = args.out or args.file.with_name(args.file.name.removesuffix(SUFFIX) + ".audit" + SUFFIX)
    lm = _lm(args)
    with _Watch(args) as watch:
        run = run_sync(audit(args.file), lm=lm, to=_new(out), seed=args.seed, on_event=watch)
    found = summary(run)
    if args.json:
        print(json.dumps([row._asdict() for row in found.rows()], indent=2))
    else:
        print(found)
        print(f"written: {run.path}")
    return OK


def _show(args: argparse.Namespace) -> int:
    from workbench.record.events import plain
    from workbench.record.run import open_run
    from workbench.record.story import full, story

    run = open_run(args.file)
    if args.path:
        try:
            print(json.dumps(plain(run[args.path])) if args.json else full(run, args.path))
        except KeyError as error:
            print(f"workbench: {error.args[0]}", file=sys.stderr)
            return UNUSABLE
        return OK
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    print(run)
    for text in story(run):
        print(text)
    if run.started.protocol == "audit":
        from workbench.auditors.summary import summary

        print(summary(run))
    return OK


def _replay(args: argparse.Namespace) -> int:
    from workbench.engine.verify import replay
    from workbench.record.story import story

    run = replay(args.file)
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    for text in story(run):
        print(text)
    return OK


def _verify(args: argparse.Namespace) -> int:
    from workbench.engine.verify import verify

    found = [verify(file) for file in args.files]
    if args.json:
        print(
            json.dumps(
                [
                    {
                        "file": str(file),
                        "ok": bool(one),
                        "events": one.events,
                        "answers": one.answers,
                        "problem": str(one.problem) if one.problem else None,
                    }
                    for file, one in zip(args.files, found, strict=True)
                ],
                indent=2,
            )
        )
    else:
        for one in found:
            print(one)
    return OK if all(found) else NO


def _diff(args: argparse.Namespace) -> int:
    from workbench.record.diff import diff

    found = diff(args.before, args.after)
    if args.json:
        print(
            json.dumps(
                {
                    "equal": not found,
                    "first": found.first._asdict() if found.first else None,
                    "answers": [c._asdict() for c in found.answers],
                    "facts": [c._asdict() for c in found.facts],
                    "verdicts": [c._asdict() for c in found.verdicts],
                    "usage": [u._asdict() for u in found.usage],
                    "cost_usd": found.cost_usd,
                },
                indent=2,
            )
        )
    else:
        print(found)
    return NO if found else OK


def _export(args: argparse.Namespace) -> int:
    from workbench.record.log import SUFFIX
    from workbench.record.report import export
    from workbench.record.run import open_run

    beside = args.file.with_name(args.file.name.removesuffix(SUFFIX) + ".audit" + SUFFIX)
    audit = args.audit or (beside if beside.is_file() else None)
    export(open_run(args.file), args.html, audit=open_run(audit) if audit else None)
    print(f"written: {args.html}")
    return OK


def _model(args: argparse.Namespace) -> int:
    lm = _lm(args)
    found = {**lm.describe(), **(lm.info() if hasattr(lm, "info") else {})}
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            print(f"{name}: {value}")
    return OK


def _corpus(args: argparse.Namespace) -> int:
    from workbench.knowledge.corpus import Corpus

    corpus = Corpus.read(args.folder)
    if args.json:
        told = {
            "sha256": corpus.passport.sha256,
            "documents": dict(corpus.passport.documents),
            "passages": len(corpus.passages),
            "skipped": dict(corpus.skipped),
        }
        print(json.dumps(told, indent=2))
    else:
        print(f"passport {corpus.passport.sha256}")
        print(f"{len(corpus.documents)} documents, {len(corpus.passages)} passages")
        for name, why in corpus.skipped.items():
            print(f"left out: {name}: {why}")
    return OK


def _lm(args: argparse.Namespace) -> LM:
    """Make the model that the arguments name."""
    from workbench.lm.limits import limited

    name: str = args.lm or "local"
    lm: LM
    if name == "local" or name.startswith("local:"):
        from workbench.lm.local import LocalLM

        model = name.partition(":")[2]
        lm = LocalLM(model) if model else LocalLM()
        if args.do is _model:
            return lm
    else:
        from workbench.lm.openai import OpenAILM

        lm = OpenAILM(name, base_url=args.base_url)
    budget = {"tokens": args.budget_tokens, "usd": args.budget_usd}
    if args.at_once or any(value is not None for value in budget.values()):
        return limited(lm, at_once=args.at_once, **budget)
    return lm


def _new(path: Path | None) -> Path | None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _answer(file: str) -> str:
    return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")


def _param(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SystemExit(f"workbench fork: --param is NAME=VALUE, not {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _facts(run: Run) -> dict[str, Any]:
    from workbench.record.events import Posted, plain

    return {
        "started": plain(run.started),
        "status": run.status,
        "digest": run.digest,
        "usage": run.usage._asdict(),
        "result": run.result,
        "facts": [
            {"path": e.path, "kind": e.kind, **e.data} for e in run.by_path() if isinstance(e, Posted)
        ],
        "failures": [plain(e) for e in run.failures.values()],
    }


def _done(args: argparse.Namespace, run: Run) -> int:
    if args.json:
        told = {
            "file": str(run.path) if run.path else None,
            "status": run.status,
            "digest": run.digest,
            "result": run.result,
            "usage": run.usage._asdict(),
        }
        print(json.dumps(told, indent=2))
    else:
        print(run)
        if run.path:
            print(f"written: {run.path}")
    return OK


class _Watch:
    """Tell a run's facts on standard error as they come, with a count of answers on a terminal."""

    def __init__(self, args: argparse.Namespace) -> None:
        from tqdm import tqdm

        self._quiet = args.quiet
        self._bar = tqdm(
            unit=" answers",
            disable=args.quiet or not sys.stderr.isatty(),
            bar_format="{n_fmt} answers, {elapsed}",
            leave=False,
        )

    def __call__(self, event: Event) -> None:
        from workbench.record.events import ANSWERS
        from workbench.record.story import tell

        if isinstance(event, ANSWERS):
            self._bar.update()
        told = None if self._quiet else tell(event)
        if told is not None:
            self._bar.write(told, file=sys.stderr)
            sys.stderr.flush()

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="workbench", description=__doc__.splitlines()[0])
    parser.add_argument("--version", action="version", version=_version.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, do: Callable[[argparse.Namespace], int], about: str, **more: Any) -> Any:
        made = commands.add_parser(name, help=about, description=about, **more)
        made.set_defaults(do=do)
        made.add_argument("--json", action="store_true", help="print JSON")
        return made

    def live(made: Any, *, lm: str | None) -> None:
        made.add_argument(
            "--lm",
            default=lm,
            metavar="MODEL",
            help="'local' (the embedded model), 'local:smollm2', or the name of a model at an "
            "OpenAI-compatible endpoint (key: OPENAI_API_KEY)"
            + ("" if lm else "; default: the recorded one"),
        )
        made.add_argument("--base-url", help="of the endpoint; default: OPENAI_BASE_URL, else OpenAI")
        made.add_argument("--at-once", type=int, metavar="N", help="calls under way at most")
        made.add_argument("--budget-tokens", type=int, metavar="N", help="refuse calls beyond this")
        made.add_argument("--budget-usd", type=float, metavar="X", help="refuse calls beyond this")
        made.add_argument("--quiet", action="store_true", help="do not tell the run as it goes")

    run = command("run", _run, "run a protocol and write its run file")
    run.add_argument("protocol", choices=["bilayer"])
    run.add_argument("--case", required=True, help="a case's name, or a folder with a case.json")
    run.add_argument("--turns", type=_count, default=6)
    run.add_argument("--mode", choices=["full", "no_tom", "no_rag"])
    run.add_argument("--searches", type=int, help="of a specialist in a turn, at most")
    run.add_argument("--passages", type=_count, help="for each search")
    run.add_argument("--words", type=_count, help="asked for in a contribution")
    run.add_argument("--history", type=_count, help="turns that the agents look back on")
    run.add_argument("--tokens", type=_count, help="end after so many tokens")
    run.add_argument("--temperature", type=float)
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--out", type=Path, required=True, help="a new file, NAME.run.jsonl")
    live(run, lm="local")

    resume = command("resume", _resume, "go on with an interrupted run, in its own file")
    resume.add_argument("file", type=Path)
    live(resume, lm=None)

    fork = command("fork", _fork, "branch off a run with another answer or another parameter")
    fork.add_argument("file", type=Path)
    fork.add_argument("--at", action="append", default=[], metavar="PATH", help="ask again from here")
    fork.add_argument("--answer", metavar="FILE", help="the text to put there ('-': standard input)")
    fork.add_argument("--param", action="append", default=[], metavar="NAME=VALUE")
    fork.add_argument("--rule", choices=["prefix", "unchanged"], default="prefix")
    fork.add_argument("--out", type=Path, required=True)
    live(fork, lm=None)

    audit = command("audit", _audit, "judge a bi-layer run by the three auditors, in a file of its own")
    audit.add_argument("file", type=Path)
    audit.add_argument("--out", type=Path, help="default: NAME.audit.run.jsonl beside the run")
    audit.add_argument("--seed", type=int, default=0)
    live(audit, lm="local")

    show = command("show", _show, "tell a run, or all that is known at one of its paths")
    show.add_argument("file", type=Path)
    show.add_argument("path", nargs="?")

    replay = command("replay", _replay, "execute a run on its recorded answers, and tell it")
    replay.add_argument("file", type=Path)

    verify = command("verify", _verify, "check that runs follow from their answers")
    verify.add_argument("files", type=Path, nargs="+")

    diff = command("diff", _diff, "compare two runs; exit code 1 if they differ")
    diff.add_argument("before", type=Path)
    diff.add_argument("after", type=Path)

    export = command("export", _export, "write a one-file HTML report")
    export.add_argument("file", type=Path)
    export.add_argument("--html", type=Path, required=True, metavar="OUT")
    export.add_argument("--audit", type=Path, help="default: NAME.audit.run.jsonl beside the run")

    model = command("model", _model, "tell about a model")
    model.add_argument("what", choices=["info"])
    live(model, lm="local")

    corpus = command("corpus", _corpus, "print a corpus folder's passport")
    corpus.add_argument("folder", type=Path)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
