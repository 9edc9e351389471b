"""Canonical text: one spelling of a document's content, whatever its file looked like."""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
import warnings
from typing import TYPE_CHECKING

from workbench.knowledge.markup import tamed

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

# fmt: off
_UNSEEN = frozenset({
    "script", "style", "template", "title", "noscript", "iframe", "object", "svg", "canvas",
    "audio", "video",  # not "head": its end tag may be left out, and the parser then nests the body
})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details",
    "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "header", "hr", "html", "main", "nav", "ol", "p", "pre", "section", "summary", "table",
    "tbody", "tfoot", "thead", "ul",
})
# fmt: on
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")


def canonical_text(text: str) -> str:
    """Return the canonical form of decoded text; a second pass changes nothing.

    Parameters
    ----------
    text : str
        Decoded text.

    Returns
    -------
    str
        No byte-order mark at the front, Unicode NFC, newlines as LF, no white space at the end of
        a line, exactly one LF at the end. Text without a visible character gives
        ``""``. Characters such as U+2028 are white space within a line, not newlines.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = unicodedata.normalize("NFC", text).split("\n")
    text = "\n".join(line.rstrip() for line in lines).rstrip("\n")
    return text + "\n" if text.strip() else ""


def decode(data: bytes) -> str:
    """Decode a text file's bytes as UTF-8.

    Parameters
    ----------
    data : bytes
        The file's content.

    Returns
    -------
    str
        The text, not yet canonical.

    Raises
    ------
    ValueError
        The bytes hold a NUL (binary, or UTF-16) or are not UTF-8; the message says at which byte
        and what to do, and expects the file's name in front.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(
            "is UTF-16, not UTF-8 text. Convert it, for example with `iconv -f UTF-16 -t UTF-8`"
        )
    nul = data.find(b"\0")
    if nul >= 0:
        raise ValueError(
            f"holds binary content (a NUL byte at offset {nul}). Remove it from the corpus, or "
            "convert it to UTF-8 text"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"is not UTF-8 text (byte 0x{data[error.start]:02X} at offset {error.start}). Convert "
            "it, for example with `iconv -f WINDOWS-1252 -t UTF-8`"
        ) from error


def html_text(markup: str) -> tuple[str, str]:
    """Return the visible text of an HTML page and its title.

    Scripts, styles, comments and elements hidden by attribute or inline style are left out. Block
    elements end lines; headings become markdown headings, list items ``- item``, table rows
    ``| cell | cell |``, so that passages can be split and named as in markdown. The time is linear
    in the page, also where its tags do not end (see `tamed`).

    Parameters
    ----------
    markup : str
        The page.

    Returns
    -------
    text : str
        Visible text, not yet canonical.
    title : str
        The ``<title>``, else the first ``<h1>``, else ``""``.

    Raises
    ------
    ValueError
        The markup cannot be parsed.
    """
    from bs4 import BeautifulSoup, UnusualUsageWarning
    from bs4.exceptions import ParserRejectedMarkup

    with warnings.catch_warnings():
        # bs4 warns where a page looks like XML or like a URL; both are still text to us.
        warnings.simplefilter("ignore", UnusualUsageWarning)
        try:
            soup = BeautifulSoup(tamed(markup), "html.parser")
        except ParserRejectedMarkup as error:
            raise ValueError(f"is not readable HTML ({error}). Repair or remove it") from error
    named = soup.title or soup.h1
    title = " ".join(named.get_text().split()) if named else ""
    return _visible(soup), title


def pdf_text(data: bytes) -> tuple[str, str]:
    """Return the text of a PDF, pages apart by a blank line, and its title.

    Parameters
    ----------
    data : bytes
        The file's content.

    Returns
    -------
    text : str
        Text as pypdf extracts it, not yet canonical; ``""`` for a scan without a text layer.
    title : str
        The title in the file's metadata, or ``""``.

    Raises
    ------
    ValueError
        The file is encrypted or damaged.
    """
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if not reader.is_encrypted:
            text = "\n\n".join(page.extract_text() for page in reader.pages)
            title = str((reader.metadata and reader.metadata.title) or "")
            return _well_formed(text), " ".join(_well_formed(title).split())
    except Exception as error:  # pypdf meets damage with nearly any exception
        raise ValueError(
            f"is a damaged PDF ({type(error).__name__}: {error}). Save it again, or put its text "
            "in a .txt file"
        ) from error
    raise ValueError("is an encrypted PDF. Save a copy without a password")


def _well_formed(text: str) -> str:
    """Text that UTF-8 can hold: surrogate pairs joined, lone ones replaced, NULs dropped."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


class _Page:
    """Lines under construction: breaks wait until there is text to put after them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.breaks = 0
        self.prefix = ""
        self.one_line = 0

    def end_line(self, count: int) -> None:
        if self.one_line:
            self.write(" ")
        elif self.pieces:
            self.breaks = max(self.breaks, count)

    def write(self, text: str, *, verbatim: bool = False) -> None:
        at_start = not self.pieces or self.breaks
        if at_start and not verbatim:
            text = text.lstrip(" ")
        if not text:
            return
        self.pieces.append("\n" * self.breaks + self.prefix + text)
        self.breaks, self.prefix = 0, ""


def _visible(root: Tag) -> str:
    """Walk the tree with a stack of our own: a hostile page nests deeper than Python recurses."""
    from bs4.element import NavigableString, PreformattedString, Tag

    page, verbatim = _Page(), 0
    stack: list[tuple[PageElement, bool]] = [(root, True)]
    while stack:
        node, entering = stack.pop()
        if isinstance(node, Tag):
            if entering:
                if _unseen(node):
                    continue
                stack.append((node, False))
                stack.extend((child, True) for child in reversed(node.contents))
                _open(page, node.name)
                verbatim += node.name == "pre"
            else:
                verbatim -= node.name == "pre"
                _close(page, node.name)
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            keep = bool(verbatim) and not page.one_line
            page.write(str(node) if keep else _SPACE.sub(" ", node), verbatim=keep)
    return "".join(page.pieces)


def _unseen(tag: Tag) -> bool:
    style = tag.get("style")
    return (
        tag.name in _UNSEEN
        or tag.has_attr("hidden")
        or (isinstance(style, str) and _HIDDEN_STYLE.search(style) is not None)
    )


def _open(page: _Page, name: str) -> None:
    if name in _HEADINGS:
        page.end_line(2)
        page.prefix = "" if page.one_line else _HEADINGS[name]
        page.one_line += 1
    elif name == "tr":
        page.end_line(1)
    elif name in ("td", "th"):
        page.write("| ")
        page.one_line += 1
    elif name == "li":
        page.end_line(1)
        page.prefix = "" if page.one_line else "- "
    elif name in _BLOCKS:
        page.end_line(2)
    elif name == "br":
        page.end_line(1)


def _close(page: _Page, name: str) -> None:
    if name in _HEADINGS:
        page.one_line -= 1
        page.prefix = ""
        page.end_line(2)
    elif name in ("td", "th"):
        page.write(" ")
        page.one_line -= 1
    elif name == "tr":
        page.write("|")
        page.end_line(1)
    elif name == "li":
        page.prefix = ""
        page.end_line(1)
    elif name in _BLOCKS:
        page.end_line(2)
