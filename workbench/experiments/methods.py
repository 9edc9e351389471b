"""The methods that a benchmark compares, by short names, each with parameters of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from workbench.engine.protocol import Bound, find_protocol
from workbench.errors import ProtocolError
from workbench.record.events import JSON

if TYPE_CHECKING:
    from workbench.datasets.item import Item

METHODS = {
    "direct": "direct",
    "cot": "chain_of_thought",
    "vote": "self_consistency",
    "refine": "self_refine",
    "debate": "multi_agent_debate",
    "mixture": "mixture_of_agents",
    "reconcile": "reconcile",
    "discover": "self_discover",
    "react": "react",
    "maven": "maven",
}
"""Short names of the protocols that answer a question; another protocol goes by its own name."""


@dataclass(frozen=True, slots=True)
class Method:
    """A protocol with the parameters that all its runs share.

    Attributes
    ----------
    label : str
        As results name it: what was given to `parse`.
    protocol : str
        The registered name. It takes ``question`` and ``options``.
    params : dict
        Of every run.

    Examples
    --------
    >>> Method.parse("maven:max_iterations=1").params
    {'max_iterations': 1}
    """

    label: str
    protocol: str
    params: dict[str, JSON] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Method:
        """Read ``NAME`` or ``NAME:PARAM=VALUE:...``, where a value is JSON or else a text.

        Raises
        ------
        ValueError
            If it names none, or a parameter is given twice.
        """
        name, *given = re.split(r":\s*(?=[A-Za-z_]\w*=)", text.strip())
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise ValueError(f"{text!r} names no method; there are {', '.join(METHODS)}")
        params: dict[str, JSON] = {}
        for one in given:
            key, _, value = one.partition("=")
            if key in params:
                raise ValueError(f"{text}: {key} is given twice")
            try:
                params[key] = json.loads(value)
            except ValueError:
                params[key] = value
        return cls(text.strip(), METHODS.get(name, name), params)

    def bound(self, item: Item) -> Bound[Any]:
        """Return the protocol with this item's question and options.

        Raises
        ------
        UnknownProtocol, ProtocolError
            If there is no such protocol, or it does not take these parameters.
        """
        made: Any = find_protocol(self.protocol)
        try:
            bound: Bound[Any] = made(question=item.question, options=item.options, **self.params)
        except TypeError as error:  # a parameter that it does not have, or one that it needs
            raise ProtocolError(f"{self.label}: {error}") from None
        return bound

    @property
    def folder(self) -> str:
        """A name for the folder of its runs: the label, where a folder can have that name."""
        plain = re.sub(r"[^A-Za-z0-9._=-]+", "_", self.label)[:60]
        if plain == self.label and plain.strip("."):
            return plain
        return f"{plain}-{blake2b(self.label.encode(), digest_size=3).hexdigest()}"


def methods(given: str | Iterable[str | Method]) -> tuple[Method, ...]:
    """Return methods from a list of them, or from ``direct,cot,maven:max_iterations=1``.

    Raises
    ------
    ValueError
        If there is none, or one is there twice.
    """
    if isinstance(given, str):
        given = re.split(r",\s*(?=[A-Za-z_]\w*\s*(?:[:,]|$))", given.strip())
    made = tuple(one if isinstance(one, Method) else Method.parse(one) for one in given)
    folders = [one.folder.lower() for one in made]
    twice = sorted({one.label for one in made if folders.count(one.folder.lower()) > 1})
    if twice or not made:
        raise ValueError(f"{', '.join(twice)}: is there twice" if twice else "no method is given")
    return made
