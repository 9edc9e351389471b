"""The pieces that passages are made of."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workbench.knowledge.blocks import atoms, heading, size


def cut(text: str, *, small: int = 1, large: int = 50) -> list[tuple[str, str]]:
    """Kind and text of each atom."""
    return [
        (atom.kind.name, text[atom.start : atom.end])
        for atom in atoms(text, small=small, large=large)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("one two", 2), ("x" * 80, 10), ("漢" * 16, 2), ("| a | b |", 5)],
)
def test_size(text: str, expected: int) -> None:
    """Words, or an eighth of the visible characters."""
    assert expected == size(text)


def test_structure() -> None:
    """Headings, paragraphs by sentence, items with what belongs to them, rows, code."""
    text = (
        "# Title\nOne is here. Two is\nthere.\n\n- item a\n  goes on\n- item b\n\n"
        "| a | b |\n| 1 | 2 |\n\n```py\n# no heading\n\nx\n```\nEnd.\n"
    )

    assert [
        ("HEADING", "# Title"),
        ("PARAGRAPH", "One is here."),
        ("SENTENCE", "Two is\nthere."),
        ("ITEM", "- item a\n  goes on"),
        ("ITEM", "- item b"),
        ("PARAGRAPH", "| a | b |"),
        ("LINE", "| 1 | 2 |"),
        ("PARAGRAPH", "```py"),
        ("LINE", "# no heading"),
        ("LINE", "x"),
        ("LINE", "```"),
        ("PARAGRAPH", "End."),
    ] == cut(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See e.g. Table 2. It grew.", ["See e.g. Table 2.", "It grew."]),
        ("Dr. Wu left. She said no.", ["Dr. Wu left.", "She said no."]),
        ("It cost 3.5 m. Then 4 m.", ["It cost 3.5 m. Then 4 m."]),
        ('He said "No." She did not.', ['He said "No."', "She did not."]),
        ("Really?! Yes! ok", ["Really?!", "Yes! ok"]),
        ("今日は晴れ。明日は雨。", ["今日は晴れ。", "明日は雨。"]),
        ("version 2. alpha", ["version 2. alpha"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    """Abbreviations, decimals, quotes and scripts without spaces."""
    assert expected == [piece for _, piece in cut(text)]


def test_small_sentences_are_joined() -> None:
    """Neighbours in a block are joined, the last one backwards; blocks stay apart."""
    text = "One two three four. Yes. Five six seven eight. No.\n\nOk.\n"

    assert [
        ("PARAGRAPH", "One two three four."),
        ("SENTENCE", "Yes. Five six seven eight. No."),
        ("PARAGRAPH", "Ok."),
    ] == cut(text, small=3)


def test_a_large_sentence_is_broken_at_words() -> None:
    """A sentence over the limit becomes pieces, none within a word."""
    text = " ".join(f"word{n}" for n in range(100))
    pieces = cut(text, large=20)

    assert text == " ".join(piece for _, piece in pieces)
    assert ["PARAGRAPH"] + ["PIECE"] * (len(pieces) - 1) == [kind for kind, _ in pieces]
    assert all(size(piece) <= 20 for _, piece in pieces)


def test_a_large_row_is_broken_at_a_sentence() -> None:
    """A table cell that holds a page of prose is broken after a sentence."""
    text = "| " + "Seven words are in this short sentence. " * 10 + "|"

    assert all(piece.endswith((".", "|")) for _, piece in cut(text, large=30))


def test_an_accent_is_not_cut_from_its_letter() -> None:
    """An unbroken run is cut between characters, not before a combining mark."""
    text = "x\u0301\u0302" * 1000

    assert all(piece.startswith("x") for _, piece in cut(text, large=10))


@pytest.mark.parametrize(
    "text",
    [
        "\u0301" * 300_000,
        "# a" + " " * 300_000 + "b",
        "# a" + " #" * 150_000 + "b",
        "a." + " " * 300_000 + "b",
        '."' * 150_000,
        "word\n\n" * 50_000,
    ],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    """Text made to defeat regular expressions or searches backwards is cut: else it takes hours."""
    found = list(atoms(text, small=15, large=240))
    for atom in found:
        if atom.kind.name == "HEADING":
            heading(text[atom.start : atom.end])

    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# Title", (1, "Title")),
        ("  ## Travel ##", (2, "Travel")),
        ("### C#", (3, "C#")),
        ("# #", (1, "")),
        ("######", (6, "")),
    ],
)
def test_headings(line: str, expected: tuple[int, str]) -> None:
    """Level and title, without the marks on either side."""
    assert expected == heading(line)


def test_an_unclosed_fence_goes_to_the_end() -> None:
    """What follows an open fence is code."""
    assert ["PARAGRAPH", "LINE", "LINE"] == [kind for kind, _ in cut("~~~\n# a\n```\n")]
