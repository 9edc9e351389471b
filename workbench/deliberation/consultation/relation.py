"""Compatible, contradictory or another question: what rules can tell of two conclusions.

Section 3.3 leaves structural compatibility and contradiction undefined. Decision: rules decide only
where nothing but the values has to be compared. Two conclusions on one sub-query are compatible by
rule if they say the same, word for word but for articles, inflection and how a figure is written;
contradictory if they say the same of the same but for one value, and that differs (`wording` has
what "the same" is, and which few values count). All else is undecided, however likely: a comparer
model may decide it (`comparison`), in a run of its own, and it cannot overrule a rule. Until then
the pair is in no class.

What two sub-queries ask may be told apart by nothing in their answers ("the maximum is 50 euros").
So conclusions that name two sub-queries, or none that is known, neither agree nor contradict by
rule, whatever their words. Two that have a subject of their own, name two sub-queries, and have
neither a word in common nor figures of one kind, answer two questions.

Every rule is symmetric, "the same" is transitive, and none reads how sure an interpreter was or how
many agree.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from workbench.deliberation.consultation.reading import Reading

Kind = Literal["compatible", "contradictory", "different_question", "undecided"]


class Relation(NamedTuple):
    """What two conclusions are to each other, and the rule that told."""

    kind: Kind
    rule: str


RULES = (
    "words",
    "values",
    "content",
    "stated_or_not",
    "options",
    "yes_or_no",
    "negation",
    "numbers",
    "dates",
    "sub_query",
)
"""The names of the rules; of those that apply to a pair the first is told.

``words``, ``values`` (with figures) and ``content`` (without): two say the same. ``stated_or_not``:
both say that the passages do not say.
``options``: both are an option of the question. ``yes_or_no``, ``negation``, ``numbers``,
``dates``: the value that differs. ``sub_query``: two questions.
"""
UNDECIDED = Relation("undecided", "")
_TOLD: dict[tuple[Kind, str], Relation] = {
    (kind, name): Relation(kind, name) for kind in get_args(Kind) for name in RULES
}
"""Made once: a session of many findings has them by the ten thousand."""


def relate(one: Reading, other: Reading) -> Relation:
    """Return the relation of two conclusions.

    Examples
    --------
    >>> from workbench.deliberation.consultation.reading import read_conclusion
    >>> a = read_conclusion("Q1", "Notice is 30 days.")
    >>> b = read_conclusion("Q1", "The notice period is thirty days.")
    >>> c = read_conclusion("Q1", "The notice is sixty days.")
    >>> relate(a, b).kind, relate(a, c)
    ('undecided', Relation(kind='contradictory', rule='numbers'))
    """
    a, b = one.wording, other.wording
    if a.key is not None and a.key == b.key:
        return _TOLD["compatible", "words" if one.normal == other.normal else a.rule]
    for name, axis, pole in a.axes:
        for same, other_axis, other_pole in b.axes:
            if name == same and axis == other_axis and pole != other_pole:
                return _TOLD["contradictory", name]
    if one.sub_query == other.sub_query or a.key is None or b.key is None:
        return UNDECIDED
    is_other = a.content.isdisjoint(b.content) and a.kinds.isdisjoint(b.kinds)
    if is_other and a.is_whole and b.is_whole:
        return _TOLD["different_question", "sub_query"]
    return UNDECIDED
