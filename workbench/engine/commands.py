"""What a protocol may yield, and the typed helpers that authors use instead of a bare yield.

A protocol is a plain generator. It has no await, clock, client, file or shared mutable state; it
yields commands and is sent their answers::

    def greet(name: str):
        reply = yield from ask("greet", "host", f"Welcome {name}.")
        yield from post("welcome", Welcomed(text=reply.text), sources=[reply.path])
        return reply.text
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar, cast

from workbench.record.events import JSON, Answered, Returned, Said, Sampling
from workbench.record.facts import Fact
from workbench.record.parts import Part, as_parts

R = TypeVar("R")

Steps = Generator[Any, Any, R]
"""A protocol under way: yields commands, is sent answers, returns an `R`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One language-model call. Answered by `Answered`."""

    key: str
    role: str
    parts: tuple[Part, ...]
    sampling: Sampling = Sampling()
    schema: dict[str, JSON] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a named tool of the world. Answered by `Returned`."""

    key: str
    tool: str
    args: dict[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consult:
    """A question to a human. Answered by `Said`."""

    key: str
    prompt: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A domain fact for the run. Answered at once by the fact's path."""

    key: str
    fact: Fact
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class All:
    """Children that run at the same time. Answered by their results, by name, in the given order.

    A child's commands live under ``key/name``. The child named ``""`` (it must be the only one)
    lives under ``key`` itself, which is how `within` gives a sub-protocol a place of its own.
    """

    key: str
    children: Mapping[str, Steps[Any]]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a `Graph`: what it waits for, and what it does with their results.

    Attributes
    ----------
    after : tuple of str
        The names of the nodes that must be done first.
    start : callable
        Takes the results of those nodes, by name, and returns a protocol under way.
    """

    start: Any
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes of an acyclic graph, each started when those it depends on are done.

    Answered by the results by name.
    """

    key: str
    nodes: Mapping[str, Node] = field(default_factory=dict)


def ask(
    key: str,
    role: str,
    prompt: str | Part | Iterable[str | Part],
    *,
    sampling: Sampling = Sampling(),
    schema: dict[str, JSON] | None = None,
) -> Steps[Answered]:
    """Ask a language model once and return its reply as it came.

    Parameters
    ----------
    key : str
        The last segment of the path; used once in its scope.
    role : str
        Who is asked; a run may have a model for each role.
    prompt : str, Part or iterable of these
        A `Part` tells where its text comes from.
    sampling : Sampling
        What it leaves open is the run's, and then the server's.
    schema : dict, optional
        A JSON schema to be sent; the reply is not checked against it. See `ask_json`.

    Returns
    -------
    Answered

    Raises
    ------
    BadCommand, DuplicateKey
        If the key is not one segment of a path, or was used in this scope before.
    """
    parts = as_parts(prompt)
    return cast(
        Answered,
        (yield Ask(key=key, role=role, parts=parts, sampling=sampling, schema=schema)),
    )


def call(key: str, tool: str, /, **args: JSON) -> Steps[Returned]:
    """Call a tool of the world.

    Parameters
    ----------
    key : str
        The last segment of the path; used once in its scope.
    tool : str
        Its name in the run's world.
    **args : JSON
        What the tool is called with.

    Returns
    -------
    Returned
        The result is ``.value``.

    Raises
    ------
    BadCommand, DuplicateKey
        If the key is not one segment of a path, or was used in this scope before.
    """
    return cast(Returned, (yield Call(key=key, tool=tool, args=args)))


def consult(key: str, prompt: str, options: Sequence[str] = ()) -> Steps[Said]:
    """Ask a human.

    Parameters
    ----------
    key : str
        The last segment of the path; used once in its scope.
    prompt : str
        The question.
    options : sequence of str
        Of which the answer is one; a text is one option; none: any text will do.

    Returns
    -------
    Said
        The answer is ``.text``.

    Raises
    ------
    BadCommand, DuplicateKey
        If the key is not one segment of a path, or was used in this scope before.
    """
    given = (options,) if isinstance(options, str) and options else tuple(options)
    return cast(Said, (yield Consult(key=key, prompt=prompt, options=given)))


def post(key: str, fact: Fact, sources: Iterable[str] = ()) -> Steps[str]:
    """Record a domain fact.

    Parameters
    ----------
    key : str
        The last segment of the path; used once in its scope.
    fact : Fact
        What was found.
    sources : iterable of str
        The paths that it was drawn from.

    Returns
    -------
    str
        Its path, to be used as the source of later parts.

    Raises
    ------
    BadCommand, DuplicateKey
        If the key is not one segment of a path, or was used in this scope before.
    """
    drawn_from = (sources,) if isinstance(sources, str) else tuple(sources)
    return cast(str, (yield Post(key=key, fact=fact, sources=drawn_from)))


def all_of(key: str, children: Mapping[str, Steps[R]]) -> Steps[dict[str, R]]:
    """Run sub-protocols at the same time.

    Parameters
    ----------
    key : str
        The scope of them all; empty: the one that this is called in.
    children : mapping of str to Steps
        By name, which is a child's own scope within that.

    Returns
    -------
    dict of str to object
        Their results by name.

    Raises
    ------
    Exception
        Every child runs to its end. If some raise, what the first of them in the given order did.
    """
    return cast("dict[str, R]", (yield All(key=key, children=children)))


def within(key: str, steps: Steps[R]) -> Steps[R]:
    """Run a sub-protocol in a scope of its own.

    Parameters
    ----------
    key : str
        The scope: all its paths are under it.
    steps : Steps
        The sub-protocol.

    Returns
    -------
    object
        Its result.

    Raises
    ------
    BadCommand, DuplicateKey
        If the key is not one segment of a path, or was used in this scope before.
    """
    return cast("dict[str, R]", (yield All(key=key, children={"": steps})))[""]


def graph_of(key: str, nodes: Mapping[str, Node]) -> Steps[dict[str, Any]]:
    """Run an acyclic graph of sub-protocols, each once those that it waits for are done.

    Parameters
    ----------
    key : str
        The scope of them all.
    nodes : mapping of str to Node
        By name, which is a node's own scope within that.

    Returns
    -------
    dict of str to object
        All results by name.

    Raises
    ------
    BadCommand
        If a node waits for one that is not there, or for itself by way of others.
    """
    return cast("dict[str, Any]", (yield Graph(key=key, nodes=nodes)))


def derived_seed(seed: int, path: str) -> int:
    """Return a 31-bit seed that depends on a seed and a path alone."""
    digest = blake2b(f"{seed}:{path}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) & 0x7FFF_FFFF


def rng(seed: int, path: str) -> random.Random:
    """Return a random generator that depends on a seed and a path alone.

    A protocol that draws takes the seed as a parameter: it is not told the run's, from which the
    asks' own seeds are drawn.

    Parameters
    ----------
    seed : int
        Any integer.
    path : str
        Where in the run it is drawn, or any other name of the purpose.

    Returns
    -------
    random.Random
    """
    return random.Random(derived_seed(seed, path))  # noqa: S311  # draws, not secrets
