"""The formats in which authors publish their questions, each a function from a record to an item.

A record is one row of a CSV file or one JSON object. Where the authors give a right text and wrong
ones, the options are put in an order that depends on the question alone (`shuffled`): a fixed order
would have every answer under A.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from workbench.datasets.item import YES_NO, Item
from workbench.engine.commands import rng

Record = Mapping[str, Any]


class Form(NamedTuple):
    """A published format.

    Attributes
    ----------
    fields : frozenset of str
        Those that tell it from the other formats.
    make : callable
        From a record and its source to an item; raises `ValueError` or `KeyError`.
    test : callable
        Whether a record that has the fields is of this format.
    """

    fields: frozenset[str]
    make: Callable[[Record, str], Item]
    test: Callable[[Record], bool] = lambda _: True


def shuffled(question: str, right: str, wrong: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """Return the options in an order that depends on the question alone, and the right letter."""
    options = list(dict.fromkeys([right, *wrong]))
    rng(0, question).shuffle(options)
    return tuple(options), ascii_uppercase[options.index(right)]


def text_of(record: Record, field: str) -> str:
    """Return a text of a record.

    Raises
    ------
    KeyError, ValueError
        If it is missing, blank, or no text.
    """
    found = record[field]
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{field}: a text is wanted, not {found!r}")
    return found.strip()


def texts_of(record: Record, field: str) -> tuple[str, ...]:
    """Return a list of texts of a record."""
    found = record[field]
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"{field}: a list of texts is wanted, not {found!r}")
    return tuple(one.strip() for one in found if one.strip())


def _lettered(question: str, options: Sequence[str], letter: Any, source: str, **more: Any) -> Item:
    gold = letter.strip().upper() if isinstance(letter, str) else None
    return Item(
        question=question, options=tuple(options), answer=gold or None, source=source, **more
    )


def truthfulqa(record: Record, source: str) -> Item:
    """MC1 of TruthfulQA (Lin et al., ACL 2022): the best answer among all incorrect ones."""
    wrong = (w.strip() for w in text_of(record, "Incorrect Answers").split(";"))
    return _truthfulqa(record, source, [w for w in wrong if w])


def truthfulqa_binary(record: Record, source: str) -> Item:
    """Return TruthfulQA's best against best incorrect answer, advised by its authors since 2025."""
    return _truthfulqa(record, source, [text_of(record, "Best Incorrect Answer")])


def _truthfulqa(record: Record, source: str, wrong: list[str]) -> Item:
    question = text_of(record, "Question")
    options, letter = shuffled(question, text_of(record, "Best Answer"), wrong)
    link = str(record.get("Source") or "").strip()
    evidence = (link,) if link else ()
    return Item(question=question, options=options, answer=letter, evidence=evidence, source=source)


def strategyqa(record: Record, source: str) -> Item:
    """StrategyQA (Geva et al., TACL 2021): yes or no, with the annotators' facts."""
    answer = record.get("answer")
    if answer is not None and not isinstance(answer, bool):
        raise ValueError(f"answer: true or false is wanted, not {answer!r}")
    return Item(
        question=text_of(record, "question"),
        options=YES_NO,
        answer=None if answer is None else YES_NO[not answer],
        evidence=texts_of(record, "facts") if "facts" in record else (),
        source=source,
        kind="boolean",
    )


def openbookqa(record: Record, source: str) -> Item:
    """OpenBookQA (Mihaylov et al., EMNLP 2018), with the fact of the additional files."""
    asked = record["question"]
    choices = {text_of(one, "label"): text_of(one, "text") for one in asked["choices"]}
    if list(choices) != list(ascii_uppercase[: len(choices)]):
        raise ValueError(f"question.choices: labels are A, B, ..., not {', '.join(choices)}")
    fact = str(record.get("fact1") or "").strip()
    evidence = (fact,) if fact else ()
    letter = record.get("answerKey")
    return _lettered(
        text_of(asked, "stem"), list(choices.values()), letter, source, evidence=evidence
    )


_INSTRUCTION = re.compile(
    r"Please choose the correct answer to the question:\s*(?P<question>.*?)\s*\n\s*"
    r"(?P<options>Answer1:.*?)\s*\n\s*Answer format:.*",
    re.DOTALL,
)


def instructed(record: Record, source: str) -> Item:
    """Read multiple choice as LLM-Adapters publishes it (Hu et al., EMNLP 2023): OpenBookQA, ARC.

    The question, its options and the answer's format are one instruction.
    """
    found = _INSTRUCTION.fullmatch(text_of(record, "instruction"))
    if found is None:
        raise ValueError("instruction: no question with Answer1, Answer2, ... and a format")
    options = [o.strip() for o in re.split(r"Answer\d+:", found["options"])[1:]]
    number = re.fullmatch(r"answer(\d+)", str(record.get("answer") or "").strip())
    place = int(number[1]) if number else None
    if place is not None and not 1 <= place <= len(options):
        raise ValueError(f"answer: there is no option {place}")
    letter = None if place is None else ascii_uppercase[place - 1]
    return _lettered(found["question"], options, letter, source)


