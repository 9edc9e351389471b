"""A protocol without IO: commands out, answers in."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_serializer

import workbench as wb
from tests.toys import BOUND, Heard, human, words
from workbench.engine.commands import All, Ask, Consult, Graph, Post
from workbench.engine.execution import Execution
from workbench.errors import BadCommand, DuplicateKey, ProtocolError
from workbench.record.diff import diff
from workbench.record.events import Answered, Event, Returned, RunEnded
from workbench.record.run import Run
from workbench.views.html import run_html
from workbench.views.terminal import story

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


def answered(steps: Any, reply: Callable[[Any], Any] = lambda asked: "ok") -> list[Event]:
    """Execute `steps`, answering each ask by `reply`."""
    execution = Execution(steps)
    events: list[Event] = [*execution.start()]
    while execution.pending:
        path, command = next(iter(execution.pending.items()))
        events += execution.feed(Answered(path=path, text=reply(command)))
    assert execution.done
    return events


def error_of(steps: Any) -> str:
    """Return the error that the run of `steps` ends in."""
    ended = answered(steps)[-1]
    assert isinstance(ended, RunEnded)
    assert ended.status == "failed"
    assert ended.error is not None
    return ended.error


@pytest.mark.parametrize("name", list(BOUND))
@given(seed=st.integers(0, 2**32))
def test_arrival_order(name: str, seed: int) -> None:
    """Who answers first changes no digest, causal order, fact, diff, table or page."""
    run = whole(name)
    draw = random.Random(seed)
    execution = Execution(BOUND[name].steps())
    events: list[Event] = [run.started, *execution.start()]
    while execution.pending:
        events += execution.feed(run.answers[draw.choice(list(execution.pending))])
    other = Run(events)

    assert run.digest == other.digest
    assert run.by_path() == other.by_path()
    assert run.facts == other.facts
    for kind in {fact.kind for fact in run.facts.values()}:
        assert list(run.facts_of(kind)) == list(other.facts_of(kind))
    assert not diff(run, other)
    frames = dict(wb.tables(other).items())
    assert all(frame.equals(frames[table]) for table, frame in wb.tables(run).items())
    assert run_html(run) == run_html(other)
    assert [*story(run)] == [*story(other)]


def test_a_key_used_twice() -> None:
    """The error names the path, and the protocol may catch it."""

    def steps() -> Any:
        yield from wb.ask("same", "r", "x")
        try:
            yield from wb.post("same", Heard(text="x"))
        except DuplicateKey as error:
            return str(error)

    ended = answered(wb.within("turn=1", steps()))[-1]

    assert isinstance(ended, RunEnded)
    assert "/turn=1/same is used twice; give each command a key of its own" == ended.result


def test_a_sub_protocol_twice() -> None:
    """A sub-protocol in two places is no duplicate, and in one place it is."""

    def steps(second: str) -> Any:
        yield from wb.within("a", wb.ask("x", "r", "x"))
        yield from wb.within(second, wb.ask("x", "r", "x"))

    assert isinstance(answered(steps("b"))[-1], RunEnded)
    assert "DuplicateKey: /a/x" in error_of(steps("a"))


@pytest.mark.parametrize(
    "key", ["", " ", "a b", "/a", "a/", "a//b", "a\n", None, 5, b"a", "a\ud800"]
)
def test_bad_keys(key: Any) -> None:
    """A key that is no path segment is told of; nothing is asked."""
    assert "BadCommand: /" in error_of(wb.ask(key, "r", "x"))
    if key:
        assert "BadCommand: /" in error_of(wb.all_of("k", {key: wb.ask("a", "r", "x")}))
        assert "BadCommand: /" in error_of(wb.within(key, wb.ask("a", "r", "x")))


@pytest.mark.parametrize("garbage", [None, 5, "ask", object(), Ask, {"a": 1}])
def test_yielding_garbage(garbage: Any) -> None:
    """Something that is no command is told of, with its type."""

    def steps() -> Any:
        yield garbage

    assert f"not {type(garbage).__name__}; did you forget 'yield from'?" in error_of(steps())


def test_forgetting_yield_from() -> None:
    """`yield ask(...)` gets a hint, and so does the reply that is a generator."""

    def yielded() -> Any:
        yield wb.ask("a", "r", "x")

    def called() -> Any:
        reply: Any = wb.ask("a", "r", "x")
        yield from wb.ask("b", "r", reply.text)

    def returned() -> Any:
        yield from wb.ask("b", "r", "x")
        return wb.ask("a", "r", "x")

    assert "did you forget 'yield from'?" in error_of(yielded())
    assert "AttributeError: 'generator' object" in error_of(called())
    assert "a generator is not the same each time" in error_of(returned())


@pytest.mark.parametrize(
    "command",
    [
        Ask(key="a", role=5, parts=(wb.Part("x"),)),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=("x",)),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=5),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=(wb.Part("x", 5),)),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=(wb.Part("\ud800"),)),
        Ask(key="a", role="r", parts=(), sampling=wb.Sampling(temperature="hot")),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=(), sampling=wb.Sampling(extra={"a": {1}})),
        Ask(key="a", role="r", parts=(), sampling=5),  # type: ignore[arg-type]
        Ask(key="a", role="r", parts=(), schema={"a": float("nan")}),
        Consult(key="a", prompt=5),  # type: ignore[arg-type]
        Consult(key="a", prompt="x", options=(1,)),  # type: ignore[arg-type]
        Post(key="a", fact={"a": 1}),  # type: ignore[arg-type]
        Post(key="a", fact=Heard(text="\ud800")),
        Post(key="a", fact=Heard(text="x"), sources=(1,)),  # type: ignore[arg-type]
        All(key="a", children=[wb.ask("a", "r", "x")]),  # type: ignore[arg-type]
        All(key="a", children={"b": "no generator"}),  # type: ignore[dict-item]
        All(key="a", children={"b": lambda: None}),  # type: ignore[dict-item]
        All(key="a", children={"": wb.ask("a", "r", "x"), "b": wb.ask("a", "r", "x")}),
        Graph(key="a", nodes={"b": 5}),  # type: ignore[dict-item]
        Graph(key="a", nodes={"b": wb.Node(lambda got: 5)}),
        Graph(key="a", nodes={"b": wb.Node(lambda got: iter(()), ("c",))}),
        Graph(key="a", nodes={"b": wb.Node(lambda got: iter(()), ("b",))}),
        Graph(
            key="a",
            nodes={n: wb.Node(lambda got: iter(()), (m,)) for n, m in ("bc", "cd", "db")},
        ),
    ],
)
def test_malformed_commands(command: Any) -> None:
    """A malformed command raises BadCommand in the protocol, where it may be caught."""

    def steps() -> Any:
        try:
            yield command
        except BadCommand as error:
            return str(error)

    ended = answered(steps())[-1]

    assert isinstance(ended, RunEnded)
    assert "complete" == ended.status
    assert ended.result


def test_cycle_and_unknown_node() -> None:
    """A cycle and a node after an unknown one are told of by path and name."""
    node = wb.Node(lambda got: wb.ask("a", "r", "x"), ("y",))

    assert "/g/x waits for ['y'], which are not nodes" in error_of(wb.graph_of("g", {"x": node}))
    assert "/g: the graph has a cycle" in error_of(
        wb.graph_of("g", {"x": node, "y": wb.Node(node.start, ("x",))})
    )


def test_one_generator_for_two_children() -> None:
    """A generator that stands twice, or has started, is refused: it would get wrong answers."""
    steps = wb.ask("a", "r", "x")

    assert "one generator stands for two" in error_of(wb.all_of("k", {"a": steps, "b": steps}))
    started = wb.ask("a", "r", "x")
    next(started)
    assert "has started already" in error_of(wb.all_of("k", {"a": started}))


def test_children_below_each_other() -> None:
    """Two children that share a place are refused: who used a path first would be chance."""

    def child() -> Any:
        reply = yield from wb.ask("x", "r", "x")
        return reply.text

    expected = "/k: the child 'a/b' would live below 'a'"

    assert expected in error_of(wb.all_of("k", {"a/b": child(), "a": child()}))
    nodes = {name: wb.Node(lambda got: child()) for name in ("a", "a/b")}
    assert expected in error_of(wb.graph_of("k", nodes))
    nodes = {name: wb.Node(lambda got: child()) for name in ("", "b")}
    assert "the nameless child must be the only one" in error_of(wb.graph_of("k", nodes))
    assert 2 == len(answered(wb.all_of("k", {"a/b": child(), "a/c": child()}))[-1].result)  # type: ignore[union-attr]


def test_an_error_in_one_child() -> None:
    """The others run to their end; the first error in the given order is raised to the parent."""

    def child(name: str) -> Any:
        yield from wb.ask("one", "r", name)
        if name in "bc":
            raise ValueError(name)
        yield from wb.ask("two", "r", name)

    def steps() -> Any:
        try:
            yield from wb.all_of("k", {name: child(name) for name in "abcd"})
        except ValueError as error:
            yield from wb.ask("after", "r", "x")
            return str(error)

    for seed in range(10):
        execution = Execution(steps())
        events: list[Event] = [*execution.start()]
        draw = random.Random(seed)
        while execution.pending:
            path = draw.choice(list(execution.pending))
            events += execution.feed(Answered(path=path, text="ok"))

        assert "b" == execution.result
        assert {"/k/a/one", "/k/a/two", "/k/d/two", "/after"} < {
            e.path for e in events if isinstance(e, Answered)
        }


def test_an_error_in_a_graph() -> None:
    """A node that cannot start fails those after it, in a chain of any length, and no others."""

    def start(given: dict[str, Any]) -> Any:
        raise KeyError("no start")

    nodes = {"0": wb.Node(start), "other": wb.Node(lambda got: wb.ask("a", "r", "x"))}
    for number in range(1, 1500):
        nodes[str(number)] = wb.Node(lambda got: wb.ask("a", "r", "x"), (str(number - 1),))
    events = answered(wb.graph_of("g", nodes))

    assert ["/g/other/a"] == [e.path for e in events if isinstance(e, Answered)]
    assert isinstance(events[-1], RunEnded)
    assert "KeyError: 'no start'" == events[-1].error


def test_graph_order() -> None:
    """A node starts when those before it are done, and is given their results."""

    def node(name: str) -> wb.Node:
        def start(given: dict[str, Any]) -> Any:
            reply = yield from wb.ask("a", "r", f"{name}({', '.join(given.values())})")
            return reply.text

        return wb.Node(start, {"c": ("a", "b"), "d": ("c",)}.get(name, ()))

    execution = Execution(wb.graph_of("g", {n: node(n) for n in "dcba"}))
    execution.start()

    assert ["/g/b/a", "/g/a/a"] == list(execution.pending)
    while execution.pending:
        path, asked = execution.pending.popitem()
        execution.pending[path] = asked
        execution.feed(Answered(path=path, text=asked.parts[0].text))  # type: ignore[union-attr]
    assert {
        "d": "d(c(a(), b()))",
        "c": "c(a(), b())",
        "b": "b()",
        "a": "a()",
    } == execution.result
    assert ["d", "c", "b", "a"] == list(execution.result)


class Point(BaseModel):
    """A value that is not JSON but becomes it."""

    x: float


class Held(BaseModel):
    """A type that takes anything."""

    x: Any


class Votes(BaseModel):
    """A type that gets its keys back when it reads itself."""

    turn: dict[int | str, float]


class Odd(BaseModel):
    """Turns into something that is not JSON."""

    x: float

    @field_serializer("x")
    def _odd(self, x: float) -> float:
        return x * float("inf")


def _itself() -> Any:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (float("nan"), None),
        (Point(x=float("inf")), None),
        ({1, 2}, None),
        ([frozenset("ab")], None),
        (object(), None),
        (_itself(), None),
        (["\ud83d"], None),
        ([10**5000], None),
        ((1, (2,)), [1, [2]]),
        (Point(x=1), {"x": 1.0}),
        ({1: "a"}, None),
        ({1: "a", "1": "b"}, None),
        ([{None: "a"}], None),
        (deque([float("nan")]), None),
        (Held(x=deque([float("nan")])), None),
        (deque([1, (2,)]), [1, [2]]),
        (Votes(turn={1: 0.5}), {"turn": {"1": 0.5}}),
        (Votes(turn={1: 0.5, "1": 0.25}), None),
        (Odd(x=1), None),
        (10**40, 10**40),
        (None, None),
    ],
)
def test_results(value: Any, recorded: Any) -> None:
    """A result is recorded as JSON, or the run ends failed and says why."""

    def steps() -> Any:
        yield from wb.ask("a", "r", "x")
        return value

    ended = answered(steps())[-1]

    assert isinstance(ended, RunEnded)
    assert recorded == ended.result
    assert (recorded is None and value is not None) == (ended.status == "failed")


def test_deep_results() -> None:
    """What is recorded can be read back: nesting is refused before the file's parser gives up."""
    deep: Any = 1
    for _ in range(80):
        deep = {"@": deep}

    def steps() -> Any:
        yield from wb.ask("a", "r", "x")
        return deep

    assert "nested more than 64 deep" in error_of(steps())


