"""Readers that need no model: they quote the sentences that a sub-query's words stand in.

What they get wrong is set, so that of a session of theirs the right outcome is known: an error is a
reader's own, a bias is one that all readers of a family have in common. They see their prompt and
nothing else. They are a floor to compare models with, and a fixture; they understand nothing.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import log
from typing import Any, NamedTuple

from workbench.deliberation.consultation.prompts import HEARD
from workbench.deliberation.consultation.reading import read_conclusion
from workbench.deliberation.consultation.schemas import Comparison, Report
from workbench.engine.commands import rng
from workbench.knowledge.statements import statements
from workbench.lm.scripted import ScriptedLM
from workbench.record.events import Asked

LEAST = 0.5
"""Share of a sub-query's words, by their weight, that a sentence must have to answer it."""
NEAR = 0.8
"""Sentences of so much of the best one's weight are told as well: another place that answers."""
MOST = 2
"""Findings for a sub-query."""

_ASKING = frozenset(
    "how long many much often far old when where who whom whose why give tell name there".split()
)
"""Words that a question asks with: what answers it need not have them."""
_PASSAGE = re.compile(r"<passage (P\d+)[^\n]*>\n(.*)\n</passage P\d+>", re.DOTALL)
_SUB_QUERY = re.compile(r"^(Q\d+): (.+)$", re.MULTILINE)
_TOLD = re.compile(r"^> (Q\d+) \(([^)\n]*)\): (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"\d[\d,]*")
_ONES = "one two three four five six seven eight nine ten eleven twelve".split()
_WORD = re.compile(rf"\b(?:{'|'.join(_ONES)})\b", re.IGNORECASE)


class _Sentence(NamedTuple):
    label: str
    text: str
    topic: frozenset[str]


def rule_reader(
    family: str, *, error: float = 0.0, bias: float = 0.0, sway: float = 0.0
) -> ScriptedLM:
    """Return a reader by rules, to be given where a language model is.

    Parameters
    ----------
    family : str
        Its model family, as the run records it.
    error : float
        The probability that it misreads a sentence, by itself: another figure, or the opposite.
        Drawn from the seed of the ask and the family, so that two interpreters err apart, and so do
        two families in one interpreter's place.
    bias : float
        The probability that all readers of the family misread an answer, and in one way.
    sway : float
        The probability that it says what another reader reports of a sub-query, if it is told any:
        what most of the others say, and the first of them where none is said more often.

    Returns
    -------
    ScriptedLM
        Whose name tells what is set, so that runs of readers who err otherwise are told apart.

    Raises
    ------
    ValueError
        If a probability is not between 0 and 1.

    Examples
    --------
    >>> rule_reader("north", error=0.2)
    ScriptedLM(name='rules:error=0.2', family='north')
    """
    for name, value in (("error", error), ("bias", bias), ("sway", sway)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name}={value} is no probability: it lies between 0 and 1")

    def answer(asked: Asked) -> str:
        if (asked.schema or {}).get("title") == Comparison.__name__:
            return json.dumps({"reason": "No rule tells.", "relation": "different_question"})
        return _report(asked, family, error, bias, sway)

    given = {"error": error, "bias": bias, "sway": sway}
    told = ",".join(f"{name}={value:g}" for name, value in given.items() if value)
    return ScriptedLM(answer, name=f"rules:{told}" if told else "rules", family=family)


def _report(asked: Asked, family: str, error: float, bias: float, sway: float) -> str:
    """Return an Interpretation Report on what a prompt gives to read."""
    sentences = [one for part in asked.parts for one in _sentences(part.text)]
    queries = [found for part in asked.parts for found in _SUB_QUERY.findall(part.text)]
    weights = _weights(sentences)
    findings: list[dict[str, Any]] = []
    heard = _heard(asked)
    for id, query in queries:
        if heard[id] and rng(asked.sampling.seed or 0, f"sway/{query}").random() < sway:
            labels, told = heard[id].most_common(1)[0][0]
            findings.append(_finding(id, labels.split(", "), told))
            continue
        for best in _answering(query, sentences, weights):
            named = f"{family}/{query}"
            shared, own = rng(0, named), rng(asked.sampling.seed or 0, f"own/{named}")
            text = _misread(best.text, shared) if shared.random() < bias else best.text
            text = _misread(text, own) if own.random() < error else text
            findings.append(_finding(id, [best.label], text[:500]))
    most = Report.model_json_schema()["properties"]["findings"]["maxItems"]
    return json.dumps({"findings": findings[:most]})


def _finding(sub_query: str, passages: list[str], conclusion: str) -> dict[str, Any]:
    return {
        "sub_query": sub_query,
        "passages": passages,
        "conclusion": conclusion,
        "confidence": "medium",
        "ambiguities": [],
        "alternatives": [],
    }


def _heard(asked: Asked) -> defaultdict[str, Counter[tuple[str, str]]]:
    """Return what others report of each sub-query, with their passages, in the order of telling."""
    heard: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for part in asked.parts:
        if part.text.startswith(HEARD):
            for id, labels, told in _TOLD.findall(part.text):
                heard[id][labels, told] += 1
    return heard


_HEADING = re.compile(r"\A\[[^\n]*\]\n")


def _sentences(text: str) -> Iterator[_Sentence]:
    found = _PASSAGE.fullmatch(text)
    if found is None:
        return
    label, quoted = found.groups()
    plain = "\n".join(line.removeprefix("> ") for line in quoted.splitlines())
    for one in statements(_HEADING.sub("", plain)):
        yield _Sentence(label, one.text, read_conclusion("", one.text).topic)


def _weights(sentences: list[_Sentence]) -> dict[str, float]:
    """Return how much a word tells: less, the more sentences have it."""
    counts = Counter(word for one in sentences for word in one.topic)
    return {word: log(1 + len(sentences) / n) for word, n in counts.items()}


def _answering(
    query: str, sentences: list[_Sentence], weights: dict[str, float]
) -> list[_Sentence]:
    """Return the sentences that answer a sub-query, the best first, one a passage."""
    rare = log(1 + len(sentences))
    topic = read_conclusion("", query).topic - _ASKING
    asked = {word: weights.get(word, rare) for word in topic}
    total = sum(asked.values())
    scored = sorted(
        ((sum(asked.get(word, 0.0) for word in one.topic), n) for n, one in enumerate(sentences)),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if not scored or not total or scored[0][0] < LEAST * total:
        return []
    found: dict[str, _Sentence] = {}
    for score, n in scored:
        if score >= NEAR * scored[0][0]:
            found.setdefault(sentences[n].label, sentences[n])
    return list(found.values())[:MOST]


def _misread(text: str, draw: random.Random) -> str:
    """Return a sentence with another figure in it, or the opposite of one without."""
    if (number := _NUMBER.search(text)) is not None:
        value = int(number[0].replace(",", "")) + draw.randint(1, 99)
        return f"{text[: number.start()]}{value}{text[number.end() :]}"
    if (word := _WORD.search(text)) is not None:
        others = [one for one in _ONES if one != word[0].lower()]
        return f"{text[: word.start()]}{draw.choice(others)}{text[word.end() :]}"
    return f"It is not the case: {text}"
