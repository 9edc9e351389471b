"""Scorers: right, wrong, and what is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.datasets.item import YES_NO, Item
from workbench.datasets.scoring import letter_of, normalised, score, truth_of

CHOICE = Item(question="Which is heavier?", options=("iron", "gold", "a bird"), answer="B")
BOOLEAN = Item(question="Is it?", options=YES_NO, answer="no", kind="boolean")
NUMBER = Item(question="How many?", answer="1,018", kind="number")
TEXT = Item(question="Where?", answer="The Nile", accepted=("White Nile",))


@pytest.mark.parametrize(
    ("item", "right", "wrong", "unknown"),
    [
        (CHOICE, ["B", "b", "(b)", "B. gold", "Gold", "the gold"], ["A", "iron"], ["D", "B or A"]),
        (CHOICE, ["B)"], ["C", "bird"], ["B. iron", "neither", "AB", "both of them"]),
        (BOOLEAN, ["no", "No.", "B", "false", "No, it is not."], ["yes", "A", "True"], ["maybe"]),
        (BOOLEAN, ["B. no"], ["Yes!"], ["Yes and no", "no doubt, yes", "not", "C", "no doubt"]),
        (
            NUMBER,
            ["1018", "$1,018.00", "#### 1018"],
            ["1019", "-1018"],
            ["about a thousand", "1-2"],
        ),
        (TEXT, ["nile", "Nile!", "the white nile"], ["the Nile river", "Congo"], []),
    ],
)
def test_outcomes(item: Item, right: list[str], wrong: list[str], unknown: list[str]) -> None:
    """Each answer is right, wrong, or openly unknown."""
    assert dict.fromkeys(right, "right") == {text: score(item, text) for text in right}
    assert dict.fromkeys(wrong, "wrong") == {text: score(item, text) for text in wrong}
    assert dict.fromkeys(unknown, "unknown") == {text: score(item, text) for text in unknown}


@pytest.mark.parametrize("item", [CHOICE, BOOLEAN, NUMBER, TEXT])
@pytest.mark.parametrize("answer", [None, "", "  "])
def test_no_answer_is_unknown(item: Item, answer: str | None) -> None:
    """What could not be read is unknown, not wrong."""
    assert "unknown" == score(item, answer)


def test_no_gold_answer() -> None:
    """Without a gold answer nothing is right or wrong, not even no answer."""
    item = Item(question="Which?", options=("a", "b"))

    assert ["no_gold"] * 3 == [score(item, answer) for answer in ("A", "?", None)]


def test_options_of_equal_words_are_one_answer() -> None:
    """Published options repeat each other; the letter of an equal one is right."""
    item = Item(question="?", options=("277", "288", "277"), answer="A")

    assert ["right", "wrong", "right"] == [score(item, letter) for letter in "ABC"]
    assert "unknown" == score(item, "277")  # names two letters


def test_a_capital_letter_is_a_letter() -> None:
    """An option that is itself called by a letter does not make the answers ambiguous."""
    assert "A" == letter_of("A", ("B", "A"))
    assert letter_of("a", ("B", "A")) is None
    assert letter_of("", ("a", "b")) is None


@pytest.mark.parametrize(("text", "truth"), [("TRUE", True), ("false.", False), ("a", True)])
def test_truth(text: str, truth: bool) -> None:
    """Words and letters stand for yes and no."""
    assert truth is truth_of(text)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("1.5", "15"), ("5", "-5"), ("34", "3/4"), ("C", "C++"), ("O-", "O+"), ("50%", "50"),
        ("10-15", "1015"), ("vitamin A", "vitamin"), (".5", "5"),
        ("-$1,000", "$1,000"), ("-x", "x"), ("5 - x", "5 x"), ("x - 5", "x 5"), ("10/e", "10e"),
        ("x/2", "x2"), ("\u20135", "5"), ("\u2011$5", "$5"),
        ("2(x+3)", "2x+3"), ("[0, 1)", "(0, 1]"), ("(x+1)/2", "x+1/2"), ("2x-y", "2xy"),
        ("y-x", "yx"), ("1-a", "1a"), ("x-15", "x15"), ("a x + b", "x + b"), ("5!", "5"),
        ("x - sin x", "x sin x"), ("- sin x", "sin x"), ("\u2013x", "x"),
    ],
)  # fmt: skip
def test_signs_that_change_a_value(gold: str, answer: str) -> None:
    """A text whose signs were taken away is another text; a hyphen and a comma are none."""
    assert "wrong" == score(Item(question="?", answer=gold), answer)
    assert "wrong" == score(Item(question="?", answer=answer), gold)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("1,018", "1018."), ("GPT-4", "gpt4"), ("the U.S.", "US"), ("it's", "its"), ("C++", "c++"),
        ("- Paris", "Paris"), ("Jean-Paul", "Jean\u2011Paul"), ("0.5", ".5"),
        ("well-known", "wellknown"), ("e-mail", "email"), ("X-ray", "xray"), ("Wi-Fi", "WiFi"),
        ("F-16", "F16"), ("Jay-Z", "JayZ"), ("DC-3", "DC3"), ("Mar-a-Lago", "MaraLago"),
        ("Ph.D.", "PhD"), ("Paris (France)", "Paris, France"), ("20%", "20\\%"), ("$18", "\\$18"),
        ("Football (soccer)", "Football soccer"), ("Ocean's 11", '"Ocean\'s 11"'),
        ("Paris - France", "Paris, France"),
        ("2(x+3)", "2(x + 3)."), ("O\u2212", "O-"), ("(Paris)", "**Paris**"), ("$18$", "18"),
    ],
)  # fmt: skip
def test_signs_that_do_not_count(gold: str, answer: str) -> None:
    """As in SQuAD, punctuation is no part of an answer."""
    assert "right" == score(Item(question="?", answer=gold), answer)


def test_a_letter_beside_another_options_words() -> None:
    """``A. dog`` is no article and a dog; ``C. elegans`` may be an option's own words."""
    animals = ("a cat", "the dog", "a cow")
    assert [None, "A", "B"] == [letter_of(t, animals) for t in ("A. dog", "a) cat", "a dog")]
    assert letter_of("A. no", ("yes", "no")) is None
    assert "B" == letter_of("C. elegans", ("a fly", "C. elegans", "a mouse"))


