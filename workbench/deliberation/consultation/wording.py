"""What a conclusion says, as a key: two that have one key say the same, and rules may tell so.

Equal figures are not enough. A key holds every word in its order, but for articles and inflection
(plural, third person, past), with each figure in its place, with its bound, unit and value. So a
key tells am from pm, before from after, a day from a week, increases from decreases, and whose
figure it is. Where two keys differ nothing follows, but along an *axis*: the key with one thing
taken out (the figures that answer, a plain negation, yes or no), and a *pole*, what was taken out.
Two conclusions on one axis with different poles say the same of the same, except for the value, and
that differs: they contradict. Decisions, each so that a doubt stays undecided:

- A figure is on an axis only if it is what is stated (``notice is 30 days``), no condition (``leave
  over 5 days is``), no name (``room 12``) and no permission (``may bring 2 guests``).
- ``X is 5`` is ``5 is X`` and ``X: 5``, and such an X may be ``notice of staff`` or ``staff
  notice``. Else the order of words counts: nothing else tells who approves whom.
- A negation is on an axis in a clause without a condition, a relative clause, a quantity of its
  subject or a ``may``: some staff may, and some may not; what may be may not be. "It is not the
  case that" denies any clause.
- Yes or no is on an axis where nothing follows it, or words that deny nothing themselves.
- What can be read in two ways, or is said of one of many, is on no such axis (`doubts`).
- What has no subject of its own (``30 days``, ``yes``, ``it is the manager``) is about the
  sub-query that it answers: its key and axes hold that label. Others are about what they name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from workbench.deliberation.consultation.doubts import is_ambiguous, is_one_of_many
from workbench.deliberation.consultation.figures import KINDS, Figure, row
from workbench.deliberation.consultation.quantities import Day, Quantity

_DROPPED = frozenset("a an the will also".split())
_SAME = {
    "is": "be", "are": "be", "has": "have", "may": "can", "shall": "must", "permitted": "allow",
    "permissible": "allow", "allowed": "allow", "required": "require", "mandatory": "require",
    "obligatory": "require", "paid": "pay", "eur": "\u20ac", "usd": "$", "gbp": "£",
}  # fmt: skip
_COMPLEMENTS = {
    "forbidden": "allow", "prohibited": "allow", "banned": "allow", "disallowed": "allow",
    "optional": "require", "voluntary": "require", "unnecessary": "require", "unpaid": "pay",
    "invalid": "valid", "impossible": "possible", "ineligible": "eligible", "illegal": "legal",
    "unlawful": "lawful", "false": "true", "incorrect": "correct",
}  # fmt: skip
"""After a form of ``be``, the same as ``not`` and the other word; there is no third."""
_UNCHANGED = frozenset(
    "does always news perhaps besides towards its his this less sometimes provided because "
    "before".split()
)
_VERBS = frozenset(
    "be was were have had must cost last take give get pay receiv earn need requir total equal "
    "weigh measur".split()
)
"""As they stand in a key; a figure after one of them is what is stated."""
_PRONOUNS = frozenset("it they he she you we this that these those there yes no true false".split())
_LINKS = frozenset(
    "at by in on of for to from with within per and or after before than as can not do did since "
    "until into its their his her your our who which whose where up down about 's all each every "
    "any".split()
)
_STATED_AFTER = _VERBS | {"by", "within", "not"}
_RELATIVE = frozenset("who which that whose".split())
_CONDITION = frozenset(
    "if unless when where while once until provided except only but depending subject sometimes "
    "partly although though".split()
)
_MANY = frozenset(
    "some many most few several all each every any and or with without because never".split()
)
"""With these in it, the opposite of a clause is not the clause with ``not``."""
_DENIES = frozenset(
    "not no never without neither nor none nobody nothing hardly cannot unable".split()
)


_DENIED = re.compile(
    r"\W*it is (?:not (?:the case|true|so)|false|untrue)(?: that\b|:)\W*(?=\w)", re.IGNORECASE
)
_TEXTS = (
    "passage document text corpus policy handbook package question answer information any detail "
    "here explicitly"
).split()


class Wording(NamedTuple):
    """What a conclusion says.

    Attributes
    ----------
    key : tuple
        The same for two that say the same.
    axes : tuple of (rule, axis, pole)
        Two with one axis and different poles contradict.
    content : frozenset of str
        Its words that are no links, pronouns or figures.
    kinds : frozenset of str
        What its figures measure: time, money, length, ...
    figures : frozenset
        Its values, as `figures.figures` gives them.
    is_whole : bool
        It names itself what it is about.
    rule : str
        By which two with this key are compatible.
    """

    key: tuple[object, ...]
    axes: tuple[tuple[str, tuple[object, ...], object], ...]
    content: frozenset[str]
    kinds: frozenset[str]
    figures: frozenset[object]
    is_whole: bool
    rule: str


def wording(
    label: str,
    text: str,
    *,
    lead: int = 0,
    unsaid: str | None = None,
    option: int | None = None,
) -> Wording:
    """Return what a conclusion says.

    Parameters
    ----------
    label : str
        Of the sub-query that it answers.
    lead : int
        1 where it begins with yes, -1 with no.
    unsaid : str, optional
        Of a conclusion that the corpus does not say, what it says besides.
    option : int, optional
        The one option of the question that it names.

    Examples
    --------
    >>> one = wording("Q1", "Staff notice is 30 days.")
    >>> one.key == wording("Q2", "The notice of staff is thirty days").key
    True
    """
    if (denied := _DENIED.match(text)) is not None:
        return _denial(label, wording(label, text[denied.end() :]))
    given = row(text)
    words, values = _said(given)
    figures = frozenset(v if isinstance(v, Day) else v[1:] for v in values)
    content = frozenset(w for w in words if _is_content(w))
    kinds = frozenset("time" if isinstance(v, Day) else KINDS.get(v.unit, "number") for v in values)
    is_whole = _is_whole(words, content)
    home = () if is_whole else (label,)
    negations = words.count("not")
    is_plain = _CONDITION.isdisjoint(words)
    is_sure = not is_ambiguous(text)
    is_one = not is_one_of_many(given)
    key: tuple[object, ...] = (*home, *words, *values) if words else (label, text)
    if not is_sure:
        key = (*home, "as written", " ".join(text.casefold().split()).rstrip("."))
    rule = "values" if values else "content"
    axes: list[tuple[str, tuple[object, ...], object]] = []
    if unsaid is not None:
        texts = set(map(_base, _TEXTS))
        content = frozenset(w for w in _said(row(unsaid))[0] if _is_content(w) and w not in texts)
        if not content:
            key, rule = (label, "unsaid"), "stated_or_not"
            axes.append(("stated_or_not", (label,), False))
        return Wording(key, tuple(axes), content, kinds, figures, is_whole, rule)
    axes.append(("stated_or_not", (label,), True))
    if lead and not content and not values and (lead < 0 or not negations):
        key = (label, "yes" if lead > 0 else "no")
        axes.append(("yes_or_no", (label,), lead))
    elif lead and is_plain and is_sure and _DENIES.isdisjoint(words[1:]):
        axes.append(("yes_or_no", (label, *words[1:], *values), lead))
    if option is not None and not negations and "no" not in words[:1] and is_plain and lead >= 0:
        key, rule = (label, "option", option), "options"
        axes.append(("options", (label,), option))
    is_clause = is_sure and is_one and lead >= 0
    if is_clause and negations <= 1 and (_MANY | _CONDITION | _RELATIVE).isdisjoint(words):
        axes.append(("negation", (*home, *(w for w in words if w != "not"), *values), negations))
    if is_sure and is_one and (axis := _measured(words, values)) is not None:
        name, shape, pole = axis
        axes.append((name, (*home, *shape), pole))
    axes.append(("negation", ("as a whole", key), 0))
    return Wording(key, tuple(axes), content, kinds, figures, is_whole, rule)


def _denial(label: str, of: Wording) -> Wording:
    """Return what is said by the denial of all that another wording says."""
    axes = (("stated_or_not", (label,), True), ("negation", ("as a whole", of.key), 1))
    return of._replace(key=("denied", of.key), axes=axes)


def _said(given: list[str | Figure]) -> tuple[tuple[str, ...], tuple[Quantity | Day, ...]]:
    """Return the words of a key, ``#`` for each figure, and the figures."""
    words: list[str] = []
    values: list[Quantity | Day] = []
    for n, one in enumerate(given):
        last = words[-1] if words else ""
        if isinstance(one, Figure):
            if one.name and last not in _STATED_AFTER and last not in _LINKS and last:
                words.append(f"{one.value.value:g}" if isinstance(one.value, Quantity) else "#")
                if isinstance(one.value, Quantity):
                    continue
            else:
                words.append("#")
            values.append(one.value)
        elif one in ("a", "an", "per", "each", "every") and last in (
            "#",
            "once",
            "twice",
            "time",
            "times",
        ):
            words.append("per")
        elif _says_nothing(one, last, given[n + 1 : n + 2]):
            continue
        elif one == ":":
            if isinstance((given[n + 1 :] or [""])[0], Figure):
                words.append("be")
        elif one == "no" and not words and n + 1 < len(given):
            words.append("not")
        elif one in _COMPLEMENTS and (last == "be" or words[-2:] == ["be", "not"]):
            if last == "not":
                words.pop()
            else:
                words.append("not")
            words.append(_base(_COMPLEMENTS[one]))
        else:
            words.append(_base(_SAME.get(one, one)))
    return _in_order(words), tuple(values)


