"""What changed between two texts, by words, in bounded time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench_widgets.compare.words import STEPS, Words, words_apart

TEXT = st.lists(
    st.sampled_from(["a ", "b ", "c\n", "dd ", ".", "漢字", "x" * 150, "\ud800", "😀 "]),
    max_size=25,
).map("".join)


def sides(found: Words) -> tuple[str, str]:
    """Return the two texts that segments were made of."""
    return (
        "".join(text for op, text in found.segments if op != "+"),
        "".join(text for op, text in found.segments if op != "-"),
    )


def test_by_words() -> None:
    """Whole words are told, and what is alike stands between them."""
    found = words_apart("the cat sat on the mat", "the dog sat on a mat")

    assert "words" == found.how
    assert [
        ("=", "the "),
        ("-", "cat "),
        ("+", "dog "),
        ("=", "sat on "),
        ("-", "the "),
        ("+", "a "),
        ("=", "mat"),
    ] == found.segments


def test_equal_and_empty() -> None:
    """Equal texts are one segment; an empty side is none."""
    assert Words([("=", "a b")], "words") == words_apart("a b", "a b")
    assert Words([], "words") == words_apart("", "")
    assert [("+", "a b")] == words_apart("", "a b").segments
    assert [("-", "a b")] == words_apart("a b", "").segments


def test_a_word_between_two_rewritten_sentences_is_no_island() -> None:
    """One word in common within a rewritten sentence is part of the change."""
    old = "Alpha beta gamma delta the epsilon zeta eta theta. End."
    new = "One two three four the five six seven eight. End."

    assert ["-", "+", "="] == [op for op, _ in words_apart(old, new).segments]


def test_scripts_without_blanks_are_compared_by_character() -> None:
    """A sentence without blanks is not one long word."""
    assert [("=", "我们"), ("-", "喜欢"), ("+", "讨厌"), ("=", "茶")] == words_apart(
        "我们喜欢茶", "我们讨厌茶"
    ).segments


@given(TEXT, TEXT, st.sampled_from([0, 10, 60, 300, STEPS]))
def test_the_segments_make_both_texts(before: str, after: str, steps: int) -> None:
    """Whatever the work that is allowed, both texts can be read off, and no two alike follow."""
    found = words_apart(before, after, steps)

    assert (before, after) == sides(found)
    assert all(text for _, text in found.segments)
    ops = [op for op, _ in found.segments]
    assert all(a != b for a, b in pairwise(ops))
    assert found == words_apart(before, after, steps)


@pytest.mark.parametrize(
    ("before", "after", "how"),
    [
        ("x" * 1_000_000, "x" * 500_000 + "y" + "x" * 499_999, "ends"),
        ("x y " * 250_000, "x z " * 250_000, "ends"),
        ("a\n" * 300_000, "b\na\n" * 200_000, "ends"),
        (" ".join(map(str, range(150_000))), " ".join(map(str, range(1, 150_001))), "words"),
        (
            "\n".join(f"{i} " + "the " * 40 for i in range(1500)),
            "\n".join(f"{i + i // 700} " + "the " * 40 for i in range(1500)),
            "lines",
        ),
    ],
    ids=["no blank", "two words", "two lines", "shifted", "lines"],
)
def test_long_texts_say_how(before: str, after: str, how: str) -> None:
    """A text of 1 MB is compared as far as is quick, and the way is told."""
    found = words_apart(before, after)

    assert (before, after) == sides(found)
    assert how == found.how


def test_a_long_word_is_taken_apart() -> None:
    """Of a word without an end, what differs is told."""
    before, after = "a " + "x" * 400 + "1" + "x" * 400, "a " + "x" * 400 + "2" + "x" * 400
    found = words_apart(before, after)

    assert "ends" == found.how
    assert [("-", "1"), ("+", "2")] == [s for s in found.segments if s[0] != "="]