def test_asks_nothing() -> None:
    """A protocol that asks nothing is done at once."""

    def steps() -> Any:
        yield from wb.post("a", Heard(text="x"))
        return 5

    events = answered(steps())

    assert ["posted", "run_ended"] == [e.event for e in events]


def test_never_ends() -> None:
    """A protocol that never ends can be executed for as long as one likes."""

    def steps() -> Any:
        number = 0
        while True:
            number += 1
            yield from wb.ask(f"a={number}", "r", "x")

    execution = Execution(steps())
    execution.start()
    for _ in range(500):
        execution.feed(Answered(path=next(iter(execution.pending)), text="x"))

    assert ["/a=501"] == list(execution.pending)


def test_a_thousand_children() -> None:
    """A thousand children wait at once, and end in the given order."""

    def child() -> Any:
        reply = yield from wb.ask("a", "r", "x")
        return reply.text

    names = [f"c{number}" for number in range(1000)]
    execution = Execution(wb.all_of("k", {name: child() for name in names}))

    assert 1000 == len(execution.start())
    for path in reversed(list(execution.pending)):
        execution.feed(Answered(path=path, text="x"))
    assert names == list(execution.result)


@pytest.mark.parametrize("by", ["within", "all_of", "yield from"])
def test_deep_nesting(by: str) -> None:
    """Fifty levels of scopes, children or plain calls work."""

    def level(depth: int) -> Any:
        if depth == 0:
            reply = yield from wb.ask("a", "r", "x")
            return reply.path
        if by == "within":
            return (yield from wb.within("d", level(depth - 1)))
        if by == "all_of":
            return (yield from wb.all_of("d", {"c": level(depth - 1)}))["c"]
        return (yield from level(depth - 1))

    ended = answered(level(50))[-1]

    assert isinstance(ended, RunEnded)
    assert {"within": 50, "all_of": 100, "yield from": 0}[by] == ended.result.count("/") - 1


