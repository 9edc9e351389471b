"""What a conclusion says, as a key: two that have one key say the same, and rules may tell so.

A key holds the sub-query's label and every word of the conclusion in its order, but for articles
and inflection (plural, third person, past), with each figure in its place, with its bound, unit and
value. So a key tells am from pm, before from after, a day from a week, increases from decreases,
and whose figure it is. ``X is 5`` is ``5 is X`` and ``X: 5``, and such an X may be ``notice of
staff`` or ``staff notice``; else the order of words counts.

Where two keys differ nothing follows, but along an *axis*: the key with one thing taken out, and a
*pole*, what was taken out. Two conclusions on one axis with different poles say the same of the
same, except for the value, and that differs: they contradict. Few conclusions are on any:

- ``numbers``, ``dates``: the one figure of a conclusion is on an axis if the conclusion is nothing
  else (``30 days``, ``up to 30 days``) and the sub-query asks for one (how many, what is the), or a
  plain subject, then is, has, costs, lasts or is paid, and then the figure without a bound, and
  nothing behind its unit but words of the sub-query, prepositions, units, and ``per``, ``a``,
  ``each`` with a word (``notice is 30 days in each year``; in ``30 days minimum`` there is more).
  A date or time follows on ``is`` or a colon alone, or is what something must be done by, if all
  words before ``by`` are in the sub-query; its subject has no plural. Where the sub-query asks for
  several (which days, hours on weekdays and on Sundays), no figure is on an axis. Weeks and days
  are on two: 5 weeks of leave are 25 days to some.
- ``negation``: a plain subject, an auxiliary verb (is, has, can, must, ...) with its ``not`` or
  without it, or with its like after ``is`` (prohibited), and one word more. What follows on that
  word has to be particles, prepositions, what ``the`` determines, and words of the sub-query (be
  and have are not counted). "It is not the case that" denies any clause.
- A plain subject is ``the`` or ``this`` and at most two words, or one word, or words that stand in
  a row in the sub-query. None of these is a quantity, an indefinite pronoun or a conjunction. No
  comma, semicolon, parenthesis, condition or ``who`` is in the conclusion: it is one clause, of one
  thing or of all of a kind. So "certain rooms", "part of the fee" and "a fee" are on no axis.
- ``yes_or_no``, ``options``: what is that answer and nothing more (`answers`), where the sub-query
  has no negation, and does not ask for several. An answer word before a sentence is a part of the
  key, and puts it on none of these axes.
- What says that the passages do not say is on no axis: ``No`` may be true where nothing is stated,
  and one passage says what another does not.
- What can be read in two ways, or may be one of many, is on no axis of values (`doubts`).
- What names no sub-query that is known is on no axis, and has no key: nobody knows what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from workbench.deliberation.consultation import doubts
from workbench.deliberation.consultation.answers import plainly, polarity, unsaid
from workbench.deliberation.consultation.figures import KINDS, Figure, row
from workbench.deliberation.consultation.quantities import UNITS, Day, Quantity, undated
from workbench.deliberation.consultation.stems import (
    FINITE,
    PER,
    PRONOUNS,
    VERBS,
    base,
    is_content,
    said,
)

_WHOLE = "negation"
_STATING = frozenset((":", "is", "are", "has", "have", "costs", "cost", "lasts", "last"))
_PAID = (["is", "paid"], ["are", "paid"])
"""A figure at once after one of these is what is stated."""
_DEFINITE = frozenset(("the", "this"))
_VAGUE = frozenset(
    "they he she you we these those there here others other both half part none nothing nobody "
    "everyone everything someone something anyone anything one neither either such more less "
    "much who which that whose what and or not no".split()
)
"""With one of these in it, or a word of `_MANY`, a subject is not plain."""
_JOINTS = frozenset("at by in on of for to from with within over up out off".split())
_RELATIVE = frozenset("who which that whose".split())
_CONDITION = frozenset(
    "if unless when where while once until provided except only but depending subject sometimes "
    "partly although though".split()
)
_MANY = frozenset(
    "some many most few several all each every any and or with without because never".split()
)
"""With these in it, the opposite of a clause is not the clause with ``not``."""
_DENIED = re.compile(
    r"\W*it is (?:not the case(?: that\b|:)|(?:not (?:true|so)|false|untrue) that\b)\W*(?=\w)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[,;()]")
_LEAD = re.compile(r"\W*(yes|no|true|false)\b[,.;:!]?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Wording:
    """What a conclusion says.

    Attributes
    ----------
    key : tuple or None
        The same for two that say the same; None where nobody knows what it answers.
    axes : tuple of (rule, axis, pole)
        Two with one axis and different poles contradict.
    rule : str
        By which two with this key are compatible.
    words : tuple of str
        As they stand in a key.
    values : tuple of Quantity or Day
        Its figures, with their bounds.
    is_sure : bool
        It cannot be read in two ways.
    is_absent : bool
        It says that the passages do not say, and nothing more.
    """

    key: tuple[object, ...] | None
    axes: tuple[tuple[str, tuple[object, ...], object], ...]
    rule: str
    words: tuple[str, ...]
    values: tuple[Quantity | Day, ...]
    is_sure: bool
    is_absent: bool

    @cached_property
    def content(self) -> frozenset[str]:
        """Its words that are no links, pronouns or figures; none where it is absent."""
        return frozenset() if self.is_absent else frozenset(filter(is_content, self.words))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What its figures measure: time, money, length; empty where it can be read in two ways."""
        kinds = ("time" if isinstance(v, Day) else KINDS.get(v.unit, "number") for v in self.values)
        return frozenset(kinds) if self.is_sure else frozenset()

    @property
    def figures(self) -> frozenset[object]:
        """Its values, as `figures.figures` gives them."""
        return frozenset(v if isinstance(v, Day) else v[1:] for v in self.values)

    @property
    def is_whole(self) -> bool:
        """Whether it says itself what it is about: a subject, and what of it."""
        is_named = len(self.content) >= 2 and self.words[0] not in PRONOUNS
        return is_named and not VERBS.isdisjoint(self.words)

    @property
    def frame(self) -> tuple[object, ...] | None:
        """The key with the bounds and units in place of the figures; None where it has none."""
        is_framed = self.rule == "values" and self.is_sure and self.values
        if not is_framed or self.key is None or "denied" in self.key[:2]:
            return None
        return (*self.key[:3], *(None if isinstance(v, Day) else v[:2] for v in self.values))


