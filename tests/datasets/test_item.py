"""Items: what they may hold, and the numbers that are read in texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workbench.datasets.item import Item, number_of


def test_an_item_says_its_kind_by_its_options() -> None:
    """With options an item is a choice, without it is a text, unless it says otherwise."""
    assert "choice" == Item(question="Which?", options=("a", "b")).kind
    assert "text" == Item(question="What?").kind
    assert "boolean" == Item(question="Is it?", options=("yes", "no"), kind="boolean").kind


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"question": " "}, "must not be blank"),
        ({"answer": " "}, "has none at all"),
        ({"options": ("a",)}, "has 1 options"),
        ({"options": [str(n) for n in range(27)]}, "has 27 options"),
        ({"options": ("a", " ")}, "an option is blank"),
        ({"options": ("a", "b"), "answer": "C"}, "not one of A, B"),
        ({"options": ("a", "b"), "answer": "b"}, "not one of A, B"),
        ({"options": ("a", "b"), "kind": "text"}, "has options"),
        ({"kind": "boolean"}, "has the options yes and no"),
        ({"kind": "boolean", "options": ("yes", "no"), "answer": "A"}, "not yes or no"),
        ({"kind": "number", "answer": "1 or 2"}, "not one number"),
        ({"options": ("a", "b"), "accepted": ("c",)}, "for texts alone"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_what_an_item_cannot_be(given: dict[str, Any], why: str) -> None:
    """An item whose gold answer could not be scored is refused when it is made."""
    with pytest.raises(ValidationError, match=why):
        Item(**{"question": "Which?", **given})


def test_an_item_needs_no_gold_answer() -> None:
    """An item without a gold answer can be asked."""
    item = Item(question="Which?", options=("a", "b"))

    assert item.answer is None
    assert item.gold is None
    assert ("A", "B") == item.letters


def test_an_item_is_frozen() -> None:
    """An item cannot be changed once it is read."""
    with pytest.raises(ValidationError):
        Item(question="Which?").question = "What?"  # type: ignore[misc]


def test_a_number_may_be_one_of_json() -> None:
    """A gold answer that is written as a number is the same as its text."""
    assert Item(question="2 + 2?", answer="4", kind="number") == Item.model_validate_json(
        '{"question": "2 + 2?", "answer": 4, "kind": "number"}'
    )


def test_an_id_is_of_source_and_words() -> None:
    """Ids are names for files; they change with the words, not with the line or gold answer."""
    item = Item(question="Which?", options=("a", "b"), answer="A", source="Ä b/c.csv:7")

    assert "b-c-csv-" == item.id[:-16]
    assert item.id == item.model_copy(update={"answer": "B"}).id
    assert item.id != item.model_copy(update={"question": "What?"}).id
    assert item.id == item.model_copy(update={"source": "Ä b/c.csv:8"}).id
    assert item.id != item.model_copy(update={"source": "d:7"}).id
    assert 16 == len(Item(question="Which?").id)


@given(st.text(min_size=1, max_size=200))
def test_every_source_gives_a_name_for_a_file(source: str) -> None:
    """Ids are short and of plain letters, whatever the source is called."""
    name = Item(question="?!", source=source).id

    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(name) <= 70
    assert not name.startswith("-")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("18", 18),
        ("$18", 18),
        ("2,125", 2125),
        ("-10", -10),
        ("- 10", -10),
        ("\N{MINUS SIGN}10", -10),
        ("\N{EN DASH}10", -10),
        ("It is -$5.", -5),
        ("The profit is \N{MINUS SIGN}$1,000", -1000),
        ("-\u00a35", -5),
        ("-\u20ac5", -5),
        ("\u2212\u20ac5", -5),
        ("-\u00a5500", -500),
        ("\u2212 18", -18),
        ("It is \u2212 18", -18),
        ("- 5", -5),
        ("18 sixth graders", 18),
        ("18 millionaires", 18),
        ("minus 5", -5),
        ("Total cost - $18", 18),
        ("Weekly pay \N{EM DASH} $18", 18),
        ("tested negative 18 times", 18),
        ("It is negative 5", -5),
        ("25 cm\N{SUPERSCRIPT TWO}", 25),
        ("the area is 25 m^2", 25),
        ("6 quarters", 6),
        ("5 third-graders", 5),
        ("Negative $5", -5),
        (".5", Fraction(1, 2)),
        ("-.5", Fraction(-1, 2)),
        ("1/2", Fraction(1, 2)),
        ("0.5", Fraction(1, 2)),
        ("1e3", 1000),
        ("12 %", 12),
        ("It is 2.", 2),
        ("18 dollars ($18)", 18),
        ("9 * 2 = 18\n#### 18", 18),
        ("1,000.50", Fraction(2001, 2)),
    ],
)
def test_one_number(text: str, number: Any) -> None:
    """One number is read, with what is usually written beside it."""
    assert number == number_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "18 or 20",
        "9 * 2 = 18",
        "2 1/2",
        "1,5",
        "1,00",
        "10-15",
        "3:30",
        "3 million",
        "2 thirds",
        "2\N{SUPERSCRIPT THREE}",
        "5 lakh",
        "5 tenths",
        "1 tenth",
        "7 hundredths",
        "5 mil",
        "5 grand",
        "5 factorial",
        "5 squared",
        "10 \u2212 5",
        "10 minus 5",
        "10 - 5",
        "5k",
        "1.5.2",
        "12/0",
        "H2O and 3",
        "####",
    ],
)
def test_no_number_is_guessed(text: str) -> None:
    """Where a number would have to be chosen or worked out there is none."""
    assert number_of(text) is None


@given(st.integers(-(10**9), 10**9))
def test_whole_numbers_are_read_as_they_are_written(number: int) -> None:
    """Plain and with commas, a whole number is itself."""
    assert number == number_of(str(number))
    assert number == number_of(f"{number:,}")


@given(st.text(max_size=60))
def test_any_text_has_a_number_or_none(text: str) -> None:
    """No text is too odd."""
    assert number_of(text) is None or isinstance(number_of(text), Fraction)