def halueval(record: Record, source: str) -> Item:
    """HaluEval QA (Li et al., EMNLP 2023): the right against the hallucinated answer."""
    question = text_of(record, "question")
    right, wrong = text_of(record, "right_answer"), text_of(record, "hallucinated_answer")
    options, letter = shuffled(question, right, [wrong])
    return Item(
        question=question,
        options=options,
        answer=letter,
        evidence=(text_of(record, "knowledge"),),
        source=source,
    )


def halueval_detection(record: Record, source: str) -> Item:
    """HaluEval's own task: whether a candidate answer holds a hallucination.

    Which of the two answers is the candidate depends on the question alone, as a coin would.
    """
    asked = text_of(record, "question")
    hallucinated = rng(0, asked).random() < 0.5
    candidate = text_of(record, "hallucinated_answer" if hallucinated else "right_answer")
    return Item(
        question=f"Question: {asked}\nCandidate answer: {candidate}\n"
        "Is the candidate answer false, or in conflict with what is known?",
        options=YES_NO,
        answer=YES_NO[not hallucinated],
        evidence=(text_of(record, "knowledge"),),
        source=source,
        kind="boolean",
    )


def gsm8k(record: Record, source: str) -> Item:
    """GSM8K (Cobbe et al., 2021): a number after ``####``, the solution before it."""
    solution, mark, number = text_of(record, "answer").rpartition("####")
    if not mark:
        raise ValueError("answer: no number after ####")
    return Item(
        question=text_of(record, "question"),
        answer=number.strip(),
        evidence=(solution.strip(),) if solution.strip() else (),
        source=source,
        kind="number",
    )


def aqua(record: Record, source: str) -> Item:
    """AQuA-RAT (Ling et al., ACL 2017): options such as ``A)36``, with a rationale."""
    given = texts_of(record, "options")
    options = [
        re.sub(rf"^\(?{letter}\)\s*", "", o) for letter, o in zip("ABCDE", given, strict=True)
    ]
    rationale = str(record.get("rationale") or "").strip()
    return _lettered(
        text_of(record, "question"),
        options,
        record.get("correct"),
        source,
        evidence=(rationale,) if rationale else (),
    )


def mmlu(record: Record, source: str) -> Item:
    """MMLU (Hendrycks et al., ICLR 2021): a CSV row without header, question, four options, letter.

    The cells are numbered from 0.
    """
    options = [text_of(record, str(n)) for n in range(1, 5)]
    return _lettered(text_of(record, "0"), options, record["5"], source)


def gpqa(record: Record, source: str) -> Item:
    """GPQA (Rein et al., 2023): the correct answer among three incorrect ones."""
    question = text_of(record, "Question")
    wrong = [text_of(record, f"Incorrect Answer {n}") for n in (1, 2, 3)]
    options, letter = shuffled(question, text_of(record, "Correct Answer"), wrong)
    explanation = str(record.get("Explanation") or "").strip()
    evidence = (explanation,) if explanation else ()
    return Item(question=question, options=options, answer=letter, evidence=evidence, source=source)


def _own(record: Record, source: str) -> Item:
    """Read an item as the workbench writes it; what it lacks of a source is its place."""
    return Item.model_validate({**record, "source": record.get("source") or source})


def _fields(names: str) -> frozenset[str]:
    return frozenset(names.split())


FORMS: dict[str, Form] = {
    "truthfulqa": Form(frozenset({"Question", "Best Answer", "Incorrect Answers"}), truthfulqa),
    "truthfulqa_binary": Form(
        frozenset({"Question", "Best Answer", "Best Incorrect Answer"}), truthfulqa_binary
    ),
    "gpqa": Form(frozenset({"Question", "Correct Answer", "Incorrect Answer 1"}), gpqa),
    "mmlu": Form(_fields("0 1 2 3 4 5"), mmlu, lambda record: len(record) == 6),
    "strategyqa": Form(_fields("qid question"), strategyqa),
    "openbookqa": Form(_fields("question"), openbookqa, lambda r: isinstance(r["question"], dict)),
    "instructed": Form(_fields("instruction output answer"), instructed),
    "halueval": Form(_fields("knowledge question right_answer hallucinated_answer"), halueval),
    "halueval_detection": Form(
        _fields("knowledge question right_answer hallucinated_answer"), halueval_detection
    ),
    "aqua": Form(_fields("question options correct"), aqua),
    "gsm8k": Form(
        _fields("question answer"), gsm8k, lambda r: "####" in str(r["answer"]) and "kind" not in r
    ),
    "items": Form(_fields("question kind"), _own),
}
"""By name. Of two that fit a record, the first is taken unless the other is named."""