def test_empty_scopes() -> None:
    """No children, and no nodes, are done at once."""

    def steps() -> Any:
        return (yield from wb.all_of("k", {})), (yield from wb.graph_of("g", {}))

    assert [{}, {}] == answered(steps())[-1].result  # type: ignore[union-attr]


def test_what_an_answer_may_be() -> None:
    """An answer that nothing waits for, or of the wrong kind, is refused and changes nothing."""
    execution = Execution(wb.ask("a", "r", "x"))
    execution.start()
    with pytest.raises(ProtocolError, match="nothing waits for an answer at /b"):
        execution.feed(Answered(path="/b", text="x"))
    with pytest.raises(ProtocolError, match="/a waits for Answered, not Returned"):
        execution.feed(Returned(path="/a"))
    with pytest.raises(ProtocolError, match="has started already"):
        execution.start()
    assert ["/a"] == list(execution.pending)


def test_the_record_is_not_the_protocols() -> None:
    """What a protocol does to a value that it was given does not change the event."""

    def steps() -> Any:
        got = yield from wb.call("c", "tool", of=[1])
        got.value.append("mine")
        return got.value

    execution = Execution(steps())
    execution.start()
    answer = Returned(path="/c", value=[1])
    execution.feed(answer)

    assert [1] == answer.value
    assert [1, "mine"] == execution.result


