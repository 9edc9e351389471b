"""Whether an answer is right: by letter, yes or no, number or text; never by a guess.

An answer that is none of what the question asks for is unknown, neither right nor wrong.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Literal

from workbench.datasets.item import YES_NO, Item, number_of
from workbench.deliberation.answers import L, bare, signs

Outcome = Literal["right", "wrong", "unknown", "no_gold"]

_LETTER = re.compile(r"\(?([A-Za-z])(?:\)|\.|:|\Z)\s*(.*)", re.DOTALL)
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_ARTICLES = re.compile(rf"\b(?:a\s+(?={L}{L}|\d)|(?:an|the)\s+(?=\w))")
_JOINED = re.compile(
    rf"(?<={L})'(?={L})"  # it's
    rf"|(?<={L})\.(?={L}(?!{L}))"  # U.S., Ph.D.
    rf"|(?<={L}{{3}})-(?={L}|\d)|(?<={L})-(?={L}{{3}})"  # Jay-Z, GPT-4, e-mail, and not 2x-y
    rf"|(?<={L}{{2}})-(?={L}{{2}}|\d)"  # Wi-Fi, DC-3
)
"""Marks within a word."""
_NUMBERED = re.compile(r"(?<![^\W_])([A-Z])-(?=\d)")
"""F-16; a variable is rarely a capital."""
_ASIDE = re.compile(rf"(?<=\s)\(({L}{{3}}[^()\d]*)\)")
"""Paris (France)."""
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def score(item: Item, answer: str | None) -> Outcome:
    """Return whether `answer` is right.

    Parameters
    ----------
    item : Item
    answer : str or None
        As a method gives it: a letter where the item has options, else a short text. None: unknown.

    Returns
    -------
    {"right", "wrong", "unknown", "no_gold"}
        ``unknown`` for an answer that cannot be read as what the item asks for; ``no_gold`` where
        the item has no gold answer, whatever was answered.

    Examples
    --------
    >>> score(Item(question="1 + 1?", answer="2", kind="number"), "It is 2.")
    'right'
    >>> score(Item(question="1 + 1?", answer="2", kind="number"), "2 or 3")
    'unknown'
    """
    if item.answer is None:
        return "no_gold"
    if answer is None or not answer.strip():
        return "unknown"
    right: bool | None
    if item.kind == "choice":
        letter = letter_of(answer, item.options)
        chosen = None if letter is None else item.options[item.letters.index(letter)]
        right = None if chosen is None else letter == item.answer or chosen == item.gold
    elif item.kind == "boolean":
        truth = truth_of(answer)
        right = None if truth is None else truth is (item.answer == "yes")
    elif item.kind == "number":
        number = number_of(answer)
        right = None if number is None else number == number_of(item.answer)
    else:
        right = normalised(answer) in {normalised(text) for text in (item.answer, *item.accepted)}
    return "unknown" if right is None else "right" if right else "wrong"


def letter_of(text: str, options: Sequence[str]) -> str | None:
    """Return the letter that a text names: ``B``, ``(b)``, ``B. gold`` or the option's own words.

    None if it names none or several, or a letter with the words of another option.
    """
    text = text.strip()
    letters = string.ascii_uppercase[: len(options)]
    if text and text in letters and len(text) == 1:
        return text  # what methods answer; an option that is itself called "A" does not count
    named = dict(zip(letters, options, strict=True))
    found = _LETTER.fullmatch(text)
    if found is None or found.group(1).upper() not in letters:
        same = {a for a, option in named.items() if normalised(option) == normalised(text)}
    else:  # "A. dog" is no "a dog"; "C. elegans" may be an option
        same = {a for a, option in named.items() if option.strip().casefold() == text.casefold()}
        letter, rest = found.group(1).upper(), found.group(2)
        if not rest or normalised(rest) == normalised(named[letter]):
            same.add(letter)
    return same.pop() if len(same) == 1 else None


def truth_of(text: str) -> bool | None:
    """Return what a text says to a yes-or-no question; ``A`` and ``B`` are the options yes and no.

    Only the first word is read, and only if no opposite word follows.
    """
    letter = letter_of(text, YES_NO)
    if letter is not None:
        return letter == "A"
    words = re.findall(r"\w+", text.lower())
    first = re.fullmatch(r"\W*(yes|no|true|false)\b(?=\W*\Z|[.,:;!]).*", text.lower(), re.DOTALL)
    said = {_TRUTHS[word] for word in words if word in _TRUTHS}
    return said.pop() if first and len(said) == 1 else None


def normalised(text: str) -> str:
    """Return a text without case, marks of sentences, articles and runs of spaces.

    That is the form of a vote (`workbench.deliberation.answers.normalised`), and more is left out
    as in SQuAD 1.1: articles, marks within a word, and the brackets around words. Unlike there,
    signs that may change a value stay, so that 1.5 is not 15, -5 not 5, C++ not C and 2(x+3) not
    2x+3, and an article is one only before another word: "vitamin A" keeps its letter. A dollar
    sign does not count.

    Examples
    --------
    >>> normalised("It's the 3/4, at most!")
    'its 3 / 4 at most'

    References
    ----------
    .. [1] P. Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text,
       EMNLP 2016, section 6.1.
    """
    plain = _GROUPS.sub("", bare(_NUMBERED.sub(r"\1", text))).replace("$", " ")
    plain = _ASIDE.sub(r"\1", plain)
    return signs(_ARTICLES.sub(" ", _JOINED.sub("", plain))) or " ".join(text.casefold().split())
