"""The Stylist, and the check that no claim changed (section 3.4, Finalization).

The check compares what a rewording must leave alone: the numbers, in figures and in words, with
their units; words for how many and how often; the options that are named (in words and by letter);
the count of negations, names, and roughly the length. It is necessary and not sufficient: a text
that passes can still say something else ("decreased" for "increased"), and one that fails may only
have found another way to say it. Where it fails, the unstyled draft is the answer's text, and the
`Styled` fact says why. The answer itself is never asked for again, so it cannot change.
"""

from __future__ import annotations

import re

from workbench.deliberation.answers import folded, normalised
from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import DraftMade, Styled
from workbench.deliberation.maven.query import Query
from workbench.deliberation.maven.schemas import style_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps
from workbench.engine.gate import Parsed

_UNITS = (
    "kg|mg|km|cm|mm|nm|ml|kwh|kw|mw|mph|km/h|m/s|hz|khz|mhz|ghz|kb|mb|gb|g|m|s|ms|h|l|j|w|v|k|c|f|"
    "t|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|thousand|"
    "million|billion|trillion|percent"
)
_NUMBER = re.compile(rf"-?\d+(?:[.,]\d+)*(?:\s?%|\s?°?(?:{_UNITS})(?![\w/]))?", re.IGNORECASE)
_WORDED = {
    word: str(n)
    for n, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(),
        2,
    )
}
_AMOUNTS = {
    word: group.split()[0]
    for group in (
        "all every each always",
        "some sometimes several",
        "most mostly usually",
        "many often",
        "few rarely seldom",
        "only solely",
        "half",
        "twice double",
    )
    for word in group.split()
}
"""Words for how many and how often, and which of them say the same."""
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)
_LETTER = re.compile(
    r"\b(?i:option|answer|choice)\s+(?:is\s+)?\(?([A-Z])\b|\(([A-Z])\)"
    r"|(?<![\w.'\u2019-])([B-HJ-Z])(?![\w.'\u2019-])"  # "A" and "I" are words
)
_SENTENCE = re.compile(r"(?:^|[.!?:\n]\s*[\"'\u201c(]*)\s*\w+")
_WORD = re.compile(r"\b\w[\w\u2019'-]*")
_NAME = re.compile(r"\b[A-Z][\w\u2019'-]*")
LENGTHS = (0.5, 2.0)
"""The least and the most words of a styled text, as a share of the draft's."""


def style(board: Blackboard, draft: Placed[DraftMade], *, iteration: int) -> Steps[str | None]:
    """Ask the Stylist; return its text, or None where the draft's own is kept."""
    got = yield from board.ask(
        "stylist/style",
        "stylist",
        [prompts.draft(draft, board.query), prompts.stylist(board.words)],
        style_type(board.words + board.words // 4),
        iteration=iteration,
        what="styled text",
        instead="the unstyled draft is kept",
    )
    if not isinstance(got, Parsed):
        return None
    changed = changes(draft.fact.text, got.value.text, board.query)
    fact = Styled(text=got.value.text, kept=not changed, changed=changed)
    yield from board.put("stylist/styled", fact, [got.path])
    return None if changed else got.value.text


def changes(before: str, after: str, query: Query) -> tuple[str, ...]:
    """Return what a rewording changed that it must not; empty: it passes.

    Examples
    --------
    >>> q = Query(question="How many eggs?", options=("two", "six"))
    >>> changes("A hen does not lay 2 eggs.", "No hen lays 2 eggs.", q)
    ()
    >>> changes("A hen does not lay 2 eggs.", "A hen lays 12 eggs.", q)
    ('numbers: 2 became 12', 'negations: 1 became 0')
    """
    found: list[str] = []
    for what, told in (("numbers", _numbers), ("letters", _letters)):
        old, new = told(before), told(after)
        if old != new:
            found.append(f"{what}: {_listed(old - new)} became {_listed(new - old)}")
    old, new = _options(before, query), _options(after, query)
    if old != new:
        found.append(f"options named: {_listed(old)} became {_listed(new)}")
    old, new = _amounts(before), _amounts(after)
    if old != new:
        found.append(f"amounts: {_listed(old - new)} became {_listed(new - old)}")
    counts = [len(_NEGATION.findall(text)) for text in (before, after)]
    if counts[0] != counts[1]:
        found.append(f"negations: {counts[0]} became {counts[1]}")
    lost, won = _names(before) - _words(after), _names(after) - _words(before)
    if lost or won:
        found.append(f"names: {_listed(lost)} became {_listed(won)}")
    sizes = [len(text.split()) for text in (before, after)]
    if not LENGTHS[0] * sizes[0] <= sizes[1] <= LENGTHS[1] * sizes[0]:
        found.append(f"length: {sizes[0]} words became {sizes[1]}")
    return tuple(found)


def _numbers(text: str) -> set[str]:
    figures = _WORD.sub(
        lambda word: _WORDED.get(word.group(), word.group()), _GROUPS.sub("", folded(text))
    )
    plain = ("".join(one.split()) for one in _NUMBER.findall(figures))
    return {re.sub(r"(?<=\d)(?=[a-z°])", " ", one) for one in plain}


def _amounts(text: str) -> set[str]:
    return {_AMOUNTS[word] for word in _words(text) if word in _AMOUNTS}


def _letters(text: str) -> set[str]:
    return {a or b or c for a, b, c in _LETTER.findall(text)}


def _options(text: str, query: Query) -> set[str]:
    """Return the options that a text names; "no" is counted among the negations instead."""
    plain = f" {normalised(text)} "
    forms = {option: normalised(option) for option in query.options}
    return {option for option, form in forms.items() if form != "no" and f" {form} " in plain}


def _names(text: str) -> set[str]:
    """Return the capitalised words that do not begin a sentence."""
    inner = _SENTENCE.sub(" ", text)
    return {name.casefold() for name in _NAME.findall(inner) if len(name) > 1}


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _listed(given: set[str]) -> str:
    return ", ".join(sorted(given)) or "none"
