"""The check that a styled text changes no claim, and what becomes of one that does."""

from __future__ import annotations

import pytest

from tests.deliberation.maven.scripts import facts, garbled, play, title
from workbench.deliberation.answers import folded, normalised
from workbench.deliberation.maven.query import Query
from workbench.deliberation.maven.style import changes

QUERY = Query(question="Which?", options=("a goldfish", "an isopod"))
BEFORE = "A goldfish does not live in 5 gallons; it needs 1,200 litres or 3.5 % of Lake Como."


@pytest.mark.parametrize(
    ("after", "what"),
    [
        ("It does not live in 5 gallons, a goldfish: 1200 litres, or 3.5% of Lake Como!", []),
        ("5 gallons won't do: a goldfish needs 1,200 litres or 3.5 % of Lake Como.", []),
        (BEFORE.replace("5 gallons", "15 gallons"), ["numbers"]),
        (BEFORE.replace("3.5", "35"), ["numbers"]),
        (BEFORE.replace("3.5 %", "3.5"), ["numbers"]),
        (BEFORE.replace("does not", "does"), ["negations"]),
        (BEFORE.replace("A goldfish", "An isopod"), ["options named"]),
        (BEFORE.replace("Lake Como", "Lake Garda"), ["names"]),
        (BEFORE + " Aristotle said so.", []),
        (BEFORE + " So said Aristotle.", ["names"]),
        (BEFORE + " The answer is (B).", ["letters"]),
        (BEFORE + " It is a fine thing and a joy to see" * 4, ["length"]),
        ("5 1,200 3.5 % not a goldfish Lake Como", []),
        ("5, 1,200, 3.5 %: not.", ["options named", "names", "length"]),
        (BEFORE.replace("1,200 litres", "1,200 days"), ["numbers"]),
        (BEFORE.replace("5 gallons", "five gallons"), []),
        (BEFORE.replace("5 gallons", "six gallons"), ["numbers"]),
        (BEFORE.replace("it needs", "it always needs"), ["amounts"]),
        (BEFORE.replace("it needs", "hence B: it needs"), ["letters"]),
    ],
)
def test_changes(after: str, what: list[str]) -> None:
    """Numbers, options, letters, negations, names and length are held; other wording is free.

    The check is necessary and not sufficient: a name that begins a sentence passes.
    """
    assert what == [change.split(":")[0] for change in changes(BEFORE, after, QUERY)]


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("Every bird flies far.", "All birds fly far.", True),
        ("All birds fly far.", "Some birds fly far.", False),
        ("It weighs 1.5 kg in the cold.", "It weighs 1.5 g in the cold.", False),
        ("Hence B holds here too.", "Hence C holds here too.", False),
        ("It takes 3 years to grow.", "Growing takes 3 days here.", False),
        ("It froze at \u20135 °C in here.", "It froze at 5 °C in here.", False),
        ("It takes .5 l to fill this.", "It takes 5 l to fill this.", False),
        ("It froze at \u22125 °C in here.", "At -5 °C it froze in here.", True),
    ],
)
def test_amounts(before: str, after: str, same: bool) -> None:
    """Words for how many and units are held as numbers are."""
    assert same is (changes(before, after, QUERY) == ())


def test_a_letter_is_no_article() -> None:
    """The article in "is a goldfish" names no option A; "no" is a negation like another."""
    assert () == changes("The answer is a goldfish.", "A goldfish is the answer.", QUERY)
    yes_no = Query(question="Is it?", options=("yes", "no"))
    assert () == changes("It does not swim.", "No, it stays.", yes_no)
    assert changes("Yes, it does.", "Surely it does.", yes_no)


def test_a_text_that_changes_a_claim_is_not_used() -> None:
    """The unstyled draft is kept, and the run says what differed."""
    run = play(lambda asked: {"text": "It needs 90 gallons."} if title(asked) == "Style" else None)

    styled = facts(run, "Styled")[0]
    assert not styled["kept"]
    assert any("90" in change for change in styled["changed"])
    concluded = run.facts["/concluded"].data
    assert (facts(run, "DraftMade")[0]["text"], False, "A") == tuple(
        concluded[name] for name in ("text", "styled", "answer")
    )


def test_a_text_that_does_not_is() -> None:
    """A styled text that passes is the answer's text."""

    def fluent(asked: object) -> object:
        if title(asked) != "Style":  # type: ignore[arg-type]
            return None
        return {
            "text": "mark-turn0-synthesizer-synthesis-try1: 20 gallons is what a goldfish needs"
        }

    run = play(fluent)  # type: ignore[arg-type]

    assert [(True, [])] == [(s["kept"], s["changed"]) for s in facts(run, "Styled")]
    assert run.facts["/final"].data["explanation"].endswith("what a goldfish needs")


def test_a_stylist_that_cannot_be_read() -> None:
    """The unstyled draft is kept."""
    run = play(garbled("Style"))

    assert ("accepted", False) == (run.result["ended"], run.facts["/concluded"].data["styled"])
    assert ["stylist"] == [missing["author"] for missing in facts(run, "Missing")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The tank  holds 20 l.", "the tank holds 20 L", True),
        ("\uff12\uff10 %", "20 %", True),
        ("a 3.5 l tank", "a 35 l tank", False),
        ("profit of -3", "profit of 3", False),
        ("5 %", "5", False),
        ("???", "!!!", False),
        ("it is", "is it", False),
        ("It costs $.50", "It costs $50", False),
        ("at \u20135", "at 5", False),
        ("well\u2011being", "well-being", True),
        ("The factored form is 2(x+3).", "The factored form is 2x+3.", False),
        ("The factored form is 2(x+3).", "the factored form is 2(x + 3)", True),
        ("It is \u2013x", "It is x", False),
        ("from 1990\u20131995", "from 1990-1995", True),
        ("5! is 120", "5 is 120", False),
    ],
)
def test_normal_form(one: str, other: str, *, same: bool) -> None:
    """Case, blanks and punctuation do not count; words, numbers and signs do."""
    assert same == (normalised(one) == normalised(other))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10\u207b\u00b3 M", folded("10^-3 M")),
        ("2\u207f\u207a\u00b9", "2^(n+1)"),
        ("SO\u2084\u00b2\u207b", "so4^2\u2212"),
        ("Na\u207a", "na+"),
    ],
)
def test_raised_signs(text: str, plain: str) -> None:
    """A raised minus belongs to its power; the charge of an ion is none."""
    assert plain == folded(text)


def test_signs_that_change_a_claim() -> None:
    """K finds a claim again by its words, numbers and signs: another sign is another claim."""
    claims = [
        "f \u2265 0",
        "f \u2264 0",
        "\u00acP",
        "P",
        "A \u2227 B",
        "A \u2228 B",
        "10\u2075 kg",
        "105 kg",
    ]
    assert len(claims) == len({normalised(claim) for claim in claims})
    assert normalised("\u201cP\u201d, so!") == normalised("P so")
