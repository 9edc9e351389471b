"""The commands and their flags."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workbench import _version
from workbench.cli import (
    bench,
    consult,
    consult_bench,
    files,
    judge,
    live,
    passport,
    predict_bench,
    protocols,
)
from workbench.cli.help import CODES, EXAMPLES, Help
from workbench.cli.values import amount, count, number, param, path, seed

Flag = Callable[..., Any]


_PROTOCOLS = f"bilayer, maven, or a baseline: {', '.join(list(protocols.FLAGS)[2:])}"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    about = "The workbench's functions over files."
    made = argparse.ArgumentParser(
        prog="workbench", description=about, epilog=CODES, formatter_class=Help
    )
    made.add_argument("--version", action="version", version=_version.__version__)
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, do: Callable[[argparse.Namespace], int], about: str) -> Flag:
        one = commands.add_parser(
            name,
            help=about,
            description=about,
            epilog=f"for example:\n{EXAMPLES[name]}",
            formatter_class=Help,
        )
        one.set_defaults(do=do)
        one.add_argument("--json", action="store_true", help="print JSON")
        return one.add_argument

    def group(name: str, title: str) -> Flag:
        return commands.choices[name].add_argument_group(title).add_argument

    _live_commands(command, group)
    _consult_commands(command)
    _bench_command(command)
    _file_commands(command)
    return made


def words(argv: Sequence[str] | None) -> list[str]:
    """Return the words of a command line; ``bench consultation`` is a command of its own."""
    given = list(sys.argv[1:] if argv is None else argv)
    place = next((n for n, word in enumerate(given[1:], 1) if not word.startswith("-")), 0)
    two = f"{given[0]} {given[place]}" if given else ""
    if two not in ("bench consultation", "bench predictions"):
        return given
    return [two, *given[1:place], *given[place + 1 :]]


def check_names(args: argparse.Namespace) -> None:
    """Refuse names of files and folders that Python would not even ask the system about.

    Raises
    ------
    FileNotFoundError
        If one holds a NUL.
    """
    given = [*vars(args).values(), *getattr(args, "files", ())]
    named = [getattr(args, name, None) for name in ("case", "statements", "answer")]
    for name in (*named, *(value for value in given if isinstance(value, Path))):
        if name is not None and "\0" in str(name):
            raise FileNotFoundError(f"{str(name)!r}: no file can have this name: it holds a NUL")


def _live_commands(command: Callable[..., Flag], group: Callable[[str, str], Flag]) -> None:
    """Add the commands that may ask a model."""
    flag = command("run", live.run_command, "run a protocol and write its run file")
    flag("protocol", metavar="PROTOCOL", choices=list(protocols.FLAGS), help=_PROTOCOLS)
    flag("--out", type=path, required=True, help="a new file, NAME.run.jsonl")
    flag("--seed", type=seed, default=0, help="of every ask; default: 0")
    flag("--temperature", type=amount, help="of every ask")
    flag("--words", type=count, help="asked for in a contribution, draft or explanation")
    flag(
        "--param",
        action="append",
        type=param,
        default=[],
        metavar="NAME=VALUE",
        help="any other parameter; VALUE is JSON, or else a text",
    )
    of = group("run", "of bilayer")
    of("--case", help="a case's name, or a folder with a case.json; needed")
    of("--turns", type=count, help="at most")
    of("--mode", choices=["full", "no_tom", "no_rag"])
    of("--searches", type=number, help="of a specialist in a turn, at most")
    of("--history", type=count, help="turns that the agents look back on")
    of("--tokens", type=count, help="end after so many tokens")
    of = group("run", "of maven and the baselines")
    of("--question", help="needed")
    of("--options", nargs="+", metavar="OPTION", help="of the question, to choose from; A first")
    of = group("run", "of maven and react")
    of("--corpus", help="a folder of documents to search")
    of = group("run", "of bilayer, maven and react")
    of("--passages", type=count, help="for each search")
    _may_ask(group("run", "of the model"), lm="local")

    flag = command("resume", live.resume_command, "go on with an interrupted run, in its own file")
    flag("file", type=path, help="the run, NAME.run.jsonl")
    flag("--parent", type=path, help="of a fork: the run that it takes answers from")
    _may_ask(flag, lm=None)

    flag = command("fork", live.fork_command, "branch off a run with another answer or parameter")
    flag("file", type=path, help="the run, NAME.run.jsonl; it stays as it is")
    flag(
        "--at",
        action="append",
        default=[],
        metavar="PATH",
        help="ask again from here: /turn=2, or a path that `show` tells",
    )
    flag("--answer", metavar="FILE", help="what to put there ('-': standard input)")
    flag(
        "--param",
        action="append",
        type=param,
        default=[],
        metavar="NAME=VALUE",
        help="change a parameter of the protocol; VALUE is JSON, or else a text",
    )
    flag(
        "--rule",
        choices=["prefix", "unchanged"],
        default="prefix",
        help="what is kept: all that does not depend on the change (prefix, the default), or every "
        "answer whose request is still the same",
    )
    flag("--seed", type=seed, help="of what is live; default: by the parent and the edits")
    flag("--out", type=path, help="default: NAME.fork-N.run.jsonl beside the run, N from 1")
    _may_ask(flag, lm=None)

    flag = command(
        "audit", live.audit_command, "judge a bi-layer run by three auditors, in its own file"
    )
    flag("file", type=path, nargs="?", help="a bi-layer run, finished or not")
    flag("--statements", metavar="CASE", help="in place of a run: measure the Logic auditor")
    flag("--out", type=path, help="default: NAME.audit.run.jsonl beside the run")
    flag("--seed", type=seed, default=0)
    _may_ask(flag, lm="local")

    flag = command("model", live.model_command, "tell about a model")
    flag("what", choices=["info"])
    _may_ask(flag, lm="local")


def _consult_commands(command: Callable[..., Flag]) -> None:
    """Add the commands of a consultation."""
    flag = command(
        "consult",
        consult.consult_command,
        "have isolated interpreters read a corpus for a question",
    )
    flag("corpus", type=path, help="a folder of documents")
    flag("--question", help="what is asked")
    flag("--verify", action="store_true", help="in place of a question: assess the corpus itself")
    flag("--options", nargs="+", metavar="OPTION", help="of the question")
    _reading(flag)
    flag("--seed", type=seed, default=0)
    flag("--out", type=path, help="NAME.run.jsonl, new or stopped; default: named after the corpus")
    _may_ask(flag, lm=None, many=True)

    flag = command(
        "bench consultation",
        consult_bench.consult_bench_command,
        "consult a labelled corpus about its questions, and hold what comes of it to the labels",
    )
    _reading(flag)
    _of_labelled(flag)

    flag = command(
        "bench predictions",
        predict_bench.predict_bench_command,
        "ask readers who are isolated, debate, are substituted and are alike, and tell which of "
        "the four predictions comes out",
    )
    _reading_one_package(flag)
    _of_labelled(flag)

    flag = command(
        "check", consult.check_command, "check a consultation's isolation, or its output"
    )
    flag("what", choices=["isolation", "output"])
    flag("file", type=path, help="a run, or NAME.output.json with its run beside it")
    flag("--corpus", type=path, help="of an output: is it as it was read?")


def _of_labelled(flag: Flag) -> None:
    """Add the flags of a benchmark on a labelled corpus."""
    flag("corpus", type=path, help="a folder with questions.jsonl and labels.jsonl")
    flag("--first", type=count, metavar="N", help="ask so many; default: all")
    flag("--sample", type=count, metavar="N", help="draw so many of these, by the seed")
    flag("--score-only", action="store_true", help="ask nothing: tell what there is in --out")
    flag("--seed", type=seed, default=0)
    flag("--out", type=path, required=True, help="a folder; what is done in it is not done again")
    flag("--runs-at-once", type=count, default=1, metavar="N", help="for an endpoint with room")
    flag("--facts", action="store_true", help="tell each run's facts as they come")
    _may_ask(flag, lm=None, many=True)


def _reading(flag: Flag) -> None:
    """Add the flags of those who read."""
    flag("--interpreters", type=count, metavar="N", help="default: one a model, at least 3")
    flag("--diversity", action="store_true", default=None, help="a retrieval path for each")
    _reading_one_package(flag)


def _reading_one_package(flag: Flag) -> None:
    """Add the flags of those who read one package, and are as many as they have to be."""
    flag("--passages", type=count, help="for each sub-query")
    flag("--words", type=count, help="asked for in a conclusion")
    flag("--temperature", type=amount)
    flag(
        "--allow-nonconformant",
        action="store_true",
        default=None,
        help="with fewer than 3 interpreters or 2 model families; every output says so",
    )
    flag("--comparer", metavar="MODEL", help="decides what rules cannot, in a run of its own")


def _bench_command(command: Callable[..., Flag]) -> None:
    """Add the command that compares methods."""
    flag = command(
        "bench",
        bench.bench_command,
        "compare a method with others on items with known answers",
    )
    flag("method", help="such as maven; added unless --methods has it, with whatever parameters")
    flag("--items", type=path, required=True, help="a file of questions, as its authors publish it")
    flag("--format", metavar="NAME", help="of the items; default: told by their fields")
    flag("--skip", type=number, default=0, metavar="N", help="leave out the first items")
    flag("--first", type=count, metavar="N", help="ask so many; default: all")
    flag("--sample", type=count, metavar="N", help="draw so many of these, by the seed")
    flag(
        "--methods",
        default="direct",
        metavar="NAME[:PARAM=VALUE],...",
        help="direct, cot, vote, refine, debate, mixture, reconcile, discover, "
        "react:corpus=FOLDER, maven:max_iterations=1 and so on",
    )
    flag("--baseline", metavar="NAME", help="of the pairs; default: the first of --methods")
    flag("--seed", type=seed, default=0)
    flag("--out", type=path, required=True, help="a folder; what is done in it is not done again")
    flag("--runs-at-once", type=count, default=1, metavar="N", help="for an endpoint with room")
    flag("--facts", action="store_true", help="tell each run's facts as they come")
    _may_ask(flag, lm="local")

    flag = command(
        "judge", judge.judge_command, "have the explanations of a benchmark judged, without names"
    )
    flag("folder", type=path, help="of the benchmark")
    flag("--methods", metavar="NAME,...", help="default: all that the folder has")
    flag("--pairs", action="store_true", help="prefer one of two, in place of scoring each")
    flag("--alone", action="store_true", help="score each answer by itself, not side by side")
    flag("--baseline", metavar="NAME", help="of the pairs; default: the first method, or all pairs")
    flag("--seed", type=seed, default=0, help="also of the order in which answers stand")
    flag("--out", type=path, help="default: quality.run.jsonl or preference.run.jsonl in it")
    _may_ask(flag, lm="local")


def _may_ask(flag: Flag, *, lm: str | None, many: bool = False) -> None:
    """Add the flags of the model that a command asks, or of several."""
    flag(
        "--lm",
        default=lm,
        action="append" if many else "store",
        metavar="MODEL",
        help="'local' (the embedded model), 'local:smollm2', or the name of a model at an "
        "OpenAI-compatible endpoint (key: OPENAI_API_KEY); default: "
        + (
            lm
            or (
                "local and smollm2; one --lm a model; 'rules:NAME' reads by rules, without a "
                "model ('rules:NAME:error=0.2,bias=0.3,sway=0.5': with errors that are set); "
                "'MODEL,family=NAME' where the model's name does not tell its family"
                if many
                else "the recorded one"
            )
        ),
    )
    flag("--base-url", help="of the endpoint; default: OPENAI_BASE_URL, else OpenAI")
    flag("--at-once", type=count, metavar="N", help="calls under way at most")
    flag("--budget-tokens", type=count, metavar="N", help="refuse calls beyond this")
    flag("--budget-usd", type=amount, metavar="X", help="refuse calls beyond this")
    flag("--quiet", action="store_true", help="do not tell the run as it goes")


def _file_commands(command: Callable[..., Flag]) -> None:
    """Add the commands that need no more than files."""
    flag = command("show", files.show_command, "tell a run, or what is known at a path or below it")
    flag("file", type=path, help="a run, NAME.run.jsonl")
    flag("path", nargs="?", help="such as /turn=2 or /turn=2/goal")

    flag = command("replay", files.replay_command, "execute a run on its recorded answers; tell it")
    flag("file", type=path, help="a run, NAME.run.jsonl")

    flag = command("verify", files.verify_command, "check that runs follow from their answers")
    flag("files", type=path, nargs="+", help="runs, NAME.run.jsonl")

    flag = command("diff", files.diff_command, "compare two runs; exit code 1 if they differ")
    flag("before", type=path, help="a run")
    flag("after", type=path, help="another, such as a fork of it")

    flag = command("export", files.export_command, "write a one-file HTML report")
    flag(
        "file",
        type=path,
        help="a run; what a comparer told of it is taken from the file beside it",
    )
    flag("--html", type=path, required=True, metavar="OUT", help="the page to write")
    flag("--audit", type=path, help="default: NAME.audit.run.jsonl beside the run")
    flag("--corpus", type=path, help="say whether a consultation is still valid for this folder")

    flag = command(
        "passport",
        passport.passport_command,
        "print a corpus's passport and versions; exit code 1 if it is not that of --against",
    )
    flag("corpus", type=path, help="a folder of documents")
    flag("--out", type=path, help="write the passport to this file")
    flag("--against", type=path, metavar="OTHER", help="a passport's file, or a folder")
    flag("--structure", action="store_true", help="also claims, terms and dependencies, by rules")
    flag(
        "--coherence", action="store_true", help="also contradictions, circles and lost references"
    )
    flag("--html", type=path, metavar="OUT", help="with --coherence: write its map as a page")