def _says_nothing(word: str, last: str, following: list[str | Figure]) -> bool:
    is_of = (word, last) == ("of", "#")
    return is_of or word in _DROPPED or (word in ("do", "does") and "not" in following)


def _in_order(words: list[str]) -> tuple[str, ...]:
    """Return the words with ``5 is X`` as ``X is 5``, and a simple ``X of Y`` as ``Y X``."""
    if words.count("#") == 1 and words.count("be") == 1 and len(words) > 2:
        named = words[2:] if words[:2] == ["#", "be"] else words[:-2]
        of = named.index("of") if "of" in named else len(named)
        rest = [*named[of + 1 :], *named[:of]]
        is_simple = all(map(_is_content, rest))
        if is_simple and (words[:2] == ["#", "be"] or words[-2:] == ["be", "#"]):
            return (*rest, "be", "#")
    return tuple(words)


def _measured(
    words: tuple[str, ...], values: tuple[Quantity | Day, ...]
) -> tuple[str, tuple[object, ...], object] | None:
    """Return the axis of the figures that are stated, if there is any."""
    shape: list[object] = list(words)
    pole: list[object] = []
    rule = "dates"
    places = [n for n, word in enumerate(words) if word == "#"]
    for place, value in zip(places, values, strict=True):
        if not _is_stated(words, place, value):
            shape.append(value)
        elif isinstance(value, Day):
            shape.append(tuple(part is None for part in value))
            pole.append(value)
        else:
            rule = "numbers"
            shape.append(value[:2])
            pole.append(value.value)
    return (rule, tuple(shape), tuple(pole)) if pole else None