def wording(
    label: str,
    text: str,
    *,
    lead: int = 0,
    option: int | None = None,
    asked: str = "",
) -> Wording:
    """Return what a conclusion says.

    Parameters
    ----------
    label : str
        Of the sub-query that it answers; empty where it names none that is known.
    lead : int
        1 where it begins with yes, -1 with no, as an answer.
    option : int, optional
        The option of the question that it is.
    asked : str
        The text of the sub-query.

    Examples
    --------
    >>> one = wording("Q1", "Staff notice is 30 days.")
    >>> one.key == wording("Q1", "The notice of staff is thirty days").key
    True
    """
    if (denied := _DENIED.match(text)) is not None:
        of = wording(label, text[denied.end() :], asked=asked)
        if of.key is None:
            return replace(of, is_absent=False)
        said_of = ((_WHOLE, (label, of.key), 1),)
        return replace(of, key=(label, "denied", of.key), axes=said_of, is_absent=False)
    yes, absent = polarity(text), unsaid(text)
    plain = plainly(undated(text))
    begun = _LEAD.match(text) if lead and not yes else None
    given = row(text[begun.end() :] if begun else text)
    words, values = said(given)
    is_sure = not doubts.is_ambiguous(text)
    axes: list[tuple[str, tuple[object, ...], object]] = []
    key: tuple[object, ...]
    if option is not None:
        key, rule = (label, "options", option), "options"
        if not doubts.asks_for_several(asked):
            axes.append((rule, (label,), option))
    elif yes:
        key, rule = (label, "yes_or_no", yes), "content"
    elif absent and absent.is_all and not doubts.asks_what_is_said(asked):
        key, rule = (label, "stated_or_not"), "stated_or_not"
    elif words and is_sure:
        key, rule = (label, begun and begun[1].casefold(), words, values), "values"
    else:
        key, rule = (label, "as written", plainly(text) or text), "values"
    if not values and rule == "values":
        rule = "content"
    if yes and not doubts.is_negated(asked) and not doubts.asks_for_several(asked):
        axes.append(("yes_or_no", (label,), yes))
    is_plain = is_sure and not begun and not _PARTS.search(plain)
    if is_plain and not doubts.is_one_of_many(given):
        unit = doubts.is_in_weeks(plain)
        found = _values(given, words, values, asked)
        axes += [(name, (label, unit, *axis), pole) for name, axis, pole in found]
    axes.append((_WHOLE, (label, key), 0))
    return Wording(
        key if label else None,
        tuple(axes) if label else (),
        rule,
        words,
        values,
        is_sure,
        absent is not None,
    )


