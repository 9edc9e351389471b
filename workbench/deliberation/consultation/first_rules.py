"""The first rules of two conclusions, laxer than today's: what looks compatible or contradictory.

Recorded sessions hold what these rules made of their reports (`Synthesised`), so they are kept as
they were, and not mended: without them no such session would follow from its answers. They are also
what a coherence map of a corpus looks for contradictions with, where a suspicion is wanted and
nothing is decided. They take equal figures for agreement, and the words of two conclusions for
alike where most are; what a session comes to is told by `relation`.

The first rule of `RULES` that applies decides. Where one conclusion names a condition and the other
does not, values and polarity decide nothing. Every rule is symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from workbench.deliberation.consultation.reading import Reading
from workbench.deliberation.consultation.relation import UNDECIDED, Kind, Relation

TOPIC = 0.3
"""Share of the shorter conclusion's content words that two must have in common to be about one
thing, where values decide. Two paraphrases of one statement seldom have less."""
SAME_WORDS = 0.5
"""Jaccard similarity of content words from which polarity alone decides, where one conclusion's
words are all in the other: where each has a word of its own (manager, director) that word may be
the whole difference."""


Rule = Callable[[Reading, Reading], Kind | None]


def relate(one: Reading, other: Reading) -> Relation:
    """Return the relation of two conclusions by the first rules."""
    for name, rule in RULES:
        if (kind := rule(one, other)) is not None:
            return _TOLD[kind, name]
    return UNDECIDED


def _sub_query(one: Reading, other: Reading) -> Kind | None:
    return "different_question" if one.sub_query != other.sub_query else None


def _words(one: Reading, other: Reading) -> Kind | None:
    return "compatible" if one.normal == other.normal else None


def _stated_or_not(one: Reading, other: Reading) -> Kind | None:
    if one.absent and other.absent:
        return "compatible"
    return "contradictory" if one.absent != other.absent else None


def _options(one: Reading, other: Reading) -> Kind | None:
    if not one.options or not other.options:
        return None
    if one.options == other.options:
        return "compatible" if one.sign == other.sign else None
    if one.options & other.options or one.sign != other.sign:
        return None
    return "contradictory" if one.sign == 1 else None


def _yes_or_no(one: Reading, other: Reading) -> Kind | None:
    return "contradictory" if one.lead * other.lead == -1 else None


def _dates(one: Reading, other: Reading) -> Kind | None:
    if not one.days or not other.days or not _one_thing(one, other):
        return None
    if one.conditional != other.conditional:
        return None
    apart = all(a.conflicts(b) for a in one.days for b in other.days)
    return "contradictory" if apart else None


def _numbers(one: Reading, other: Reading) -> Kind | None:
    if not one.quantities or not other.quantities or not _one_thing(one, other):
        return None
    if one.conditional != other.conditional:  # 30 days, and 60 if you lead a team
        return None
    mine, theirs = one.by_unit, other.by_unit
    apart = any(_disjoint(mine[unit], theirs[unit]) for unit in mine.keys() & theirs.keys())
    return "contradictory" if apart else None


def _negation(one: Reading, other: Reading) -> Kind | None:
    if one.sign == other.sign or one.lead * other.lead or one.conditional != other.conditional:
        return None
    return "contradictory" if _alike(one, other) else None


def _same_values(one: Reading, other: Reading) -> Kind | None:
    """Apply where all that rules can compare is equal, and something is there to compare."""
    if one.sign != other.sign or not _one_thing(one, other):
        return None
    mine, theirs = one.by_unit, other.by_unit
    shared = mine.keys() & theirs.keys()
    if shared and all(_equal(mine[unit], theirs[unit]) for unit in shared):
        return "compatible"
    if one.days and other.days:
        return "compatible" if len(one.days) == len(other.days) == 1 else None
    is_bare = not (one.quantities or other.quantities or one.days or other.days)
    return "compatible" if is_bare and one.lead and one.lead == other.lead else None


def _content(one: Reading, other: Reading) -> Kind | None:
    if one.sign != other.sign or one.lead * other.lead == -1:
        return None
    if (one.quantities, one.days) != (other.quantities, other.days):
        return None
    if one.conditional != other.conditional:
        return None
    return "compatible" if _alike(one, other) else None


def _units(one: Reading, other: Reading) -> Kind | None:
    """Tell values of different kinds apart: an amount of money is no answer to how long."""
    mine = {q.unit for q in one.quantities if q.unit}
    theirs = {q.unit for q in other.quantities if q.unit}
    if mine and theirs and not mine & theirs and not one.topic & other.topic:
        return "different_question"
    return None


RULES: tuple[tuple[str, Rule], ...] = (
    ("sub_query", _sub_query),
    ("words", _words),
    ("stated_or_not", _stated_or_not),
    ("options", _options),
    ("yes_or_no", _yes_or_no),
    ("dates", _dates),
    ("numbers", _numbers),
    ("negation", _negation),
    ("values", _same_values),
    ("content", _content),
    ("units", _units),
)
"""In the order in which they are tried."""
_TOLD: dict[tuple[Kind, str], Relation] = {
    (kind, name): Relation(kind, name) for kind in get_args(Kind) for name, _ in RULES
}
"""Made once: a session of many findings has them by the ten thousand."""


def _equal(one: frozenset[tuple[str, float]], other: frozenset[tuple[str, float]]) -> bool:
    """Return whether the values are the same; a bound may be left out, but not turned round."""
    is_same = {value for _, value in one} == {value for _, value in other}
    return is_same and not _turned(one, other)


def _disjoint(one: frozenset[tuple[str, float]], other: frozenset[tuple[str, float]]) -> bool:
    """Return whether no value of one can be meant by the other.

    ``at least 20`` and ``30`` may both hold, so that a bound against another kind of bound decides
    only where it is turned round: ``at most 30`` against ``at least 30``.
    """
    if {value for _, value in one} & {value for _, value in other}:
        return _turned(one, other) and len(one) == len(other) == 1
    return {bound for bound, _ in one} == {bound for bound, _ in other}


def _turned(one: frozenset[tuple[str, float]], other: frozenset[tuple[str, float]]) -> bool:
    return any(a and b and a[0] != b[0] and value == same for a, value in one for b, same in other)


def _one_thing(one: Reading, other: Reading) -> bool:
    """Return whether two conclusions are about one thing: a bare value is about what was asked."""
    least = min(len(one.topic), len(other.topic))
    return least == 0 or len(one.topic & other.topic) >= TOPIC * least


def _alike(one: Reading, other: Reading) -> bool:
    common = one.topic & other.topic
    if len(common) < min(len(one.topic), len(other.topic)):
        return False
    return bool(common) and len(common) >= SAME_WORDS * len(one.topic | other.topic)
