"""The words of a key (`wording`): a text's stems in order, with ``#`` for each figure.

Articles, *also* and inflection (plural, third person, past) are left out; a word that is the same
as ``not`` and another is those two; ``5 is X`` is ``X is 5``, and a simple ``X of Y`` is ``Y X``.
"""

from __future__ import annotations

from functools import lru_cache

from workbench.deliberation.consultation.figures import Figure
from workbench.deliberation.consultation.quantities import Day, Quantity

_DROPPED = frozenset("a an the also".split())
_DO = frozenset(("do", "does"))
_COUNTED = frozenset("# once twice time times".split())
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
VERBS = frozenset(
    "be was were have had must cost last take give get pay receiv earn need requir total equal "
    "weigh measur can not".split()
)
"""As they stand in a key; a clause has one."""
FINITE = frozenset(
    "is are was were has have had do does did can may must shall should will would could".split()
)
"""Verbs whose ``not`` denies the clause, where no ``to`` follows."""
PER = frozenset("a an per each every".split())
PRONOUNS = frozenset("it they he she you we this that these those there yes no true false".split())
LINKS = frozenset(
    "at by in on of for to from with within per and or after before than as can not do did since "
    "until into its their his her your our who which whose where up down about 's all each every "
    "any".split()
)


def said(given: list[str | Figure]) -> tuple[tuple[str, ...], tuple[Quantity | Day, ...]]:
    """Return the words of a key, ``#`` for each figure, and the figures."""
    words: list[str] = []
    values: list[Quantity | Day] = []
    for n, one in enumerate(given):
        last = words[-1] if words else ""
        after = (given[n + 1 :] or [""])[0]
        if isinstance(one, Figure):
            if one.name and last not in LINKS and last and last not in VERBS:
                words.append(f"{one.value.value:g}" if isinstance(one.value, Quantity) else "#")
                if isinstance(one.value, Quantity):
                    continue
            else:
                words.append("#")
            values.append(one.value)
        elif one in PER and last in _COUNTED:
            words.append("per")
        elif (
            (one in _DROPPED and after not in ("few", "little"))  # a few is not few
            or (one, last) == ("of", "#")
            or (one in _DO and after == "not")
        ):
            continue
        elif one == ":":
            if isinstance(after, Figure):
                words.append("be")
        elif one == "not":
            is_finite = n > 0 and given[n - 1] in FINITE and after != "to"
            words.append("not" if is_finite else "(not)")
        elif one in _COMPLEMENTS and (last == "be" or words[-2:] == ["be", "not"]):
            if last == "not":
                words.pop()
            else:
                words.append("not")
            words.append(base(_COMPLEMENTS[one]))
        else:
            words.append(base(_SAME.get(one, one)))
    return _in_order(words), tuple(values)


def _in_order(words: list[str]) -> tuple[str, ...]:
    """Return the words with ``5 is X`` as ``X is 5``, and a simple ``X of Y`` as ``Y X``."""
    if words.count("#") == 1 and words.count("be") == 1 and len(words) > 2:
        named = words[2:] if words[:2] == ["#", "be"] else words[:-2]
        of = named.index("of") if "of" in named else len(named)
        rest = [*named[of + 1 :], *named[:of]]
        is_simple = all(map(is_content, rest))
        if is_simple and (words[:2] == ["#", "be"] or words[-2:] == ["be", "#"]):
            return (*rest, "be", "#")
    return tuple(words)


def is_content(word: str) -> bool:
    """Return whether a word of a key says of what: it is no link, pronoun, verb of being or figure.

    Examples
    --------
    >>> is_content("notice"), is_content("within")
    (True, False)
    """
    return (
        word not in ("#", "be", "was", "were", "have", "must", "not", "(not)")
        and word not in LINKS
        and word not in PRONOUNS
    )


@lru_cache(maxsize=8192)
def base(word: str) -> str:
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
