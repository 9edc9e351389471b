"""The command line: the library's functions over files.

Exit codes: 0 done; 1 a check says no (a divergence, a difference); 2 wrong usage; 3 a run could not
go on (what it has is kept); 4 a file, case or model cannot be used; 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from workbench import _version
from workbench.errors import Diverged, ForkError, RunError, UnknownProtocol, WorkbenchError

if TYPE_CHECKING:
    from workbench.lm.base import LM
    from workbench.record.events import JSON, Event
    from workbench.record.run import Run

Flag = Callable[..., Any]

OK, NO, USAGE, STOPPED, UNUSABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter is no reason to stop
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)  # such as a torn last line
            warnings.showwarning = _warned
            code = int(args.do(args))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _refused("interrupted; what was answered is kept, and resume goes on", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except _UsageError as error:
        return _refused(error, USAGE)
    except Diverged as error:
        return _refused(error, NO)
    except UnknownProtocol as error:
        return _refused(error, UNUSABLE)
    except RunError as error:
        return _refused(error, STOPPED)
    except (WorkbenchError, OSError) as error:
        return _refused(error, UNUSABLE)
    return code


class _UsageError(Exception):
    """Flags that do not go together."""


def _refused(why: object, code: int) -> int:
    _say(f"workbench: {why}", sys.stderr)
    return code


def _say(text: object, file: IO[str] | None = None) -> None:
    """Print for a terminal, which obeys control characters: they are written out."""
    from workbench.record.terminal import visible

    print(visible(str(text)), file=file)


def _warned(message: object, *_: object, **__: object) -> None:
    _say(f"workbench: warning: {message}", sys.stderr)


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

    lm = _given_lm(args)
    with _Watch(args) as watch:
        run = wait(resume(args.file, lm=lm, on_event=watch))
    return _done(args, run)


def _fork(args: argparse.Namespace) -> int:
    from workbench.engine.fork import fork
    from workbench.engine.loop import wait
    from workbench.record.run import open_run

    if args.answer is not None and len(args.at) != 1:
        raise _UsageError("--answer goes with one --at")
    parent = open_run(args.file)
    edits: dict[str, JSON] = {}
    if args.answer is not None:
        edits[args.at[0]] = _answer(args.answer, parent, args.at[0])
    params = dict(args.param)
    lm = _given_lm(args)
    with _Watch(args) as watch:
        run = wait(
            fork(
                parent,
                edits,
                at=() if edits else args.at,
                params=params,
                rule=args.rule,
                lm=lm,
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

    try:
        bound = audit(args.file)
    except RunError as error:  # a run, but not of a kind that can be audited
        return _refused(error, UNUSABLE)
    out = args.out or args.file.with_name(args.file.name.removesuffix(SUFFIX) + ".audit" + SUFFIX)
    lm = _lm(args)
    with _Watch(args) as watch:
        run = run_sync(bound, lm=lm, to=_new(out), seed=args.seed, on_event=watch)
    found = summary(run)
    if args.json:
        print(json.dumps([row._asdict() for row in found.rows()], indent=2))
    else:
        _say(found)
        _say(f"written: {run.path}")
    return OK


def _show(args: argparse.Namespace) -> int:
    from workbench.record.run import open_run
    from workbench.record.terminal import full, story

    run = open_run(args.file)
    if args.path:
        try:
            if args.json:
                print(json.dumps(_at(run, args.path), indent=2))
            else:
                _say(full(run, args.path))
        except KeyError as error:
            return _refused(error.args[0], UNUSABLE)
        return OK
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    _say(run)
    for text in story(run):
        _say(text)
    if run.started.protocol == "audit":
        from workbench.auditors.summary import summary

        try:
            _say(summary(run))
        except RunError as error:  # an audit of another make: what it holds is told above
            _say(error)
    return OK


def _replay(args: argparse.Namespace) -> int:
    from workbench.engine.verify import replay
    from workbench.record.terminal import story

    run = replay(args.file)
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return OK
    for text in story(run):
        _say(text)
    return OK


def _verify(args: argparse.Namespace) -> int:
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
            _say(said, to)
    if args.json:
        print(json.dumps(told, indent=2))
    return code


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
        _say(found)
    return NO if found else OK


def _export(args: argparse.Namespace) -> int:
    from workbench.record.log import SUFFIX
    from workbench.record.report import export
    from workbench.record.run import open_run

    beside = args.file.with_name(args.file.name.removesuffix(SUFFIX) + ".audit" + SUFFIX)
    audit = args.audit or (beside if beside.is_file() else None)
    if args.html.exists() and any(args.html.samefile(f) for f in (args.file, audit) if f):
        raise _UsageError(f"--html {args.html} is the run itself")
    export(open_run(args.file), args.html, audit=open_run(audit) if audit else None)
    _say(f"written: {args.html}")
    return OK


def _model(args: argparse.Namespace) -> int:
    lm = _lm(args)
    found = {**lm.describe(), **(lm.info() if hasattr(lm, "info") else {})}
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            _say(f"{name}: {value}")
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
            _say(f"left out: {name}: {why}")
    return OK


def _lm(args: argparse.Namespace) -> LM:
    """Make the model that the arguments name."""
    from workbench.lm.limits import limited

    name: str = args.lm
    lm: LM
    if name == "local" or name.startswith("local:"):
        from workbench.lm.local import LocalLM

        if args.base_url is not None:
            raise _UsageError("--base-url goes with --lm MODEL, the model's name at that endpoint")
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


def _given_lm(args: argparse.Namespace) -> LM | None:
    """Make the model that the arguments name; None: the recorded one, as it was recorded."""
    if args.lm is not None:
        return _lm(args)
    for name in ("base_url", "at_once", "budget_tokens", "budget_usd"):
        if getattr(args, name) is not None:
            raise _UsageError(f"--{name.replace('_', '-')} goes with --lm")
    return None


def _new(path: Path) -> Path:
    if path.exists():
        raise FileExistsError(f"{path}: exists; nothing is overwritten, so choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _answer(file: str, parent: Run, path: str) -> JSON:
    """Read the answer to put at `path`: JSON for a tool, else a text, to the last character."""
    from workbench.record.events import Called

    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = data.decode()
        return json.loads(text) if isinstance(parent.commands.get(path), Called) else text
    except ValueError as error:
        raise ForkError(f"{file}: not the answer for {path}: {error}") from None


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
        _say(run)
        if run.path:
            _say(f"written: {run.path}")
    return OK


class _Watch:
    """Tell a run's facts on standard error as they come, with a count of answers on a terminal."""

    def __init__(self, args: argparse.Namespace) -> None:
        from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are one more package

        self._quiet = args.quiet
        self._bar = tqdm(
            unit=" answers",
            disable=args.quiet or not sys.stderr.isatty(),
            bar_format="{n_fmt} answers, {elapsed}",
            leave=False,
        )

    def __call__(self, event: Event) -> None:
        from workbench.record.events import ANSWERS
        from workbench.record.terminal import tell

        if isinstance(event, ANSWERS):
            self._bar.update()
        told = None if self._quiet else tell(event)
        if told is None:
            return
        try:
            self._bar.write(told, file=sys.stderr)
            sys.stderr.flush()
        except BrokenPipeError:  # nobody listens any more; the run is paid for and goes on
            self._quiet = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="workbench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--version", action="version", version=_version.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, do: Callable[[argparse.Namespace], int], about: str) -> Flag:
        made = commands.add_parser(name, help=about, description=about)
        made.set_defaults(do=do)
        made.add_argument("--json", action="store_true", help="print JSON")
        return made.add_argument

    _live_commands(command)
    _file_commands(command)
    return parser


