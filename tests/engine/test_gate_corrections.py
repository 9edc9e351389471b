"""The gate on corrections that do not fit: in part of a list, in a line of prose, in bare words."""

from __future__ import annotations

import json
from datetime import datetime, time
from typing import Literal

import pytest
from pydantic import BaseModel

from workbench.engine.gate import read
from workbench.record.events import Answered


class Item(BaseModel):
    """One of a list."""

    name: str
    quantity: int


class Items(BaseModel):
    """A list of objects."""

    items: list[Item]


class Verdict(BaseModel):
    """A choice and a number."""

    verdict: Literal["pass", "fail"]
    score: int
    why: str = ""


class Noted(BaseModel):
    """Two texts."""

    answer: str
    note: str | None = None


class Dated(BaseModel):
    """A moment and an amount that may be left out."""

    when: datetime
    budget: float | None = None
    at: time | None = None


class Named(BaseModel):
    """Fields that are called like words of a schema."""

    type: str
    properties: dict[str, int]


LISTED = '{"items": [{"name": "a", "quantity": 1}, {"name": "b", "quantity": 2}]}'
GOOD = '{"verdict": "pass", "score": 7, "why": "ok"}'


def is_taken(text: str, schema: type[BaseModel]) -> bool:
    """Return whether a value is taken."""
    return not isinstance(read(Answered(path="/a", text=text), schema), str)


@pytest.mark.parametrize(
    "other",
    [
        '[{"name": "a", "quantity": 2}, {"name": "b", "quantity": 1}]',
        '```json\n{"Items": [{"name": "a", "quantity": 2}, {"name": "b", "quantity": 1}]}\n```',
        '{"name": "a", "quantity": 2}',
        '[{"name": "a", "quantity": 1}]',
        '{"Items": []}',
    ],
)
def test_items_that_differ(other: str) -> None:
    """Values that are all in the answer, but in other items, are no part of it."""
    assert not is_taken(f"{LISTED}\n\nCorrection:\n{other}", Items)


@pytest.mark.parametrize(
    "other",
    [
        json.dumps(json.loads(LISTED)["items"]),
        '{"Name": "b", "quantity": 2}',
        LISTED.replace("items", "Items"),
        f"[{LISTED}]",
        '{"final": ' + LISTED + "}",
    ],
)
def test_items_that_are_said_again(other: str) -> None:
    """A whole part of the answer denies nothing."""
    assert is_taken(f"{LISTED}\n\nAs said:\n{other}", Items)


@pytest.mark.parametrize(
    "line",
    [
        "Verdict: fail, score: 2",
        "verdict = fail",
        "1. verdict: fail (it is wrong)",
        "verdict: 'fail'",
        "| field | value |\n|---|---|\n| verdict | fail |",
        "<verdict>fail</verdict>",
        "verdict -> fail",
        "score: 2/10",
        "Final score: 1,234",
        "score: $8",
        "score: `8`",
        "- **Score:** 8 (not 7)",
        "score: \u22127",
        "{",
        "```json\n{\n",
    ],
)
def test_a_line_that_corrects(line: str) -> None:
    """A field with another value behind the answer is asked about, and so is a begun object."""
    assert not is_taken(f"{GOOD}\n\nCorrection:\n{line}", Verdict)


@pytest.mark.parametrize(
    "line",
    [
        "Verdict: pass, score: 7 out of 10.",
        "| verdict | pass |\n| score | 7.0 |",
        "| verdict | score |\n|---|---|\n| pass | 7 |",
        "<verdict>pass</verdict>",
        "The score: 0-10 is the scale, and score > 5 passes.",
        "why: because of rule 3.",
        "verdict: the call",
        "A brace { alone",
    ],
)
def test_a_line_that_does_not_correct(line: str) -> None:
    """Ordinary prose that names a field is in no answer's way."""
    assert is_taken(f"{GOOD}\n\n{line}", Verdict)


@pytest.mark.parametrize(
    "given",
    [
        "{answer: Paris; note: sure}",
        "{answer: Paris note: sure}",
        "{answer: Paris | note: sure}",
        '{"answer": Paris; "note": sure}',
        "{answer: Paris or note = sure}",
    ],
)
def test_bare_words_that_hold_a_field(given: str) -> None:
    """Repair takes no second field for words of the first."""
    assert not is_taken(given, Noted)


@pytest.mark.parametrize("text", ["a; b", "a | b", "the note: x", "it's; so"])
def test_quoted_words_that_hold_marks(text: str) -> None:
    """In quotes they are words."""
    assert is_taken(repr({"answer": text})[:-1] + ",}", Noted)


def test_a_field_called_properties() -> None:
    """It is a field."""
    assert is_taken('{"type": "object", "properties": {"a": 1}} Done.', Named)


