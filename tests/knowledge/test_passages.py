"""Splitting documents into passages."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.knowledge.canonical import canonical_text
from workbench.knowledge.documents import Document, sha256_of
from workbench.knowledge.passages import Passage, split, splitter

SENTENCE = "The finance team found that spending on travel had grown by four percent again. "  # 14

LINES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "# Title",
            "## Section ##",
            "#",
            "```",
            "~~~",
            "| a | b |",
            "- item",
            "",
            "  ",
            "</script><img src=x onerror=alert(1)>",
            "e\u0301\u0302",
            "\u2028",
            "x" * 500,
            SENTENCE * 3,
        ]
    ),
)


def document(text: str, id: str = "finance_analyst/budget.md") -> Document:
    """Make a document of a text."""
    text = canonical_text(text)
    return Document(id=id, title="", text=text, sha256=sha256_of(text))


def check(text: str, words: int = 120) -> tuple[Passage, ...]:
    """Split a text and check what always holds."""
    whole = document(text)
    passages = split(whole, words=words)
    covered = [0] * len(whole.text)
    for number, passage in enumerate(passages, 1):
        assert passage.text == whole.text[passage.start : passage.end]
        assert passage.text == passage.text.strip() != ""
        assert f"{whole.id}#p{number}" == passage.id
        for at in range(passage.start, passage.end):
            covered[at] += 1
    assert all(
        count == 1 or (count == 0 and character.isspace())
        for count, character in zip(covered, whole.text, strict=True)
    )
    assert sorted(passages, key=lambda p: p.start) == list(passages)
    return passages


@given(st.lists(LINES, max_size=40).map("\n".join), st.integers(8, 60))
def test_every_character_is_in_one_passage(text: str, words: int) -> None:
    """Offsets fit, order is kept, and nothing visible is lost or doubled."""
    check(text, words)


@given(st.text(max_size=2000))
def test_any_text_can_be_split(text: str) -> None:
    """The same for text of any characters."""
    check(text, 8)


def test_prose_is_cut_between_paragraphs_where_it_can() -> None:
    """Paragraphs of about the right size become passages, under their headings."""
    text = f"# Budget\n\n{SENTENCE * 8}\n\n{SENTENCE * 8}\n\n## Travel\n\n{SENTENCE * 8}\n"

    passages = check(text)

    assert ["Budget", "Budget", "Budget > Travel"] == [p.heading for p in passages]
    assert ["# Budget", "The finance", "## Travel"] == [
        p.text[:10].splitlines()[0] if p.text[0] == "#" else p.text[:11] for p in passages
    ]


@pytest.mark.parametrize("sentences", [10, 11, 13, 20, 27, 40, 100, 333])
def test_long_paragraphs_give_passages_of_the_right_size(sentences: int) -> None:
    """One paragraph without an end is cut between sentences into 70 to 160 words."""
    passages = check(SENTENCE * sentences)

    assert all(p.text.endswith("again.") for p in passages)
    assert all(70 <= len(p.text.split()) <= 160 for p in passages)


def test_mixed_prose_keeps_paragraphs_whole() -> None:
    """Paragraphs of 2 to 7 sentences are whole in passages of 60 to 140 words, median over 90."""
    paragraphs = [SENTENCE * (2 + n * 5 % 6) for n in range(60)]
    passages = check("\n\n".join(paragraphs))
    sizes = [len(p.text.split()) for p in passages]

    assert {p.strip() for p in paragraphs} == {q for p in passages for q in p.text.split("\n\n")}
    assert 60 <= min(sizes) <= 90 <= statistics.median(sizes) <= max(sizes) <= 140


def test_rows_are_kept_whole() -> None:
    """A long table is cut between rows."""
    row = "| travel to the northern sites | 12,400 | 13,900 |"
    passages = check("# Costs\n\n| what | 2023 | 2024 |\n|---|---|---|\n" + f"{row}\n" * 60)

    assert len(passages) > 3
    assert all(line.startswith(("|", "#")) for p in passages for line in p.text.split("\n") if line)
    assert all(line.endswith("|") for p in passages[1:] for line in p.text.split("\n"))


def test_a_document_of_headings() -> None:
    """Headings without text become one passage, which stands under the last of them."""
    (passage,) = check("# Plan\n\n## Goals\n\n## Costs\n")

    assert "Plan > Costs" == passage.heading


def test_a_short_introduction_goes_with_the_first_section() -> None:
    """A section that has hardly begun takes in the first one inside it, not a sibling."""
    inside = check(f"# Plan\n\nIn brief.\n\n## Goals\n\n{SENTENCE * 6}")
    beside = check(f"## Plan\n\nIn brief.\n\n## Goals\n\n{SENTENCE * 6}")

    assert ["Plan"] == [p.heading for p in inside]
    assert ["Plan", "Goals"] == [p.heading for p in beside]


def test_code_comments_are_not_headings() -> None:
    """A line with # in a fence is code."""
    (passage,) = check("# Setup\n\n```sh\n# install\nmake\n```\n")

    assert "Setup" == passage.heading


def test_a_line_of_a_megabyte_without_spaces() -> None:
    """It is cut into pieces of a bounded size, and quickly."""
    passages = check("x" * 1_000_000)

    assert all(len(p.text) <= 960 for p in passages)


def test_a_huge_heading_is_cut_in_the_trail() -> None:
    """The trail that goes with each passage is bounded; the text is not touched."""
    passages = check(f"# {'long ' * 5000}\n\n{SENTENCE * 30}")

    assert all(len(p.heading) <= 120 for p in passages)
    assert passages[-1].heading.endswith("…")


def test_hostile_text_is_text() -> None:
    """Markup, CRLF, U+2028 and combining characters go through unharmed."""
    (passage,) = check("</script><img src=x onerror=alert(1)>\r\na\u2028b e\u0301 x\u0301\r\n")

    assert "</script><img src=x onerror=alert(1)>\na\u2028b é x\u0301" == passage.text


def test_ids_do_not_depend_on_other_documents() -> None:
    """Passages of one document are the same in any company."""
    one = document(SENTENCE * 30, id="a.md")

    assert ["a.md#p1", "a.md#p2", "a.md#p3"] == [p.id for p in split(one)][:3]


def test_blank_text_has_no_passages() -> None:
    """Nothing gives nothing."""
    assert () == check(" \n")


def test_words_must_leave_room() -> None:
    """A size that cannot hold a sentence is refused."""
    with pytest.raises(ValueError, match="at least 8 words"):
        split(document("x"), words=7)


def test_the_splitter_has_a_name() -> None:
    """Version and size are in it, so they are in the passport."""
    assert "passages/1 words=90" == splitter(90)


@pytest.mark.parametrize("blank", [" ", "\n", " \n", "\n| x |\n" + " " * 300])
def test_blanks_do_not_make_a_passage_long(blank: str) -> None:
    """However much white space there is, a passage has a bounded number of characters."""
    text = "a" + blank * (3_000_000 // len(blank)) + "b"
    passages = split(Document(id="d", title="d", text=text, sha256=sha256_of(text)))

    assert max(len(p.text) for p in passages) < 64 * 300
    assert "".join(text.split()) == "".join("".join(p.text.split()) for p in passages)
