"""A protocol bound to what the command line says of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli.output import UsageError
from workbench.errors import ProtocolError

if TYPE_CHECKING:
    from workbench.engine.protocol import Bound

FLAGS = {
    "bilayer": "case turns mode searches passages words history tokens temperature".split(),
    "maven": "question options corpus passages words temperature".split(),
    **dict.fromkeys(
        "direct cot vote refine debate mixture reconcile discover".split(),
        "question options words temperature".split(),
    ),
    "react": "question options corpus passages words temperature".split(),
}
"""What each protocol is told by flags of their own; all else by ``--param``. Baselines go by the
short names that a benchmark has for them."""


def bound_of(args: argparse.Namespace) -> Bound[Any]:
    """Return the protocol that the arguments name, with its parameters.

    Raises
    ------
    UsageError
        If a flag or parameter is another protocol's, is missing, or is given twice.
    """
    own = FLAGS[args.protocol]
    given = {
        name: value
        for flags in FLAGS.values()
        for name in flags
        if (value := getattr(args, name)) is not None
    }
    lost = [name for name in given if name not in own]
    if lost:
        raise UsageError(f"--{lost[0]} does not go with {args.protocol}")
    needed = "case" if args.protocol == "bilayer" else "question"
    if needed not in given:
        raise UsageError(f"{args.protocol} needs --{needed}")
    names = [*given, *(name for name, _ in args.param)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{twice[0]} is given twice")
    params: dict[str, Any] = given | dict(args.param)
    try:
        return _bilayer(params) if args.protocol == "bilayer" else _answering(args.protocol, params)
    except (ProtocolError, TypeError) as error:
        raise UsageError(str(error)) from None


def _bilayer(params: dict[str, Any]) -> Bound[Any]:
    from workbench.agents.bilayer import bilayer
    from workbench.agents.case import Case

    return bilayer(Case.read(params.pop("case")), **params)


def _answering(name: str, params: dict[str, Any]) -> Bound[Any]:
    from workbench.engine.protocol import find_protocol
    from workbench.experiments.methods import METHODS

    made: Any = find_protocol(METHODS[name])
    if "corpus" in params:
        from workbench.knowledge.corpus import Corpus

        params.setdefault("passport", Corpus.read(params["corpus"]).passport.sha256)
    bound: Bound[Any] = made(**params)
    return bound