@pytest.mark.parametrize(
    "thought",
    [
        "<analysis>{}</analysis>",
        "<draft>{}</draft>",
        "<thought_process>{}</thought_process>",
        "<rationale>{}</rationale>",
        "<seed:think>{}</seed:think>",
        "<|START_THINKING|>{}<|END_THINKING|>",
        "<|begin_of_thought|>{}<|end_of_thought|>",
        "[REASONING]{}[/REASONING]",
        "Thinking...\n{}\n...done thinking.\n",
    ],
)
def test_thoughts_by_the_word_in_their_tag(thought: str) -> None:
    """A draft within is no answer, and does not differ from the one behind it."""
    draft = thought.replace("{}", '{"verdict": "fail", "score": 2}')

    assert not is_taken(f"{draft} no", Verdict)
    assert is_taken(f"{draft}{GOOD}", Verdict)


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ({"final_verdict": "fail"}, False),
        ({"revisedVerdict": "fail"}, False),
        ({"refined_verdict": "fail", "adjusted_score": 3}, False),
        ({"final_why": "ok.", "true_verdict": None}, True),
        ({"Final corrected score": 3}, False),
        ({"final_verdict": "pass", "final score": 7}, True),
        ({"verdict_confidence": 0.9}, True),
        ({"final": True}, True),
        ({"corrected_verdict": ""}, True),
        ({"corrected_verdict": "n/a", "final_score": "None."}, True),
        ({"corrected_verdict": "none given"}, False),
    ],
)
def test_a_key_that_corrects(more: dict[str, object], taken: bool) -> None:
    """What is revised in a field of its own is as good as a line that says so."""
    assert taken == is_taken(json.dumps(json.loads(GOOD) | more), Verdict)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"when": "2025-03-01", "budget_usd": 5000}, False),
        ({"when": "2025-03-01", "total_budget": 5000}, False),
        ({"when": "2025-03-01", "budget": 5, "budget_usd": 5}, True),
        ({"when": 2025}, False),
        ({"when": "2025"}, False),
        ({"when": 20250301.0}, False),
        ({"when": "2025-03-01", "at": 2024}, False),
        ({"when": "2025-03-01", "at": "20:24"}, True),
        ({"when": "2025-03-01T10:00:00Z"}, True),
    ],
)
def test_what_a_type_would_read_as_something_else(given: object, taken: bool) -> None:
    """A field by a longer name is not left out, and a year is no second of 1970."""
    assert taken == is_taken(json.dumps(given), Dated)


@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        (r"2 \times 3", False),
        (r"\text{so} it is", False),
        (r"\theta", False),
        (r"a \rightarrow b", False),
        (r"a \neq b", False),
        (r"C:\temp\new", False),
        (r"2 \\times 3, C:\\temp", True),
        (r"\tan(x)", False),
        (r"x = \tan\\alpha", False),
        (r"x \to y", False),
        (r"\therefore x", False),
        (r"x \nleq y", False),
        (r"Use a tank,\ne.g. of steel.\nu = 5\ne) five\neq. 3", True),
        (r"A:\tParis, B:\tRome, x:\t5", True),
        (r"Q:\r\nWhat?", True),
        (r"\text := 3", True),
        (r"x\to\tx\tan owl", True),
        (r"if x {\n\treturn 1\n}\nnot so\tto times\r\nend", True),
        (r"B:\nfoo\tan apple", True),
        (r"One\rtwo", True),
        (r"Fr:\tau revoir", True),
        (r"1.\n\tan (old) hat", True),
        (r"where \tau is", False),
        (r"so:\n\tau = 5", False),
        (r"B:\tan(x)", False),
        (r"\forall x", False),
        (r"x\rangle", False),
        (r"C:\reports", False),
        (r"C:\\users\report", False),
        (r"C:\bin", False),
    ],
)
def test_backslashes_that_were_not_doubled(answer: str, taken: bool) -> None:
    """LaTeX and paths that JSON has made signs of are asked again; line ends and tabs are not."""
    assert taken == is_taken(f'{{"answer": "{answer}"}}', Noted)
    assert taken == is_taken(f'{{"answer": "yes", "note": "{answer}",}}', Noted)


@pytest.mark.parametrize("answer", [r"A:\tred\nB:\tblue\nC:\tgreen", r"page one\fpage two"])
def test_signs_that_are_meant(answer: str) -> None:
    """A tab behind a label, as of one that might be a drive, and a form feed are what they are."""
    assert is_taken(f'{{"answer": "{answer}"}}', Noted)


def test_summaries_beside_a_list() -> None:
    """What is called like a field of the list's objects is no field of the object itself."""
    more = {"overall_name": "c", "total_quantity": 3, "name_of_list": "d"}
    assert is_taken(json.dumps(json.loads(LISTED) | more), Items)