def _live_commands(command: Callable[..., Flag]) -> None:
    """Add the commands that may ask a model."""

    def live(flag: Flag, *, lm: str | None) -> None:
        flag(
            "--lm",
            default=lm,
            metavar="MODEL",
            help="'local' (the embedded model), 'local:smollm2', or the name of a model at an "
            "OpenAI-compatible endpoint (key: OPENAI_API_KEY); default: "
            + (lm or "the recorded one"),
        )
        flag("--base-url", help="of the endpoint; default: OPENAI_BASE_URL, else OpenAI")
        flag("--at-once", type=_count, metavar="N", help="calls under way at most")
        flag("--budget-tokens", type=_count, metavar="N", help="refuse calls beyond this")
        flag("--budget-usd", type=_amount, metavar="X", help="refuse calls beyond this")
        flag("--quiet", action="store_true", help="do not tell the run as it goes")

    flag = command("run", _run, "run a protocol and write its run file")
    flag("protocol", choices=["bilayer"])
    flag("--case", required=True, help="a case's name, or a folder with a case.json")
    flag("--turns", type=_count, default=6)
    flag("--mode", choices=["full", "no_tom", "no_rag"])
    flag("--searches", type=_number, help="of a specialist in a turn, at most")
    flag("--passages", type=_count, help="for each search")
    flag("--words", type=_count, help="asked for in a contribution")
    flag("--history", type=_count, help="turns that the agents look back on")
    flag("--tokens", type=_count, help="end after so many tokens")
    flag("--temperature", type=_amount)
    flag("--seed", type=int, default=0)
    flag("--out", type=Path, required=True, help="a new file, NAME.run.jsonl")
    live(flag, lm="local")

    flag = command("resume", _resume, "go on with an interrupted run, in its own file")
    flag("file", type=Path)
    live(flag, lm=None)

    flag = command("fork", _fork, "branch off a run with another answer or another parameter")
    flag("file", type=Path)
    flag("--at", action="append", default=[], metavar="PATH", help="ask again from here")
    flag("--answer", metavar="FILE", help="what to put there ('-': standard input)")
    flag("--param", action="append", type=_param, default=[], metavar="NAME=VALUE")
    flag("--rule", choices=["prefix", "unchanged"], default="prefix")
    flag("--out", type=Path, required=True)
    live(flag, lm=None)

    flag = command("audit", _audit, "judge a bi-layer run by three auditors, in a file of its own")
    flag("file", type=Path)
    flag("--out", type=Path, help="default: NAME.audit.run.jsonl beside the run")
    flag("--seed", type=int, default=0)
    live(flag, lm="local")

    flag = command("model", _model, "tell about a model")
    flag("what", choices=["info"])
    live(flag, lm="local")


def _file_commands(command: Callable[..., Flag]) -> None:
    """Add the commands that need no more than files."""
    flag = command("show", _show, "tell a run, or all that is known at one of its paths")
    flag("file", type=Path)
    flag("path", nargs="?")

    flag = command("replay", _replay, "execute a run on its recorded answers, and tell it")
    flag("file", type=Path)

    flag = command("verify", _verify, "check that runs follow from their answers")
    flag("files", type=Path, nargs="+")

    flag = command("diff", _diff, "compare two runs; exit code 1 if they differ")
    flag("before", type=Path)
    flag("after", type=Path)

    flag = command("export", _export, "write a one-file HTML report")
    flag("file", type=Path)
    flag("--html", type=Path, required=True, metavar="OUT")
    flag("--audit", type=Path, help="default: NAME.audit.run.jsonl beside the run")

    flag = command("corpus", _corpus, "print a corpus folder's passport")
    flag("folder", type=Path)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _amount(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return number


def _param(text: str) -> tuple[str, JSON]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


if __name__ == "__main__":
    sys.exit(main())
