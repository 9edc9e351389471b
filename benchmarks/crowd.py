"""A long run of many agents: 5,000 turns of 20, made by a scripted model and kept as a file."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import workbench as wb
from workbench.engine.commands import Steps
from workbench.record.run import Run

TURNS, AGENTS = 5_000, 20


class Proposed(wb.Fact):
    """What an agent put forward in a turn; the name is that of the bi-layer block's fact."""

    turn: int
    author: str
    contribution: str


@wb.protocol("benchmark_crowd")
def crowd(turns: int = TURNS, agents: int = AGENTS) -> Steps[int]:
    """Let `agents` speak at once, turn after turn; each reads what two peers said before."""
    last: list[wb.Part] = []

    def speak(turn: int, who: int, read: list[wb.Part]) -> Steps[wb.Part]:
        name = f"agent_{who:02d}"
        parts = [wb.Part(f"You are {name}.", None, "system"), *read, wb.Part("Speak.")]
        reply = yield from wb.ask("ask", name, parts)
        fact = Proposed(turn=turn, author=name, contribution=reply.text)
        return wb.Part(reply.text, (yield from wb.post("proposal", fact, [reply.path])))

    for turn in range(1, turns + 1):
        speakers = {
            f"agent_{who:02d}": speak(turn, who, last[who : who + 2]) for who in range(agents)
        }
        last = list((yield from wb.all_of(f"turn={turn}", speakers)).values())
    return turns


def reply(asked: wb.Asked) -> str:
    """Say something short that tells turn and author."""
    turn = asked.path.split("/")[1].removeprefix("turn=")
    return f"In turn {turn} {asked.role} weighs point {int(turn) * 7 % 113} and keeps to the plan."


def made(turns: int = TURNS, agents: int = AGENTS) -> Run:
    """Return the run, from the file that an earlier call left in the temporary folder."""
    path = Path(tempfile.gettempdir()) / f"workbench-crowd-{turns}x{agents}.run.jsonl"
    if not path.exists():
        part = path.with_suffix(f".{time.time_ns()}")
        wb.run_sync(crowd(turns, agents), lm=wb.ScriptedLM(reply), to=part)
        part.replace(path)
    return wb.open_run(path)
