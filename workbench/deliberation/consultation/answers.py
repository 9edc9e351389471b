"""Conclusions that are nothing but an answer: yes or no, an option, or "it is not there".

Each is told by the whole conclusion; one that has an answer somewhere in it is none of these. What
says that the answer is not there is told by a small grammar: who does not say (passages, texts,
"it"), a negation, and a verb of saying, or of giving together with a noun (information, answer,
date). Decisions:

- "Breakfast is not included" and "it is not covered" may be answers. With a subject of its own, or
  "it", only verbs that nothing but a text does count (stated, mentioned, specified).
- What goes on after a comma or a full stop, or with "but", "only", "other than", says more.
- "None" and "nothing" are answers to some questions and none to others: they are not told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.deliberation.consultation.figures import SHORT


class Unsaid(NamedTuple):
    """That the passages do not say; `topic`: what they do not say, empty where it is all.

    Whether a topic is what was asked, or a part of it, is not told: "managers are not mentioned".
    `is_all`: nothing that was asked is in any passage; "P2 does not say" and "no date is given" say
    less.
    """

    topic: str
    is_all: bool


_ADVERB = r"(?:(?:\w+ly|even|ever|yet|at all) )?"
_LABEL = r"(?: ?#?p?\d+)?"
_TEXT = (
    r"(?:(?:the|these|those|this|any of the|given|provided|available|cited|relevant|above) )*"
    r"(?:passages?|texts?|documents?|excerpts?|extracts?|sources?|corpus|materials?|sections?)"
    rf"{_LABEL}(?:(?:,| and| or| nor) (?:passages? )?p?\d+)*(?: (?:given|provided|cited|above))?"
    r"|p\d+(?:(?:,| and| or) p\d+)*"
)
_RULES = (
    r"(?:the )?(?:\w+ )?(?:policy|policies|handbook|rules?|guide|guidelines?)|it|they|this|that"
)
_SAYS = r"(?:says?|states?|specif(?:y|ies)|mentions?|indicates?|addresse?s?|answers?|tells?)"
_SAYS_TEXT = rf"(?:{_SAYS}|covers?|discuss(?:es)?|describes?|defines?)"
_GIVES = r"(?:gives?|contains?|provides?|states?|makes?)"
_HOLDS = rf"(?:{_GIVES}|includes?|offers?|ha(?:s|ve)|holds?)"
_SAID = r"(?:stated|specified|mentioned)"
_SAID_IT = rf"(?:{_SAID}|indicated|addressed|answered|said|told|defined|described)"
_GIVEN = rf"(?:{_SAID_IT}|given|provided|covered|included|contained|found|available|there)"
_FACT = r"(?:information|mention|answers?|statements?|indication|details?)"
_THING = rf"(?:{_FACT}|figures?|dates?|numbers?|amounts?|values?)"
_NAMED = r"(?:figures?|dates?|numbers?|amounts?|values?|names?|periods?|reasons?|lengths?|details)"
_KIND = r"(?:(?:such|relevant|specific|explicit|further|direct|clear|exact|sufficient|enough) )?"
_NOT = rf"(?:do|does|did|can|could) not {_ADVERB}"
_IS = r"(?:is|are|was|were)"
_IN = rf"(?:(?:in|by|from|within|anywhere in) (?:{_TEXT}))"
_IN_RULES = (
    r"(?:(?:in|by|anywhere in) (?:the |this )?(?:\w+ )?"
    r"(?:policy|policies|handbook|rules?|guide|guidelines?))"
)
_IT = r"(?:it|this|that|(?:the|this|that) (?:question|topic|matter|point))"
_ANSWER = r"(?:it|this|that|the (?:answer|question))"
_OF = r"(?:about|on|of|to|regarding|concerning|for|as to|how|what|when|where|whether|who|which|why)"
_ABOUT = rf"(?: (?P<topic>{_OF}\b.+|{_IN}))?"
_UNSAID = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:{_TEXT}) {_NOT}{_SAYS_TEXT}(?: (?P<topic>.+))?",
        rf"(?:{_RULES}) {_NOT}(?:say|state|specify|mention|indicate)(?: (?P<topic>.+))?",
        rf"(?:{_RULES}) {_NOT}(?:address|answer) {_IT}",
        rf"neither (?:passage|text|document|source) (?:{_SAYS_TEXT}|{_HOLDS})(?: (?P<topic>.+))?",
        rf"(?:none|neither) of (?:{_TEXT}) (?:{_SAYS_TEXT}|{_HOLDS})(?: (?P<topic>.+))?",
        rf"no (?:passage|text|document|source)s? (?:{_SAYS_TEXT}|{_HOLDS})(?: (?P<topic>.+))?",
        rf"(?:{_TEXT}) {_NOT}{_HOLDS} (?:(?:any|an?|the|this|that) )?{_KIND}{_THING}{_ABOUT}",
        rf"(?:{_TEXT}) {_HOLDS} no {_KIND}{_THING}{_ABOUT}",
        rf"(?:{_RULES}) (?:{_NOT}{_GIVES} (?:any|an?|the)|{_GIVES} no) {_KIND}{_THING}{_ABOUT}",
        rf"(?:{_TEXT}|{_RULES}) {_SAYS} nothing{_ABOUT}",
        rf"(?:{_TEXT}|the policy|the handbook) (?:is|are|remains?) silent{_ABOUT}",
        rf"(?:there {_IS} )?(?:no {_KIND}{_FACT}|(?:not enough|insufficient) information){_ABOUT}",
        rf"(?:there {_IS} )?no {_KIND}{_THING} (?:{_IS} )?{_ADVERB}{_GIVEN}{_ABOUT}",
        rf"(?:(?:it|this|that) {_IS} )?not {_ADVERB}{_SAID_IT}{_ABOUT}",
        rf"(?:(?:it|this|that) {_IS} )?not {_ADVERB}{_GIVEN} {_IN}",
        rf"(?:(?:it|this|that) {_IS} )?not {_ADVERB}{_SAID} {_IN_RULES}",
        rf"(?:the|this) (?:answer|question|information) {_IS} not {_ADVERB}{_GIVEN}{_ABOUT}",
        rf"(?:the|this) (?:answer|information) {_IS} not {_IN}",
        rf"(?P<topic>(?:.+ )?{_NAMED}) {_IS} not {_ADVERB}(?:given|provided)(?: {_IN})?",
        rf"(?:{_ANSWER} )?can not be (?:determined|answered){_ABOUT}",
        rf"{_ANSWER} can not be {_ADVERB}\w+ {_IN}",
        rf"nothing (?:{_IS} )?(?:said|stated|mentioned|specified){_ABOUT}",
        rf"(?P<topic>.+) {_IS} not {_ADVERB}{_SAID}(?: (?:{_IN}|{_IN_RULES}))?",
    )
)
_MORE = re.compile(
    r"[,:]|\b(?:but|so|except|other|beyond|only|just|however|although|though|while|more|less|until"
    r"|unless|because|since|not)\b"
)
_DENYING = re.compile(r"\b(?:not|no|nothing|none|neither|silent|insufficient)\b")
_ALL = re.compile(
    rf"(?:(?:explicitly|directly|clearly|about|on|of|to|for|the|an?|any|this|that|it|these|such"
    rf"|question|sub-question|answer|anything|so|information|details|figure|date|number|amount|matter|topic|point|here|q\d+"
    rf"|{_IN})(?: |$))+"
)
"""A topic that is no part of what was asked, but all of it."""

_LESS = re.compile(r"\d|\b(?:figures?|dates?|numbers?|amounts?|values?|names?|periods?)\b")

_ECHO = re.compile(
    r"(?:(?P<yes>yes|true)(?:,? (?:it|that|this|they|there|he|she|you|we) (?P<is>\w+))?"
    r"|(?:no|false)(?:,? (?:it|that|this|they|there|he|she|you|we) (?P<is_not>\w+) not)?)[.!]?",
)
_FINITE = frozenset(
    "is are was were has have had do does did can could may might must shall should will "
    "would".split()
)
_OF_OTHERS = re.compile(r"\b(?:both|all|any|none|either|neither|other|above)\b")
_LETTER = re.compile(r"(?:(?:[Oo]ption|[Aa]nswer) )?\(?([A-Z])\)?[.:]?")
_LETTERED = re.compile(r"(?:(?:[Oo]ption|[Aa]nswer) )?\(?([A-Z])[).:] +(.+)")
_THE_ANSWER = re.compile(
    r"(?:the (?:correct |right )?(?:answer|option) is:?|answer:|it is) ", re.IGNORECASE
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DASHES = str.maketrans("\u2212\u2013\u2019", "--'")


@lru_cache(maxsize=256)
def plainly(text: str) -> str:
    """Return a text in lower case with single spaces and without its full stop.

    Examples
    --------
    >>> plainly("It isn\u2019t  stated."), plainly("1,500 euros")
    ('it is not stated', '1500 euros')
    """
    lower = _THOUSANDS.sub("", " ".join(text.casefold().translate(_DASHES).split()))
    for short, whole in SHORT:
        lower = lower.replace(short, whole)
    return lower.strip(" \"'").rstrip(".").strip(" \"'")


def unsaid(text: str) -> Unsaid | None:
    """Return what a conclusion says that the passages do not say; None where it says more or else.

    Examples
    --------
    >>> unsaid("The passages give no date.")
    Unsaid(topic='', is_all=False)
    >>> unsaid("The passage does not mention managers.")
    Unsaid(topic='managers', is_all=False)
    >>> unsaid("Breakfast is not included.") is None
    True
    """
    topics = []
    plain = plainly(text)
    if _DENYING.search(plain) is None:
        return None
    for sentence in re.split(r"(?<=\w)[.;] +", plain):
        found = next((f for one in _UNSAID if (f := one.fullmatch(sentence))), None)
        if found is None:
            return None
        topic = found.groupdict().get("topic") or ""
        is_all = not topic or _ALL.fullmatch(topic) is not None
        if not is_all and _MORE.search(topic):
            return None
        topics.append("" if is_all else topic)
    topic = "; ".join(filter(None, topics))
    return Unsaid(topic, not topic and _LESS.search(plain) is None)


def polarity(text: str) -> int:
    """Return 1 of a conclusion that is yes and no more, -1 of no, else 0.

    Examples
    --------
    >>> polarity("Yes, it may."), polarity("No."), polarity("No, staff may not.")
    (1, -1, 0)
    """
    found = _ECHO.fullmatch(plainly(text))
    if found is None or (found["is"] or found["is_not"] or "is") not in _FINITE:
        return 0
    return 1 if found["yes"] else -1


def option_of(text: str, options: Sequence[str]) -> int | None:
    """Return the one option that a conclusion is, counting from 0: by its words or its letter.

    None where it is one that does not exclude the others ("both"), or says that nothing is said.

    Examples
    --------
    >>> [option_of(text, ("Blue", "Green")) for text in ("B", "The answer is blue.", "Not blue.")]
    [1, 0, None]
    """
    if not options:
        return None
    known = [plainly(option) for option in options]
    whole = " ".join(text.replace("**", "").split())
    given = _THE_ANSWER.match(whole)
    said = whole[given.end() :] if given else whole
    found = {n for n, option in enumerate(known) if option in (plainly(whole), plainly(said))}
    found |= {n for n, option in enumerate(known) if polarity(option) and option == _bare(text)}
    letter = _LETTER.fullmatch(said)
    lettered = _LETTERED.fullmatch(said)
    if letter is not None and ord(letter[1]) - 65 < len(options):
        found.add(ord(letter[1]) - 65)
    elif lettered is not None and plainly(lettered[2]) in known:
        found |= {ord(lettered[1]) - 65, known.index(plainly(lettered[2]))}
    if len(found) != 1 or _OF_OTHERS.search(known[min(found)]) or unsaid(known[min(found)]):
        return None
    return found.pop()


def _bare(text: str) -> str:
    return {1: "yes", -1: "no", 0: ""}[polarity(text)]