def test_sampling_is_normal() -> None:
    """`temperature=0` and a list of stops are stored as they will be read back."""
    sampling = wb.Sampling(temperature=0, stop=["END"], extra={"a": (1,)})  # type: ignore[arg-type]
    execution = Execution(wb.ask("a", "r", "x", sampling=sampling))
    asked = execution.start()[0]

    assert isinstance(asked, wb.Asked)
    assert "0.0 ('END',) {'a': [1]}" == (
        f"{asked.sampling.temperature} {asked.sampling.stop} {asked.sampling.extra}"
    )
    assert asked.sampling.seed is not None


def test_a_source_alone() -> None:
    """One source may be given as a text."""
    posted = answered(wb.post("a", Heard(text="x"), "/where"))[0]

    assert isinstance(posted, wb.Posted)
    assert ("/where",) == posted.sources


def test_system_exit() -> None:
    """A protocol that calls sys.exit fails like any other: the loop's thread goes on."""

    def steps() -> Any:
        yield from wb.ask("a", "r", "x")
        raise SystemExit(3)

    assert "SystemExit: 3" == error_of(steps())


@pytest.mark.parametrize("by", ["post", "all_of", "garbage", "nested"])
def test_posts_for_ever(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol that goes on without an answer is ended, also where it catches its errors."""
    monkeypatch.setattr("workbench.engine.execution.MOST_WITHOUT_ANSWER", 500)

    def endless() -> Any:
        number = 0
        while True:
            number += 1
            try:
                if by == "post":
                    yield from wb.post(f"a={number}", Heard(text="x"))
                elif by == "all_of":
                    yield from wb.all_of("a", {})
                elif by == "nested":
                    yield from wb.within("a", iter_once(number))
                else:
                    yield number
            except ProtocolError:
                pass

    def iter_once(number: int) -> Any:
        yield from wb.post(f"a={number}", Heard(text="x"))

    assert "ProtocolError: /: yields for ever: 500 commands without an answer" in error_of(
        endless()
    )


def test_many_facts_with_answers_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is on what is made between two answers, also where children have them."""
    monkeypatch.setattr("workbench.engine.execution.MOST_WITHOUT_ANSWER", 50)

    def steps() -> Any:
        for number in range(100):
            yield from wb.within(f"a={number}", wb.ask("b", "r", "x"))
            yield from wb.post(f"c={number}", Heard(text="x"))
        return "done"

    ended = answered(steps())[-1]
    assert isinstance(ended, RunEnded)
    assert "done" == ended.result


def test_a_node_that_adds_nodes() -> None:
    """A graph has the nodes that it was given; what is added as they start is none of it."""
    nodes: dict[str, Any] = {}

    def start(given: Any) -> Any:
        nodes[f"late{len(nodes)}"] = wb.Node(start)
        return wb.ask("b", "r", "x")

    nodes |= {"a": wb.Node(start), "b": wb.Node(start, ("a",))}

    def steps() -> Any:
        return list((yield from wb.graph_of("g", nodes)))

    ended = answered(steps())[-1]
    assert isinstance(ended, RunEnded)
    assert ["a", "b"] == ended.result
