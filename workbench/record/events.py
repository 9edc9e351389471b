"""The events of a run: the answers that the world gave, and what the protocol made of them.

::

    input    (the world's)      RunStarted  Answered  Failed  Returned  Said
    derived  (the protocol's)   Asked  Called  Consulted  Posted  RunEnded

Inputs are recorded; derived events follow from the inputs and the protocol's code, and a replay
must make each of them again. An event is never edited. Fields marked *metadata* (time, latency,
attempts, origin) tell how an answer came about; they take no part in equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from workbench.record.parts import Part

FORMAT = 2
"""The version written on each line of a run file."""

JSON = Any
"""A plain JSON value: None, bool, int, float, str, list or dict with str keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a reply is drawn. None leaves a setting to the endpoint.

    `seed` is filled in from the run's seed and the ask's path when it is None, so that two asks of
    one prompt are two draws, and a rerun on a deterministic server makes the same ones. `extra`
    holds settings that only some servers know (``{"repeat_penalty": 1.1}``), sent as they are.

    Attributes
    ----------
    temperature, top_p : float or None
    max_tokens : int or None
        Tokens of the reply at most.
    seed : int or None
    stop : tuple of str
        The reply ends before the first of these; empty leaves it to the endpoint.
    extra : dict
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: dict[str, JSON] = field(default_factory=dict)


