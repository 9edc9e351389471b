"""What rules can tell of two conclusions: the same whichever comes first, and nothing by guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.deliberation.consultation.quantities import Day, Quantity, stated
from workbench.deliberation.consultation.reading import read_conclusion
from workbench.deliberation.consultation.relation import RULES, relate

COMPATIBLE, CONTRADICTORY = "compatible", "contradictory"
OTHER, UNDECIDED = "different_question", "undecided"

CASES = [
    ("Notice is 30 days.", "notice is  30 DAYS", COMPATIBLE, "words"),
    ("Notice is 30 days.", "The notice period is thirty days.", COMPATIBLE, "values"),
    ("30 days", "Staff must give thirty days' notice.", COMPATIBLE, "values"),
    ("within two weeks", "within 14 days", COMPATIBLE, "values"),
    ("No more than 5 days.", "At most five days", COMPATIBLE, "values"),
    ("The deadline is 1 March 2024.", "The deadline is March 1.", COMPATIBLE, "values"),
    ("Yes.", "Yes, it may.", COMPATIBLE, "values"),
    ("Remote work is not forbidden.", "Remote work is permitted.", COMPATIBLE, "content"),
    ("Managers approve travel", "Travel is approved by the line manager", COMPATIBLE, "content"),
    ("It is not specified.", "The passages do not mention it.", COMPATIBLE, "stated_or_not"),
    ("Notice is 30 days.", "The notice period is sixty days.", CONTRADICTORY, "numbers"),
    ("At most 30 days.", "At least 30 days.", CONTRADICTORY, "numbers"),
    ("It costs $1,200.", "It costs 1300 dollars.", CONTRADICTORY, "numbers"),
    ("Deadline: 1 March", "Deadline: 1 April", CONTRADICTORY, "dates"),
    ("It began in 2019.", "It began on 3 May 2020.", CONTRADICTORY, "dates"),
    ("Remote work is allowed.", "Remote work is prohibited.", CONTRADICTORY, "negation"),
    ("Staff may carry over leave.", "Staff can't carry over leave.", CONTRADICTORY, "negation"),
    ("Yes, up to five days.", "No, leave cannot be moved.", CONTRADICTORY, "yes_or_no"),
    ("The passage does not say.", "Notice is 30 days.", CONTRADICTORY, "stated_or_not"),
    ("Notice is 30 days.", "The allowance is 50 euros.", OTHER, "units"),
    ("The CFO approves expenses", "The CEO approves expenses", UNDECIDED, ""),
    ("At least 20 days", "30 days", UNDECIDED, ""),
    ("Notice is 20 working days.", "Notice is 30 days.", UNDECIDED, ""),
    ("No leave may be carried over.", "Leave may be carried over.", CONTRADICTORY, "negation"),
    ("Notice is not given in writing.", "Notice is given in writing.", CONTRADICTORY, "negation"),
    ("The plan does not cover dental care.", "Dental care is covered.", CONTRADICTORY, "negation"),
    ("Notice is 30 days.", "Notice is 60 days if you lead a team.", UNDECIDED, ""),
    ("Leave may be moved.", "Leave may not be moved unless approved.", UNDECIDED, ""),
    ("Leave may be moved.", "Leave may be moved only with approval.", UNDECIDED, ""),
    ("Only 5 days may be moved.", "Up to 5 days may be moved.", COMPATIBLE, "values"),
    ("Managers plan the rota.", "Expenses are paid monthly.", UNDECIDED, ""),
]


@pytest.mark.parametrize(("one", "other", "kind", "rule"), CASES)
def test_a_rule_decides(one: str, other: str, kind: str, rule: str) -> None:
    """Each rule has pairs that it decides, in either order; what no rule decides is undecided."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q1", other)

    assert (kind, rule) == relate(a, b) == relate(b, a)


def test_every_rule_has_a_case() -> None:
    """The table above, and the two tests below, leave no rule out."""
    assert {name for name, _ in RULES} == {c[3] for c in CASES if c[3]} | {"options", "sub_query"}


def test_other_sub_queries_are_other_questions() -> None:
    """Two sub-queries never contradict each other."""
    a, b = read_conclusion("Q1", "30 days"), read_conclusion("Q2", "60 days")

    assert (OTHER, "sub_query") == relate(a, b)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("It is a pet rock.", "A pet rock needs least.", COMPATIBLE),
        ("It is a goldfish.", "A pet rock needs least.", CONTRADICTORY),
        ("(A)", "A goldfish", COMPATIBLE),
        ("option B", "A goldfish", CONTRADICTORY),
        ("It is not a goldfish.", "It is a pet rock.", UNDECIDED),
    ],
)
def test_named_options_decide(one: str, other: str, kind: str) -> None:
    """An option is named by its words or its letter."""
    options = ("a goldfish", "a pet rock")
    a, b = (read_conclusion("Q1", text, options) for text in (one, other))

    assert kind == relate(a, b).kind == relate(b, a).kind


@pytest.mark.parametrize(
    ("text", "quantities", "days"),
    [
        ("thirty days from 1 March", {("", "day", 30)}, {(None, 3, 1)}),
        ("at least 20 working days", {(">=", "working day", 20)}, set()),
        ("$1,200 or EUR 30", {("", "$", 1200), ("", "€", 30)}, set()),
        ("twenty-five percent, 5%", {("", "%", 25), ("", "%", 5)}, set()),
        ("up to two weeks", {("<=", "day", 14)}, set()),
        ("3 million euros", {("", "€", 3_000_000)}, set()),
        ("in 2024, 5% of staff", {("", "%", 5)}, {(2024, None, None)}),
        ("May 2023", set(), {(2023, 5, None)}),
        ("he may take 5 days", {("", "day", 5)}, set()),
        ("2024-02-29", set(), {(2024, 2, 29)}),
        ("one of the managers", set(), set()),
    ],
)
def test_values_are_read(text: str, quantities: set[object], days: set[object]) -> None:
    """Numbers come with bound and unit, dates as far as they are told."""
    found = stated(text)

    assert (quantities, days) == (found[0], found[1])


def test_what_is_no_date_is_no_date() -> None:
    """30 February is three numbers."""
    assert frozenset() == stated("2023-02-30")[1]
    assert Day(2024, None, None).conflicts(Day(2023, 5, 1))
    assert Quantity("", "", 2.0) in stated("2023-02-30")[0]


WORDS = st.sampled_from(
    "notice leave manager is not 30 60 days euros yes no at least most March 1 may never".split()
)
TEXT = st.lists(WORDS, min_size=1, max_size=9).map(" ".join) | st.text(max_size=60)


@given(TEXT, TEXT)
def test_relations_are_symmetric_and_total(one: str, other: str) -> None:
    """Any two texts have one relation, the same both ways; a text is compatible with itself."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q1", other)

    assert relate(a, b) == relate(b, a)
    assert (COMPATIBLE, "words") == relate(a, a)
