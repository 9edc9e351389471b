"""Protocols without end are told of before they take all memory; deep and wide ones are run."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.toys import Heard
from workbench.engine import execution
from workbench.engine.commands import Node, Steps
from workbench.engine.execution import Execution
from workbench.errors import ProtocolError
from workbench.record.events import Answered, RunEnded


def alone(level: int) -> Steps[None]:
    """Nest in a scope of its own."""
    yield from wb.within(f"level={level}", alone(level + 1))


def with_facts(level: int) -> Steps[None]:
    """Nest, and say so."""
    for n in range(30):
        yield from wb.post(f"heard={n}", Heard(text="x"))
    yield from wb.all_of(f"level={level}", {"down": with_facts(level + 1)})


def in_two(level: int) -> Steps[None]:
    """Nest twice in each."""
    yield from wb.all_of("down", {side: in_two(level + 1) for side in ("left", "right")})


def in_graphs(level: int) -> Steps[None]:
    """Nest by way of a graph."""
    nodes = {"a": Node(lambda _: in_graphs(level + 1)), "b": Node(lambda _: in_graphs(level + 1))}
    yield from wb.graph_of("plan", nodes)


def catching(level: int) -> Steps[None]:
    """Nest, and go on when that is refused."""
    try:
        yield from wb.within("down", catching(level + 1))
    except ProtocolError:
        yield from wb.within("again", catching(level + 1))


@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        (alone, "nests for ever: 200 scopes one inside another without an answer"),
        (with_facts, "yields for ever: 1,000 commands without an answer"),
        (in_two, "starts for ever: more than 3,000 generators without an answer"),
        (in_graphs, "starts for ever: more than 3,000 generators without an answer"),
        (catching, "for ever"),
    ],
)
def test_a_recursion_without_end(protocol: Any, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scope that is in itself ends the run with an error that says where."""
    monkeypatch.setattr(execution, "MOST_WITHOUT_ANSWER", 1_000)
    monkeypatch.setattr(execution, "MOST_NESTED", 200)
    monkeypatch.setattr(execution, "MOST_STARTED", 3_000)
    made = Execution(protocol(1))
    (*_, last) = made.start()
    assert isinstance(last, RunEnded)
    assert isinstance(made.error, ProtocolError)
    assert told in str(made.error)
    assert len(str(made.error)) < 400


def test_a_deep_tree_without_an_answer() -> None:
    """A thousand scopes one inside another are fine, and so is what is asked at the bottom."""

    def down(level: int) -> Steps[str]:
        if level == 1_000:
            return (yield from wb.ask("ask", "r", "?")).text
        return (yield from wb.within(f"level={level}", down(level + 1)))

    made = Execution(down(0))
    (asked,) = made.start()
    made.feed(Answered(path=asked.path, text="the bottom"))
    assert made.result == "the bottom"


def test_answers_count_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is nested after an answer may go as deep again, and what fans out as far."""
    monkeypatch.setattr(execution, "MOST_NESTED", 3)
    monkeypatch.setattr(execution, "MOST_STARTED", 4)
    monkeypatch.setattr(execution, "MOST_WITHOUT_ANSWER", 5)

    def down(level: int) -> Steps[int]:
        reply = yield from wb.ask("ask", "r", "?")
        if level == 50:
            return level
        yield from wb.post("heard", Heard(text=reply.text))
        done = yield from wb.all_of("down", {"a": down(level + 1), "b": wb.ask("ask", "r", "?")})
        return done["a"]

    made = Execution(down(0))
    made.start()
    while made.pending:
        made.feed(Answered(path=next(iter(made.pending)), text="x"))
    assert (made.error, made.result) == (None, 50)