EDITED = "edit"
"""The `origin` of an answer that a fork's edit put in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a forked run came from.

    Attributes
    ----------
    parent : str
        The parent's digest.
    rule : {"prefix", "unchanged"}
    edits : dict
        What was changed, as far as given: ``answers`` (JSON by path), ``at`` (paths asked again),
        ``params``.
    seed : int
        From which the asks of the live part draw their seeds.
    inherited : int
        Answers that the fork began with, before anything was live.
    earlier : tuple of Lineage
        The lineages of the parent, oldest first, where the parent is a fork itself.
    """

    parent: str
    rule: Literal["prefix", "unchanged"]
    edits: dict[str, JSON] = field(default_factory=dict)
    seed: int = 0
    inherited: int = 0
    earlier: tuple[Lineage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The first event: all that is needed to run the protocol again.

    Attributes
    ----------
    protocol : str
        The registered name.
    params : dict
        The protocol's arguments as JSON.
    seed : int
        From which the asks' own seeds are drawn; see `Sampling.seed`. A protocol that draws takes a
        seed of its own among its parameters.
    sampling : Sampling or None
        What the asks take for the settings that they leave open; what is open here too is left to
        the endpoint. It has no seed.
    models : dict
        A description of the model for each role; ``"*"`` is the one for all the other roles.
    package : str
        The version of the workbench that wrote the run.
    subject : str or None
        For an audit, the digest of the run that it is about.
    lineage : Lineage or None
        For a fork, its parent.
    """

    event: Literal["run_started"] = "run_started"
    protocol: str
    params: dict[str, JSON]
    seed: int = 0
    sampling: Sampling | None = None
    models: dict[str, dict[str, JSON]] = field(default_factory=dict)
    package: str = ""
    subject: str | None = None
    lineage: Lineage | None = None
    at: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A language-model call that the protocol wants made.

    `clock` is Lamport time: how many commands lie on the longest chain before this one. It orders
    what depends on each other and does not depend on who answered first.

    Attributes
    ----------
    path : str
        Where in the run; the answer has the same one.
    clock : int
    role : str
        Who is asked: `RunStarted.models` has the model.
    parts : tuple of Part
        The prompt.
    sampling : Sampling
        With the run's settings where the ask left its own open, and with a seed.
    schema : dict or None
        The JSON schema that is sent with it.
    """

    event: Literal["asked"] = "asked"
    path: str
    clock: int
    role: str
    parts: tuple[Part, ...]
    sampling: Sampling = Sampling()
    schema: dict[str, JSON] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call of a named tool of the world.

    Attributes
    ----------
    path, clock
        As in `Asked`.
    tool : str
        Its name in the world.
    args : dict
        Its keyword arguments, as JSON.
    """

    event: Literal["called"] = "called"
    path: str
    clock: int
    tool: str
    args: dict[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """A question to a human; `options` is empty where any text will do.

    Attributes
    ----------
    path, clock
        As in `Asked`.
    prompt : str
        The question.
    options : tuple of str
        Of which the answer is one.
    """

    event: Literal["consulted"] = "consulted"
    path: str
    clock: int
    prompt: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A domain fact. `kind` is the fact's class name and `data` its fields as JSON.

    `sources` are the paths of the events that the fact was drawn from.

    Attributes
    ----------
    path : str
        Where in the run; the source of what is quoted from the fact.
    clock : int
        As in `Asked`.
    kind : str
    data : dict
    sources : tuple of str
    """

    event: Literal["posted"] = "posted"
    path: str
    clock: int
    kind: str
    data: dict[str, JSON]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The protocol returned (`result`), or raised (`error`).

    Attributes
    ----------
    clock : int
        As in `Asked`.
    status : {"complete", "failed"}
        ``failed`` if it raised.
    result : JSON
        What it returned.
    error : str or None
        The class of the exception and its message.
    """

    event: Literal["run_ended"] = "run_ended"
    clock: int
    status: Literal["complete", "failed"]
    result: JSON = None
    error: str | None = None


UNSAID = "unsaid"
"""The `finish_reason` of a server that gives none; None would be left out of a line of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A language model's reply to the ask at `path`, exactly as it came.

    Attributes
    ----------
    text : str
        The raw reply; empty for a refusal with no text.
    finish_reason : str
        ``stop``, ``length``, ``content_filter``, ``refusal`` or what the server said; ``unsaid``
        if it said nothing.
    model, fingerprint : str or None
        As the server named itself.
    tokens_in, tokens_out, tokens_cached : int or None
        Tokens read, written, and of those read, served from the server's cache. None if unsaid.
    cost_usd : float or None
        None where the price is unknown, never 0 for that.
    latency_s : float or None
        *Metadata*: seconds from request to reply, the last attempt alone.
    attempts : int
        *Metadata*: requests sent, the failed ones included.
    origin : str or None
        *Metadata*: the digest of the run that paid for the answer, where it was not this one.
    unsent : tuple of str or None
        *Metadata*: what of the ask's sampling was left out, since the endpoint refuses it.
    """

    event: Literal["answered"] = "answered"
    path: str
    text: str
    finish_reason: str = "stop"
    model: str | None = None
    fingerprint: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = field(default=None, compare=False)
    attempts: int = field(default=1, compare=False)
    at: float | None = field(default=None, compare=False)
    origin: str | None = field(default=None, compare=False)
    unsent: tuple[str, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The world gave no answer at `path`. The protocol never sees this: a resume asks again.

    Attributes
    ----------
    path : str
        Of the ask, call or consultation.
    error : str
        The class of the exception.
    message : str
        What it said.
    attempts : int
        *Metadata*: requests sent.
    at : float or None
        *Metadata*: when, in seconds since 1970 (UTC).
    """

    event: Literal["failed"] = "failed"
    path: str
    error: str
    message: str
    attempts: int = field(default=1, compare=False)
    at: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a tool returned.

    Attributes
    ----------
    path : str
        Of the call.
    value : JSON
    latency_s : float or None
        *Metadata*: seconds that the tool took.
    at : float or None
        *Metadata*: when, in seconds since 1970 (UTC).
    origin : str or None
        *Metadata*: as in `Answered`.
    """

    event: Literal["returned"] = "returned"
    path: str
    value: JSON = None
    latency_s: float | None = field(default=None, compare=False)
    at: float | None = field(default=None, compare=False)
    origin: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a human answered.

    Attributes
    ----------
    path : str
        Of the consultation.
    text : str
    at, origin
        *Metadata*: as in `Returned`.
    """

    event: Literal["said"] = "said"
    path: str
    text: str
    at: float | None = field(default=None, compare=False)
    origin: str | None = field(default=None, compare=False)


Answer = Answered | Returned | Said
"""An input that a protocol is sent."""
Command = Asked | Called | Consulted
"""A derived event that waits for an answer."""
Derived = Asked | Called | Consulted | Posted | RunEnded
Event = RunStarted | Derived | Answer | Failed

METADATA = ("at", "latency_s", "attempts", "origin", "unsent")
_METADATA = set(METADATA)
ANSWERS = get_args(Answer)
COMMANDS = get_args(Command)
DERIVED = get_args(Derived)
KINDS: dict[str, Any] = {
    kind.__dataclass_fields__["event"].default: kind for kind in get_args(Event)
}
"""The classes of events, by the name that a line of a run file gives them."""

adapter: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])
"""Validates and dumps any event; `adapter.json_schema()` is the vocabulary's schema."""


def plain(event: Event, *, metadata: bool = True) -> dict[str, JSON]:
    """Return `event` as a JSON dict; `metadata=False` leaves out what equality leaves out."""
    out: dict[str, JSON] = adapter.dump_python(event, mode="json")
    if not metadata:
        for name in METADATA:
            out.pop(name, None)
    return out


def canonical(event: Event) -> bytes:
    """Return the bytes of `event` that a run's digest is made of.

    Metadata has no part in them, nor have fields at their defaults: a field that a later format
    adds does not change the digest of an older run.
    """
    name = event.event
    return name.encode() + _writers[name](event, exclude=_METADATA, exclude_defaults=True)


_writers = {name: TypeAdapter(kind).serializer.to_json for name, kind in KINDS.items()}
