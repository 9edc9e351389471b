"""What a difference between two prompts looks like: whose words it holds, and of whom it tells.

That there is a difference is decided by equality (`isolation`). Here it is only put in words, for
which likeness is good enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from workbench.deliberation.consultation.facts import ROLE, RetrievalPackage
from workbench.deliberation.consultation.reading import normal_form
from workbench.record.events import Answered, Asked
from workbench.record.parts import Part
from workbench.record.run import Run

SHINGLE = 5
"""Words in a row that two texts seldom share by chance."""
SHOWN = 60
"""Characters of a difference that are told."""

_AGENT = (
    r"(?:readers?|interpreters?|agents?|(?:language )?models?|llms?|assistants?|experts?|analysts?|"
    r"annotators?|peers?|colleagues?|reviewers?|respondents?|participants?)"
)
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|multiple|all)"
_OTHERS = re.compile(
    rf"\b(?:other|another|fellow|second|third|next|previous|remaining|different)s?\s+{_AGENT}\b"
    rf"|\b{_NUMBER}\s+(?:\w+\s+){{0,2}}{_AGENT}\b"
    rf"|\b(?:one|\d+|part|member|first|second|third)\s+of\s+(?:the\s+|a\s+)?"
    rf"(?:{_NUMBER}|group|team|panel)\b"
    rf"|\b{_NUMBER}\s+(?:of\s+you|more|others)\b|\b(?:some|any)(?:body|one)\s+else\b"
    rf"|\b(?:interpreter|agent|reader|expert)\s*[=_#]?\s*(?:\d+|[a-f]\b)"
    rf"|\byour\s+(?:peers?|colleagues?|team|panel)\b"
    rf"|\b(?:the\s+)?others\s+(?:have|has|had|say|said|found|think|answered|read|conclude)\w*"
    rf"|\b(?:consensus|majority|unanimous\w*|so far {_AGENT})\b",
    re.IGNORECASE,
)


class Others:
    """The interpreters of a run, for what a part of a prompt can tell one of the others."""

    def __init__(self, run: Run, package: RetrievalPackage | None) -> None:
        self._run = run
        self._passages = {p.id for p in package.passages} if package is not None else set()
        families = [str(family) for family in run.started.params.get("families", ())]
        named = {f"{ROLE}={n}" for n in range(1, 1 + len(families))} | set(families)
        for model in run.started.models.values():
            named |= {str(model[k]) for k in ("model", "family", "file") if model.get(k)}
        words = sorted((re.escape(name) for name in named if len(name) > 1), key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(words)})(?!\w)" if words else r"(?!)"
        self._named = re.compile(pattern, re.IGNORECASE)

    def explain(self, reader: int, meant: Part | None, read: Part | None) -> tuple[str, str, str]:
        """Return the rule that a difference breaks, how in words, and words that tell of others.

        Parameters
        ----------
        reader : int
        meant, read : Part or None
            What stands in the prompt that is rebuilt, and in the one that was sent.
        """
        if read is None:
            lacks = "" if meant is None else meant.text
            return self._rule(reader, meant), f"the prompt lacks {_short(lacks)}", ""
        gone, new = _changed("" if meant is None else meant.text, read.text)
        rule, owner = self._rule(reader, read), owner_of(read.source or "")
        told = self.names(new)
        if rule == "reads_other":
            return rule, f"it reads interpreter {owner}", told
        if rule == "reads_synthesis":
            return rule, "it reads what is no reply that it gave before", told
        if words := self._words_of_others(reader, new):
            return "foreign_text", f"it quotes another: {words}", told
        if meant is None:
            what = f"no part of the session's prompt: {_short(read.text)}"
        elif meant.text == read.text:
            what = f"its source and speaker are {read[1:]}, and were to be {meant[1:]}"
        else:
            what = f"it says {_short(new)} where the session says {_short(gone)}"
        return rule, what, told

    def names(self, text: str) -> str:
        """Return the words of a text that tell of other interpreters; empty if none does."""
        found = _OTHERS.search(text) or self._named.search(text)
        return found[0] if found else ""

    def _rule(self, reader: int, part: Part | None) -> str:
        """Return what a part breaks that is not as it was meant, by the source that it names."""
        source = part.source if part is not None else None
        if source is None or source == "/package":
            return "own_words"
        owner = owner_of(source)
        if owner is not None and owner != reader:
            return "reads_other"
        if owner == reader and isinstance(self._run.commands.get(source), Asked):
            return "altered_reply"
        path = source.startswith("/") or re.match(r"[0-9a-f]{8,64}:/", source)  # of another run
        return "reads_synthesis" if path and source not in self._passages else "altered_passage"

    def _words_of_others(self, reader: int, text: str) -> str:
        """Return words of a text that another interpreter wrote; empty if there are none."""
        here, padded = set(_shingles(text)), f" {normal_form(text)} "
        for path, reply in self._run.answers.items():
            if owner_of(path) in (None, reader) or not isinstance(reply, Answered):
                continue
            if common := here.intersection(_shingles(reply.text)):
                return min(common)
        for fact in self._run.facts_of("Interpreted"):
            if owner_of(fact.path) not in (None, reader):
                for finding in fact.data.get("findings", ()):
                    words = normal_form(str(finding.get("conclusion", "")))
                    if words and f" {words} " in padded:
                        return words
        return ""


def differences(
    meant: Sequence[Part], read: Sequence[Part]
) -> Iterator[tuple[Part | None, int | None, Part | None]]:
    """Yield where two prompts part: the part that was meant, the place of the one read, and it.

    None stands for what one of them lacks.
    """
    steps = SequenceMatcher(None, meant, read, autojunk=False).get_opcodes()
    for step, a, b, c, d in steps:
        if step == "equal":
            continue
        paired = b - a == d - c
        for n, part in enumerate(read[c:d]):
            yield meant[a + n] if paired else None, c + n, part
        for part in () if paired else meant[a:b]:
            yield part, None, None


def owner_of(path: str) -> int | None:
    """Return the interpreter under whose path something lies; None: under nobody's."""
    name, _, number = path.strip("/").split("/")[0].partition("=")
    return int(number) if name == ROLE and number.isdecimal() else None


def _changed(meant: str, read: str) -> tuple[str, str]:
    """Return the stretch in which two texts differ, in each, from the start of a word."""
    start = _alike(meant, read)
    end = _alike(meant[start:][::-1], read[start:][::-1])
    start = max(read.rfind(" ", 0, start), read.rfind("\n", 0, start)) + 1
    return meant[start : len(meant) - end], read[start : len(read) - end]


def _alike(one: str, other: str) -> int:
    """Return with how many characters both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def _shingles(text: str) -> Iterable[str]:
    words = normal_form(text).split()
    for start in range(len(words) - SHINGLE + 1):
        yield " ".join(words[start : start + SHINGLE])
