"""Words that tell an interpreter of others: their number, names, models, or what they wrote."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from workbench.deliberation.consultation import prompts
from workbench.deliberation.consultation.facts import (
    ROLE,
    Interpreted,
    RetrievalPackage,
)
from workbench.deliberation.consultation.reading import normal_form
from workbench.errors import RunError
from workbench.record.events import Answered
from workbench.record.run import Run

SHINGLE = 5
"""Words in a row that two texts seldom share by chance."""
SHORTEST = 3
"""Words of a whole conclusion that counts as one; a shorter one may be anybody's words."""

_AGENT = (
    r"(?:readers?|interpreters?|agents?|(?:language )?models?|llms?|assistants?|experts?|analysts?|"
    r"annotators?|peers?|colleagues?|reviewers?|respondents?|participants?)"
)
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|multiple|all)"
_OTHERS = re.compile(
    rf"\b(?:other|another|fellow|second|third|next|previous|remaining|different)s?\s+{_AGENT}\b"
    rf"|\b{_NUMBER}\s+(?:\w+\s+){{0,2}}{_AGENT}\b"
    rf"|\b(?:one|part|member|first|second|third)\s+of\s+(?:the\s+|a\s+)?(?:{_NUMBER}|group|team|panel)\b"
    rf"|\b(?:interpreter|agent|reader|expert)\s*[=_#]?\s*(?:\d+|[a-f]\b)"
    rf"|\byour\s+(?:peers?|colleagues?|team|panel)\b"
    rf"|\b(?:the\s+)?others\s+(?:have|has|had|say|said|found|think|answered|read|conclude)\w*"
    rf"|\b(?:consensus|majority|unanimous\w*|so far {_AGENT})\b",
    re.IGNORECASE,
)


class Names:
    """What tells of the other interpreters: words for them, their roles, models and families."""

    def __init__(self, run: Run) -> None:
        named = {f"{ROLE}={n}" for n in range(1, 1 + len(run.started.params.get("families", ())))}
        named |= {str(family) for family in run.started.params.get("families", ())}
        for model in run.started.models.values():
            named |= {str(model[k]) for k in ("model", "family", "file") if model.get(k)}
        for answer in run.answers.values():
            if isinstance(answer, Answered) and answer.model:
                named.add(answer.model)
        words = sorted((re.escape(name) for name in named if len(name) > 1), key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(words)})(?!\w)" if words else r"(?!)"
        self._models = re.compile(pattern, re.IGNORECASE)

    def found(self, text: str) -> str:
        """Return the words of a text that tell of other interpreters; empty if none does."""
        for pattern in (_OTHERS, self._models):
            if told := pattern.search(text):
                return told[0]
        return ""


class Writings:
    """What each interpreter wrote, as runs of words that stand in nothing that all were given."""

    def __init__(self, run: Run, package: RetrievalPackage | None) -> None:
        texts_given = _given(run, package)
        given = set(_shingles(texts_given))
        everywhere = " ".join(f" {normal_form(text)} " for text in texts_given)
        self._by: dict[int, set[str]] = {}
        self._whole: dict[int, dict[str, set[str]]] = {}
        self._known: dict[str, dict[int, str]] = {}
        for fact in run.facts_of("Interpreted"):
            try:
                report = Interpreted.read(fact)
            except RunError:
                continue
            texts = [
                text
                for f in report.findings
                for text in (f.conclusion, *f.ambiguities, *f.alternatives)
            ]
            owner = owner_of(fact.path) or report.interpreter
            self._by.setdefault(owner, set()).update(set(_shingles(texts)) - given)
            whole = {
                words
                for text in texts
                if len((words := normal_form(text)).split()) >= SHORTEST
                and f" {words} " not in everywhere
            }
            by_start = self._whole.setdefault(owner, {})
            for words in whole:
                by_start.setdefault(" ".join(words.split()[:SHORTEST]), set()).add(words)

    def of_others(self, reader: int, text: str) -> str:
        """Return words of a text that another interpreter wrote; empty if there are none."""
        if text not in self._known:  # all readers read much of the same
            self._known[text] = dict(self._found(text))
        return next((told for owner, told in self._known[text].items() if owner != reader), "")

    def _found(self, text: str) -> Iterator[tuple[int, str]]:
        padded = f" {normal_form(text)} "
        here, starts = set(_shingles([text])), set(_shingles([text], SHORTEST))
        for owner, shingles in sorted(self._by.items()):
            if common := here & shingles:
                yield owner, min(common)
                continue
            by_start = self._whole[owner]
            whole = [w for start in starts & by_start.keys() for w in by_start[start]]
            if told := sorted(w for w in whole if f" {w} " in padded):
                yield owner, told[0]


def without(text: str, known: Iterable[str]) -> str:
    """Return a text without some texts that it quotes, where they stand as whole words."""
    for part in sorted(known, key=len, reverse=True):
        if part.strip():
            start = r"(?<!\w)" if part[0].isalnum() else ""
            text = re.sub(rf"{start}{re.escape(part)}(?!\w)", " ", text)
    return text


def _given(run: Run, package: RetrievalPackage | None) -> list[str]:
    texts = [str(run.started.params.get("question", ""))]
    if package is not None:
        texts += [passage.text for passage in package.passages]
        words = int(run.started.params.get("words") or 0)
        options = run.started.params.get("options", ())
        prompt = prompts.interpret(package, "", (), options, words)
        texts += [part.text for part in prompt]  # a small model may repeat its instructions
    return texts


def _shingles(texts: Iterable[str], size: int = SHINGLE) -> Iterable[str]:
    for text in texts:
        words = normal_form(text).split()
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def owner_of(path: str) -> int | None:
    """Return the interpreter under whose path something lies; None: under nobody's."""
    name, _, number = path.strip("/").split("/")[0].partition("=")
    return int(number) if name == ROLE and number.isdecimal() else None


def untold(
    by_reader: Mapping[int, Mapping[str, object]], readers: AbstractSet[int]
) -> list[tuple[int, str]]:
    """Return who was told something that not all were told, and what.

    Where one text differs from that of the others, it is the one; where the others have something
    more and the one has nothing in its place, it is theirs.
    """
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for reader, texts in by_reader.items():
        for text in texts:
            holders[text].add(reader)
    partial = {text: who for text, who in holders.items() if who < readers}
    few = {text: who for text, who in partial.items() if 2 * len(who) <= len(readers)}
    odd = {reader for who in few.values() for reader in who}
    more = {
        text: who for text, who in partial.items() if text not in few and not readers - who <= odd
    }
    return [(reader, text) for text, who in (few | more).items() for reader in sorted(who)]