def _is_stated(words: tuple[str, ...], place: int, value: Quantity | Day) -> bool:
    """Return whether the figure at a place is what is stated, and no part of a condition."""
    if not any(map(_is_content, words)):
        return len(words) == 1 or words[:-1] in (("it", "be"), ("they", "be"), ("yes",))
    if not _CONDITION.isdisjoint(words[:place]) or "can" in words[:place]:
        return False
    if place == 0:
        return isinstance(value, Day) or value.bound in ("", "<=", ">=")
    last = words[place - 1]
    if isinstance(value, Quantity) and value.bound in ("<", ">"):
        return False
    verbs = [n for n, word in enumerate(words[:place]) if word in _VERBS]
    if not verbs or (last in _LINKS and last not in _STATED_AFTER):
        return last in ("within", "by") and "must" in words[:place]
    return words[verbs[-1] - 1] not in _RELATIVE if verbs[-1] else True


def _is_content(word: str) -> bool:
    return (
        word != "#"
        and word not in _LINKS
        and word not in _PRONOUNS
        and word not in ("be", "was", "were", "have", "must")
    )


def _is_whole(words: tuple[str, ...], content: frozenset[str]) -> bool:
    """Return whether a conclusion says itself what it is about."""
    if len(content) < 2 or words[0] in _PRONOUNS:
        return False
    is_clause = not (_VERBS | {"can", "not"}).isdisjoint(words)
    return is_clause or (len(words) >= 5 and len(content) >= 3 and words[0] != "#")


@lru_cache(maxsize=8192)
def _base(word: str) -> str:
    """Return a word without plural, third person or past; short words keep more, to stay apart."""
    if word in _UNCHANGED or len(word) < 4:
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif word.endswith("ed") and not word.endswith("eed") and len(word) > 6:
        word = word[:-2]
    return word.removesuffix("e") if len(word) > 5 else word
