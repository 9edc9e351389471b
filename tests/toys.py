"""What the properties of the core are tested on: toy protocols, and the bi-layer over a case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

import workbench as wb
from tests.scripts import usual
from workbench.engine.gate import Unparsed, ask_json
from workbench.errors import LMError


class Heard(wb.Fact):
    """What an agent said."""

    text: str


class Judged(wb.Fact):
    """A verdict on a turn."""

    verdict: str


class Score(BaseModel):
    """What the judge of `council` is asked for."""

    score: int = Field(ge=0, le=9)


@wb.protocol("toy_debate")
def debate(n: int = 3, turns: int = 2):  # noqa: ANN201
    """Let `n` agents speak at once, turn after turn, each reading what was said before."""
    history: list[wb.Part] = []
    for turn in range(1, turns + 1):

        def speaker(i: int, turn: int = turn, history: tuple[wb.Part, ...] = tuple(history)):  # noqa: ANN202
            parts = [wb.Part("You debate.", None, "system"), *history, f"Speak in turn {turn}."]
            reply = yield from wb.ask("speak", f"agent{i}", parts)
            path = yield from wb.post("heard", Heard(text=reply.text), [reply.path])
            return wb.Part(reply.text, path)

        said = yield from wb.all_of(f"turn={turn}", {f"a{i}": speaker(i) for i in range(n)})
        history += said.values()
        verdict = "yes" if len(said["a0"].text) % 2 else "no"
        yield from wb.post(
            f"turn={turn}/judged", Judged(verdict=verdict), [p.source for p in said.values()]
        )
    return [part.text for part in history]


def _tools(**params: Any) -> dict[str, Callable[..., Any]]:
    async def search(query: str, top: int = 2) -> list[dict[str, Any]]:
        return [{"id": f"p{i}", "text": f"{query} {i}", "@": None} for i in range(top)]

    return {"search": search}


@wb.protocol("toy_council", world=_tools)
def council(topic: str = "tea", depth: int = 2):  # noqa: ANN201
    """Use every command: a graph, nested scopes, tools, a human, facts and gated asks."""

    def research(given: dict[str, Any]):  # noqa: ANN202
        found = yield from wb.call("search", "search", query=topic, top=depth)
        found.value.append("the protocol may change what it was given")
        reply = yield from wb.ask(
            "read",
            "researcher",
            [wb.Part(p["text"], p["id"]) for p in found.value[:-1]],
            sampling=wb.Sampling(temperature=0, stop=("END",)),
        )
        yield from wb.post("heard", Heard(text=reply.text), [reply.path, found.path])
        return reply.text

    def judge(given: dict[str, Any]):  # noqa: ANN202
        value = yield from ask_json(
            "score", "judge", ["Score it.", *map(str, given.values())], Score
        )
        score = None if isinstance(value, Unparsed) else value.value.score
        yield from wb.post("judged", Judged(verdict=str(score)), [value.path])
        return score

    def inner(level: int):  # noqa: ANN202
        reply = yield from wb.ask(f"level={level}", "inner", f"level {level}")
        if level < depth:
            below = yield from wb.all_of(
                "down", {side: inner(level + 1) for side in ("left", "right")}
            )
            return [reply.text, below["left"], below["right"]]
        return [reply.text]

    done = yield from wb.graph_of(
        "plan",
        {
            "verdict": wb.Node(judge, ("a", "b")),
            "a": wb.Node(research),
            "b": wb.Node(lambda given: inner(1)),
            "c": wb.Node(judge, ("a",)),
        },
    )
    said = yield from wb.within("human", wb.consult("ok", "Go on?", ("yes", "no")))
    return {"verdict": done["verdict"], "said": said.text, "order": list(done)}


def words(asked: wb.Asked) -> str:
    """Answer as a function of the ask alone; judges reply badly at first, and one always."""
    mark = hashlib.sha256(asked.path.encode()).hexdigest()
    if asked.schema is None:
        return f"{mark[:6]} read {sum(len(p.text) for p in asked.parts)} \u2028 ü " + "word " * 12
    if asked.schema["title"] != "Score":
        return "no" if asked.path == "/turn=2/goal/try=1" else json.dumps(usual(asked))
    if "/c/" in asked.path or asked.path.endswith("try=1"):
        return '<think>{"score": 3}</think> I would say {"score": "many"}'
    return f"```json\n{json.dumps({'score': int(mark[0], 16) % 10})}\n```"


def human(consulted: wb.Consulted) -> str:
    """Take the first option."""
    return consulted.options[0]


BOUND = {
    "debate": debate(),
    "council": council(),
    "bilayer": wb.bilayer(wb.Case.read("aura_hub"), turns=2, searches=1, passages=1),
}
"""By name; the bi-layer has its own world, which searches the case's documents."""


class Teller:
    """A scripted model that appends each path it is asked to a file, and fails where it is told."""

    def __init__(
        self, side: Path | None = None, *, fail: tuple[str, ...] = (), latency_s: float = 0.0
    ) -> None:
        self.paths: list[str] = []
        self.fail = set(fail)
        self.side = side
        self._lm = wb.ScriptedLM(words, latency_s=latency_s)
        self.name, self.family = self._lm.name, self._lm.family
        self.describe = self._lm.describe
        self.session = self._lm.session

    async def answer(self, asked: wb.Asked) -> wb.Answered:
        """Answer as `words` does."""
        self.paths.append(asked.path)
        answered = await self._lm.answer(asked)
        if asked.path in self.fail:
            raise LMError(f"told to fail at {asked.path}")
        if self.side is not None:
            with self.side.open("a") as side:
                side.write(asked.path + "\n")
        return answered
