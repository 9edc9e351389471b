"""Whether a session has what Invariant 1 asks for: three interpreters from two model families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.deliberation.consultation.facts import ROLE, NotInterpreted
from workbench.record.run import Run

LEAST_INTERPRETERS, LEAST_FAMILIES = 3, 2
"""Sections 3.3 ("hard minimum") and 7 (Invariant 1)."""


def shortcomings(families: Sequence[str]) -> tuple[str, ...]:
    """Return why interpreters of these model families, one each, are not conformant; empty if so.

    Examples
    --------
    >>> shortcomings(["qwen2.5", "smollm2", "qwen2.5"])
    ()
    >>> shortcomings(["qwen2.5", "qwen2.5"])
    ('2 interpreters, and 3 are the least', '1 model family (qwen2.5), and 2 are the least')
    """
    why = []
    if (n := len(families)) < LEAST_INTERPRETERS:
        why.append(
            f"{n} interpreter{'' if n == 1 else 's'}, and {LEAST_INTERPRETERS} are the least"
        )
    known = sorted(set(families))
    if len(known) < LEAST_FAMILIES:
        told = f"model {'family' if len(known) == 1 else 'families'}"
        named = f" ({', '.join(known)})" if known else ""
        why.append(f"{len(known)} {told}{named}, and {LEAST_FAMILIES} are the least")
    return tuple(why)


def families_of(run: Run) -> dict[int, str]:
    """Return the model family of each interpreter of a run, as the run recorded its models."""
    models = run.started.models
    found = {}
    for number in interpreters_of(run):
        model: Mapping[str, object] = models.get(f"{ROLE}={number}") or models.get("*") or {}
        found[number] = str(model.get("family") or model.get("model") or "unknown")
    return found


def interpreters_of(run: Run) -> range:
    """Return the numbers of the interpreters that a run was bound to."""
    return range(1, len(run.started.params.get("families", ())) + 1)


def conformance(run: Run) -> tuple[str, ...]:
    """Return why a session is not conformant: its models, what it said of them, or who was lost.

    Empty for a conformant session. What counts are the models that the run recorded, and those
    interpreters that reported.
    """
    actual = families_of(run)
    told = tuple(run.started.params.get("families", ()))
    why = list(shortcomings([actual[n] for n in actual]))
    if told != tuple(actual.values()):
        why.append(
            f"bound to the families {', '.join(told)}; answered by {', '.join(actual.values())}"
        )
    lost = [NotInterpreted.read(fact).interpreter for fact in run.facts_of("NotInterpreted")]
    if lost:
        left = [family for n, family in actual.items() if n not in lost]
        more = [w for w in shortcomings(left) if w not in why]
        names = ", ".join(str(n) for n in sorted(lost))
        why += [f"without a report of interpreter {names}: {w}" for w in more]
    return tuple(why)