def _values(
    given: list[str | Figure],
    words: tuple[str, ...],
    values: tuple[Quantity | Day, ...],
    asked: str,
) -> Iterator[tuple[str, tuple[object, ...], object]]:
    """Yield the axes of a plain negation, and of the one figure that is stated."""
    own = _words_of(asked)
    if not (_CONDITION | _RELATIVE).isdisjoint(words):
        return
    if _is_plain(given, words, own):
        axis = (*(word for word in words if word != "not"), *values)
        yield "negation", axis, words.count("not")
    count = sum(isinstance(one, Figure) for one in given)
    if len(values) != 1 or count != 1 or doubts.asks_for_several(asked):
        return
    if doubts.asks_for_one(asked) if len(given) == 1 else _is_stated(given, own):
        value = values[0]
        if isinstance(value, Day):
            yield "dates", (*words, *(part is None for part in value)), value
        else:
            yield "numbers", (*words, *value[:2]), value.value


def _is_plain(given: list[str | Figure], words: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether the opposite of a clause is the clause with ``not``."""
    at = next((n for n, one in enumerate(given) if one in FINITE), 0)
    if words.count("not") > 1 or "(not)" in words or not _MANY.isdisjoint(words):
        return False
    rest = [one for one in given[at + 1 :] if one not in ("not", "be", "have")]
    return (
        bool(rest)
        and _is_subject(given[:at], own)
        and all(
            one in _JOINTS
            or one in _DEFINITE
            or before in _DEFINITE
            or (isinstance(one, str) and base(one) in own)
            for before, one in pairwise(rest)
        )
    )


def _is_stated(given: list[str | Figure], own: tuple[str, ...]) -> bool:
    """Return whether a conclusion of one figure states it."""
    at, value = next((n, one.value) for n, one in enumerate(given) if isinstance(one, Figure))
    before, behind = given[:at], given[at + 1 :]
    is_bound = not isinstance(value, Day) and bool(value.bound)
    if not before or is_bound or not _adds_nothing(behind, own):
        return False
    if isinstance(value, Day) or value.unit == "clock":
        if doubts.has_plural(before):
            return False
        if "must" in before and before[-1] == "by":
            return not behind and all(base(str(one)) in own for one in before if one != "by")
        return before[-1] in ("is", ":") and not behind and _is_subject(before[:-1], own)
    if before[-2:] in _PAID:
        return _is_subject(before[:-2], own)
    return before[-1] in _STATING and _is_subject(before[:-1], own)


def _adds_nothing(behind: list[str | Figure], own: tuple[str, ...]) -> bool:
    """Return whether what stands behind a figure says only of what, as the sub-query does."""
    return all(
        one in _JOINTS
        or one in _DEFINITE
        or one in PER
        or (n > 0 and behind[n - 1] in PER)
        or (isinstance(one, str) and (one in UNITS or base(one) in own))
        for n, one in enumerate(behind)
    )


def _is_subject(subject: list[str | Figure], own: tuple[str, ...]) -> bool:
    """Return whether a subject is plain: one thing, or all of a kind (see the module)."""
    is_definite = bool(subject) and subject[0] in _DEFINITE
    named = [one for one in subject[is_definite:] if isinstance(one, str)]
    if not named or len(named) + is_definite < len(subject):
        return False
    if not (_VAGUE | _MANY).isdisjoint(named):
        return False
    is_own = f" {' '.join(map(base, named))} " in f" {' '.join(own)} "
    return len(named) <= (2 if is_definite else 1) or is_own


@lru_cache(maxsize=1024)
def _words_of(asked: str) -> tuple[str, ...]:
    return tuple(base(one) for one in row(asked) if isinstance(one, str))
