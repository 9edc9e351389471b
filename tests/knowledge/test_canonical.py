"""One spelling of a document's content."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.knowledge.canonical import canonical_text, decode, html_text, pdf_text

TEXT = st.text(st.sampled_from("ab \t\n\r\f\v\ufeff\u2028\u0301\u200bé|#.漢"), max_size=60)


@given(TEXT)
def test_canonical_is_idempotent(text: str) -> None:
    """A second pass changes nothing, and the promised form holds."""
    once = canonical_text(text)

    assert once == canonical_text(once)
    assert once == unicodedata.normalize("NFC", once)
    assert "\r" not in once
    assert all(line == line.rstrip() for line in once.split("\n"))
    assert once == "" or (once.endswith("\n") and not once.endswith("\n\n"))


@given(TEXT)
def test_canonical_keeps_what_is_visible(text: str) -> None:
    """Only white space, marks of byte order and the normal form differ."""

    def visible(text: str) -> str:
        return "".join(unicodedata.normalize("NFC", text.lstrip("\ufeff")).split())

    assert visible(text) == visible(canonical_text(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeffa\r\nb \r\n\r\n", "a\nb\n"),
        ("a\rb", "a\nb\n"),
        ("e\u0301", "é\n"),
        ("a\u2028b\u2028\n", "a\u2028b\n"),
        (" \n\u2028\n", ""),
        ("</script><img src=x onerror=alert(1)>", "</script><img src=x onerror=alert(1)>\n"),
    ],
)
def test_canonical_examples(text: str, expected: str) -> None:
    """Byte-order mark, CRLF, combining characters, U+2028, blank text, hostile markup."""
    assert expected == canonical_text(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ab\0c", "NUL byte at offset 2"),
        ("é".encode("utf-16"), "UTF-16"),
        (b"caf\xe9", "byte 0xE9 at offset 3.*iconv"),
    ],
)
def test_decode_refuses(data: bytes, message: str) -> None:
    """Binary content and other encodings are refused, with the place."""
    with pytest.raises(ValueError, match=message):
        decode(data)


def test_html_is_its_visible_text() -> None:
    """Blocks end lines; headings, lists and tables read as markdown; the unseen is left out."""
    text, title = html_text(
        "<!doctype html><html><head><title> A  page </title><style>x{}</style></head><body>"
        "<!-- c --><h1>Hello <b>you</b></h1><p>One   two<br>three</p><script>alert(1)</script>"
        "<ul><li>a<li>b</ul><table><tr><th>H</th><td>x<br>y</td></tr><tr><td></td><td>2</td></tr>"
        "</table><pre>  a\n   b</pre><div hidden>no</div><p style='display: none'>no</p></body>"
    )

    assert "A page" == title
    assert (
        "# Hello you\n\nOne two\nthree\n\n- a\n- b\n\n| H | x y |\n|  | 2 |\n\n  a\n   b\n"
        == canonical_text(text)
    )


def test_html_title_falls_back_to_the_first_heading() -> None:
    """A page without a title is named by its first heading, or not at all."""
    assert "Costs" == html_text("<h1>Costs</h1>")[1]
    assert "" == html_text("<p>x")[1]


def test_html_with_optional_tags_left_out_keeps_its_text() -> None:
    """An open head does not swallow the page."""
    text, title = html_text("<head><title>T</title><meta charset=utf-8><p>one<p>two")

    assert "one\n\ntwo\n" == canonical_text(text)
    assert "T" == title


def test_html_document_type_with_declarations() -> None:
    """What a document type declares for itself is no text."""
    page = '<!DOCTYPE html [<!ENTITY a "b">\n<!ENTITY c "d">]>\n<p>one'
    assert "one" == html_text(page)[0].strip()


@pytest.mark.parametrize(
    "piece", ["<!--", "<!-- >", "<a ", "</", "<a x='", '<a x="><a" x=', "<x y=", "<?", "<!d", "<b"]
)
def test_html_that_does_not_end(piece: str) -> None:
    """Megabytes of tags and comments without an end are read, and none of it is lost."""
    page = "<p>one</p>" + piece * (500_000 // len(piece)) + "two"
    text, _ = html_text(page)

    assert text.startswith("one")
    assert text.endswith("two")


def test_html_with_a_few_odd_tags_is_read_as_ever() -> None:
    """A quote that does not close, a tag inside a comment or a script: none of it turns to text."""
    page = "<p>one <!-- <b --> two<script>if (i<n) a='<!--'</script> <i title='a > b'>three</i>"
    assert "one two three" == " ".join(html_text(page)[0].split())


def test_html_escaped_markup_stays_text() -> None:
    """Escaped hostile markup is text; real markup of the same kind has none."""
    text, _ = html_text("<p>&lt;/script&gt;&lt;img src=x onerror=y&gt;</script><img src=x> end")

    assert "</script><img src=x onerror=y> end\n" == canonical_text(text)


@pytest.mark.parametrize(
    "markup", ["<?xml version='1.0'?><html xmlns='x'><p>a</p></html>", "a.html", "http://a.b/c"]
)
def test_html_makes_no_noise(markup: str) -> None:
    """Pages that look like XML or like an address raise no warning."""
    assert html_text(markup)[0]


def test_html_may_nest_deeper_than_python_recurses() -> None:
    """Ten thousand open elements are read."""
    text, _ = html_text("<div>" * 10_000 + "deep" + "</div>" * 10_000)

    assert "deep" == text


def test_html_that_cannot_be_parsed_is_refused() -> None:
    """The parser's refusal becomes a message."""
    with pytest.raises(ValueError, match="not readable HTML"):
        html_text("<![unknown[ x")


def test_pdf_text_and_title(pdf: Callable[..., bytes]) -> None:
    """Text and title of a PDF are read."""
    text, title = pdf_text(pdf(title="Costs 2024"))

    assert "Travel costs grew.\n" == canonical_text(text)
    assert "Costs 2024" == title


def test_pdf_without_a_text_layer_is_empty(pdf: Callable[..., bytes]) -> None:
    """A scan gives no text."""
    assert "" == canonical_text(pdf_text(pdf(""))[0])


def test_pdf_refuses_encryption(pdf: Callable[..., bytes]) -> None:
    """An encrypted file is refused, saying what to do."""
    with pytest.raises(ValueError, match=r"encrypted PDF\. Save a copy without a password"):
        pdf_text(pdf(password="secret"))


@pytest.mark.parametrize("length", [0, 5, 200])
def test_pdf_refuses_damage(pdf: Callable[..., bytes], length: int) -> None:
    """A file that was cut is refused."""
    with pytest.raises(ValueError, match="damaged PDF"):
        pdf_text(pdf()[:length])
