"""Protocols by name: the decorator that registers one, and a protocol bound to its parameters."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError

from workbench.engine.commands import Steps
from workbench.errors import BadCommand, ProtocolError, UnknownProtocol
from workbench.record.events import JSON
from workbench.record.jsonable import as_json

P = ParamSpec("P")
R = TypeVar("R")

Tool = Callable[..., JSON | Awaitable[JSON]]
"""A tool of the world: keyword arguments in, JSON out; plain or async."""
World = Mapping[str, Tool]

BUILT_IN = {
    "bilayer": "workbench.agents.bilayer",
    "audit": "workbench.auditors.audit",
    "calibration": "workbench.auditors.calibration",
    "quality": "workbench.auditors.quality",
    "preference": "workbench.auditors.preference",
    "maven": "workbench.deliberation.maven.maven",
    "ingestion": "workbench.deliberation.ingestion.ingestion",
    "consultation": "workbench.deliberation.consultation.consultation",
    "verification": "workbench.deliberation.consultation.consultation",
    "comparison": "workbench.deliberation.consultation.comparison",
    "debated_consultation": "workbench.deliberation.consultation.debated",
    **{
        name: f"workbench.deliberation.baselines.{name}"
        for name in (
            "direct chain_of_thought self_consistency self_refine multi_agent_debate "
            "mixture_of_agents reconcile self_discover react"
        ).split()
    },
}
"""Where the workbench's own protocols are; a module is imported when its protocol is needed."""

_registered: dict[str, Protocol[..., Any]] = {}


@dataclass(frozen=True, slots=True)
class Bound(Generic[R]):
    """A protocol with its parameters: what `run`, `Session` and `check_protocol` take."""

    protocol: Protocol[..., R]
    params: dict[str, JSON]
    subject: str | None = None

    def steps(self) -> Steps[R]:
        """Start the protocol anew."""
        return self.protocol.steps(self.params)

    def world(self, near: Path | None = None) -> World:
        """Return the tools that the protocol needs, made from its parameters.

        `near` is the folder of the run's file, where relative names may be looked up too.
        """
        return self.protocol.world(self.params, near)


class Protocol(Generic[P, R]):
    """A registered protocol. Calling it binds its parameters; it does not run it."""

    def __init__(
        self,
        name: str,
        function: Callable[P, Steps[R]],
        world: Callable[..., World] | None,
        before: Mapping[str, JSON],
    ) -> None:
        self.name = name
        self.function = function
        self._world = world
        self.before = dict(before)
        functools.update_wrapper(self, function)

    @functools.cached_property
    def _adapters(self) -> dict[str, TypeAdapter[Any]]:
        hints = get_type_hints(self.function, include_extras=True)
        return {
            name: TypeAdapter(hints.get(name, Any))
            for name in inspect.signature(self.function).parameters
        }

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Bound[R]:
        """Bind the protocol's arguments.

        Raises
        ------
        ProtocolError
            If one is not of the type that the protocol declares.
        """
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        params = {
            name: as_json(value, f"{self.name}({name}=...)")
            for name, value in bound.arguments.items()
        }
        for name, value in self._load(params).items():
            if isinstance(value, str | int | float):  # "2" and 2.0 for an int are 2 in the record
                params[name] = self._as_read(name, params[name], value)
        return Bound(self, params)

    def _as_read(self, name: str, given: JSON, value: float | str) -> JSON:
        """Return `value` if it is read as itself; else what was given."""
        try:
            again = self._adapters[name].validate_python(value)
            read = as_json(value, name)
        except Exception:  # an author's validator, which takes what was given alone; or no JSON
            return given
        same = again == value and type(again) is type(value)
        return read if same else given

    def bind(self, params: Mapping[str, JSON], subject: str | None = None) -> Bound[R]:
        """Bind the parameters that a run has recorded."""
        return Bound(self, {**params, **self._since(params)}, subject)

    def _since(self, params: Mapping[str, JSON]) -> dict[str, JSON]:
        return {name: value for name, value in self.before.items() if name not in params}

    def _load(self, params: Mapping[str, JSON]) -> dict[str, Any]:
        """Return the arguments, made anew: what a protocol does to one stays with it."""
        copy = as_json({**params, **self._since(params)}, self.name)
        loaded: dict[str, Any] = {}
        for name, value in copy.items():
            if name not in self._adapters:
                raise ProtocolError(f"{self.name} has no parameter {name!r}")
            try:
                loaded[name] = self._adapters[name].validate_python(value)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                place = "".join(f"{part}: " for part in first["loc"])
                why = first["msg"].removeprefix("Value error, ")
                raise ProtocolError(f"{self.name}({name}=...): {place}{why}") from None
        return loaded

    def steps(self, params: Mapping[str, JSON]) -> Steps[R]:
        """Start the protocol with parameters given as JSON."""
        arguments = self._load(params)
        try:
            inspect.signature(self.function).bind(**arguments)
        except TypeError as error:
            raise ProtocolError(f"{self.name}: {error}; its parameters have changed") from None
        made: object = self.function(**arguments)  # type: ignore[call-arg]
        if not isinstance(made, Generator):
            raise BadCommand(f"{self.name} is not a protocol: it has no yield")
        return made

    def world(self, params: Mapping[str, JSON], near: Path | None = None) -> World:
        """Return the protocol's tools."""
        if self._world is None:
            return {}
        given = self._load(params)
        if "near" in inspect.signature(self._world).parameters:
            given.setdefault("near", near)
        return self._world(**given)


def protocol(
    name: str,
    *,
    world: Callable[..., World] | None = None,
    before: Mapping[str, JSON] | None = None,
) -> Callable[[Callable[P, Steps[R]]], Protocol[P, R]]:
    """Register a generator function as a protocol.

    Parameters
    ----------
    name : str
        The name that runs record. Registering it again replaces it, as a notebook cell that is run
        twice does.
    world : callable, optional
        Takes the same parameters and returns the tools that the protocol calls. If it has one more,
        called ``near``, it is given the folder of the run that is gone on with, or None.
    before : mapping of str to JSON, optional
        For each parameter that was added after runs had been recorded: what they were made with.
        So an older run is still executed as it was, while new ones have the parameter's default.

    Returns
    -------
    callable
        Makes a `Protocol` of a generator function: use it as a decorator.

    Examples
    --------
    >>> from workbench.engine.commands import ask
    >>> @protocol("greeting")
    ... def greeting(name: str):
    ...     reply = yield from ask("greet", "host", f"Welcome {name}.")
    ...     return reply.text
    >>> greeting("Ada").params
    {'name': 'Ada'}
    """

    def register(function: Callable[P, Steps[R]]) -> Protocol[P, R]:
        made = Protocol(name, function, world, before or {})
        _registered[name] = made
        return made

    return register


def find_protocol(name: str) -> Protocol[..., Any]:
    """Return a registered protocol.

    Parameters
    ----------
    name : str
        As runs record it.

    Returns
    -------
    Protocol

    Raises
    ------
    UnknownProtocol
        If there is none in this process.
    """
    if name not in _registered and name in BUILT_IN:
        importlib.import_module(BUILT_IN[name])
    try:
        return _registered[name]
    except KeyError:
        raise UnknownProtocol(
            f"no protocol {name!r} is registered here; import the module (or run the cell) "
            f"that defines it. Registered: {', '.join(sorted({*_registered, *BUILT_IN}))}"
        ) from None
