"""Our side: the same calls as a protocol, through `wb.run` and `OpenAILM`, with the run file on."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import plain
from plain import BRIEF, KEY, MODEL, ROUNDS, SPECIALISTS, SYSTEM, Turn, task, told

import workbench as wb
from workbench.engine.commands import Steps
from workbench.lm.request import body_of
from workbench.record.events import Asked
from workbench.record.parts import messages
from workbench.record.run import Run


class Spoke(wb.Fact):
    """What a speaker said in a round."""

    turn: int
    author: str
    contribution: str


SAMPLING = wb.Sampling(temperature=0.7, seed=7)


@wb.protocol("benchmark_rounds")
def rounds(n: int = ROUNDS, merged: bool = False) -> Steps[int]:
    """Make `n` rounds of 1 + 3 parallel calls over a growing history."""
    history: list[wb.Part] = []

    def say(speaker: str, turn: int, key: str = "") -> Steps[tuple[str, str]]:
        parts = [
            wb.Part(SYSTEM, None, "system"),
            wb.Part(BRIEF),
            *history,
            wb.Part(task(speaker, turn), None, "user" if merged else "system"),
        ]
        reply = yield from wb.ask(f"{key}ask", speaker, parts, sampling=SAMPLING)
        fact = Spoke(turn=turn, author=speaker, contribution=reply.text)
        path = yield from wb.post(f"{key}said", fact, [reply.path])
        return reply.text, path

    def remember(text: str, path: str) -> None:
        speaker = "user" if merged else told(len(history))
        history.append(wb.Part(text, path, speaker))

    for turn in range(1, n + 1):
        remember(*(yield from say("lead", turn, f"turn={turn}/lead/")))
        said = yield from wb.all_of(f"turn={turn}", {name: say(name, turn) for name in SPECIALISTS})
        for text, path in said.values():
            remember(text, path)
    return len(history)


def lm(url: str) -> wb.OpenAILM:
    """Return the model that is measured."""
    return wb.OpenAILM(MODEL, url, KEY)


def sent(run: Run) -> list[list[plain.Message]]:
    """Return the messages of each call of a run, in causal order."""
    return [messages(event.parts) for event in run.by_path() if isinstance(event, Asked)]


async def found(*, query: str, corpus: str, k: int = 3) -> list[dict[str, Any]]:
    """Find the same passage each time, at no cost: retrieval has a benchmark of its own."""
    text = "The return rate of the pilot was 4.1 percent over 1,200 units. " * 4
    return [{"passage": f"{corpus}/notes.md#p1", "text": text, "score": 1.0}]


WORLD = {"search": found}


def deliberation(turns: int = ROUNDS, history: int | None = None) -> Any:
    """Return the bi-layer protocol over a case of the project's own."""
    return wb.bilayer(wb.Case.read("aura_hub"), turns=turns, searches=1, history=history)


QUESTION = "Which of three launch plans keeps to its budget if returns are twice as high?"


def maven() -> Any:
    """Return MAVEN with three iterations on the full path."""
    return wb.maven(QUESTION, ("the first", "the second", "the third"))


def waves_of(run: Run) -> list[list[Any]]:
    """Return the request bodies of a run, those that were sent at the same time together."""
    waves: defaultdict[int, list[Any]] = defaultdict(list)
    for event in run.by_path():
        if isinstance(event, Asked):
            waves[event.clock].append(body_of(event, MODEL))
    return [waves[clock] for clock in sorted(waves)]


def turns_of(run: Run) -> list[Turn]:
    """Return the request bodies of a bi-layer run, for the other side to send."""
    goals: dict[str, Any] = {}
    ratifications: dict[str, Any] = {}
    chains: defaultdict[str, defaultdict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for event in run.by_path():
        if isinstance(event, Asked):
            turn, who, *_ = event.path.strip("/").split("/")
            body = body_of(event, MODEL)
            if who == "goal":
                goals[turn] = body
            elif who == "ratify":
                ratifications[turn] = body
            else:
                chains[turn][who].append(body)
    return [(goals[t], list(chains[t].values()), ratifications[t]) for t in goals]