@pytest.mark.parametrize(
    "options",
    [
        ("(L \u2022 H) \u2228 I", "L \u2022 (H \u2228 I)"),
        ("\u2013x < y", "x \u2039 \u2013y"),
        ("2(x+3)", "2x+3"),
        ("x - y", "xy"),
    ],
)
def test_options_of_other_signs(options: tuple[str, str]) -> None:
    """An option's own words name it, and none that differs in brackets or signs."""
    assert ["A", "B"] == [letter_of(option, options) for option in options]


def test_normalised_as_in_squad() -> None:
    """Case, punctuation and articles do not count; what is nothing else stays."""
    assert "cat sat" == normalised("The cat,  sat.")
    assert "a" == normalised("A")
    assert normalised("?") != normalised("!")


@given(st.text(max_size=40), st.sampled_from([CHOICE, BOOLEAN, NUMBER, TEXT]))
def test_any_text_has_an_outcome(text: str, item: Item) -> None:
    """No answer is too odd to be scored, and none of them has no outcome."""
    assert score(item, text) in {"right", "wrong", "unknown"}


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=6, unique=True))
def test_every_letter_is_its_option(options: list[str]) -> None:
    """Whatever the options say, a letter is read as itself."""
    letters = "ABCDEF"[: len(options)]

    assert list(letters) == [letter_of(letter, options) for letter in letters]


@pytest.mark.parametrize(
    ("gold", "answer", "outcome"),
    [
        ("King's Cross", "King\u2019s Cross", "right"),
        ('Rock "n" Roll', "Rock \u201cn\u201d Roll", "right"),
        ("1990-2000", "1990\u20132000", "right"),
        ("23", "2\u00b3", "wrong"),
        ("105", "10\u2075", "wrong"),
    ],
)
def test_printed_marks(gold: str, answer: str, outcome: str) -> None:
    """Quotes and dashes count as they are typed; what is raised is no figure of the number."""
    assert outcome == score(Item(question="?", answer=gold), answer)


@pytest.mark.parametrize("answer", ["3 Million", "3 bn", "3 MILLION", "3 Dozen"])
def test_a_manifold_is_no_number_of_its_own(answer: str) -> None:
    """What would have to be multiplied is unknown."""
    assert "unknown" == score(Item(question="?", answer="3", kind="number"), answer)
