"""Whether a session has what Invariant 1 asks for: three interpreters from two model families.

Decisions:

- Section 7 asks for different training and lineage: generations of one line of models (``qwen2.5``
  and ``qwen3``) count as one family. Files keep the families that they were recorded with.
- A model whose name tells no family counts for none until it is given one (``family=``).
- The families of scripts and rule readers are those that the researcher sets. They count, since
  nothing else can tell them apart, and every output says which interpreters are scripts.
- Who has not reported does not count, whether it was lost or the session did not come to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.deliberation.consultation.facts import ROLE, Interpreted, NotInterpreted
from workbench.record.families import UNKNOWN, family_of, lineage_of
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
    >>> shortcomings(["qwen2.5", "qwen3", "unknown"])
    ('1 model family (qwen2.5, qwen3: one lineage; 1 unknown, give family=), and 2 are the least',)
    """
    why = []
    if (n := len(families)) < LEAST_INTERPRETERS:
        why.append(
            f"{n} interpreter{'' if n == 1 else 's'}, and {LEAST_INTERPRETERS} are the least"
        )
    known = sorted(set(families) - {UNKNOWN})
    lineages = {lineage_of(family) for family in known}
    if len(lineages) < LEAST_FAMILIES:
        told = f"model {'family' if len(lineages) == 1 else 'families'}"
        named = ", ".join(known) + (": one lineage" if len(known) > 1 else "")
        unknown = f"{families.count(UNKNOWN)} unknown, give family="
        named = "; ".join(filter(None, (named, unknown if UNKNOWN in families else "")))
        named = f" ({named})" if named else ""
        why.append(f"{len(lineages)} {told}{named}, and {LEAST_FAMILIES} are the least")
    return tuple(why)


def families_of(run: Run) -> dict[int, str]:
    """Return the model family of each interpreter of a run, as the run recorded its models."""
    models = run.started.models
    found = {}
    for number in interpreters_of(run):
        model: Mapping[str, object] = models.get(f"{ROLE}={number}") or models.get("*") or {}
        found[number] = str(model.get("family") or family_of(str(model.get("model") or "")))
    return found


def scripted_in(run: Run) -> tuple[int, ...]:
    """Return the numbers of the interpreters that are scripts, such as readers by rules."""
    models = run.started.models
    return tuple(
        number
        for number in interpreters_of(run)
        if (models.get(f"{ROLE}={number}") or models.get("*") or {}).get("kind") == "scripted"
    )


def interpreters_of(run: Run) -> range:
    """Return the numbers of the interpreters that a run was bound to."""
    return range(1, len(run.started.params.get("families", ())) + 1)


def conformance(run: Run) -> tuple[str, ...]:
    """Return why a session is not conformant: its models, what it said of them, or who is missing.

    Empty for a conformant session. What counts are the models that the run recorded, and those
    interpreters that reported; one whose endpoint failed, in a run that did not end, did not.
    """
    actual = families_of(run)
    told = tuple(run.started.params.get("families", ()))
    why = list(shortcomings([actual[n] for n in actual]))
    if told != tuple(actual.values()):
        why.append(
            f"bound to the families {', '.join(told)}; answered by {', '.join(actual.values())}"
        )
    reported = {Interpreted.read(fact).interpreter for fact in run.facts_of("Interpreted")}
    lost = {NotInterpreted.read(fact).interpreter for fact in run.facts_of("NotInterpreted")}
    if gone := lost.union(actual.keys() - reported):
        left = [family for n, family in actual.items() if n not in gone]
        more = [w for w in shortcomings(left) if w not in why]
        why += [f"without a report of interpreter {_names(gone)}: {w}" for w in more]
    if waiting := gone - lost:
        why.append(f"interpreter {_names(waiting)} did not report: the session did not end")
    return tuple(why)


def _names(numbers: Iterable[int]) -> str:
    return ", ".join(str(n) for n in sorted(numbers))
