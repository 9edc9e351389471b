"""Reading the documents of a folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from workbench.errors import CorpusError
from workbench.knowledge.documents import Document, read_documents

Write = Callable[[Mapping[str, str | bytes]], Path]


def test_documents_are_sorted_and_canonical(folder: Write, pdf: Callable[..., bytes]) -> None:
    """Every suffix is read; ids are posix paths in order; digests are of text and own title."""
    root = folder(
        {
            "b/z.txt": "z\r\n",
            "b/a.MD": "\ufeffIntro\n\n# Cafe\u0301 #\n",
            "a.html": "<title>T</title><p>x",
            "c.htm": "<p>y",
            "d.pdf": pdf("Costs"),
        }
    )

    documents, skipped = read_documents(root)

    assert ["a.html", "b/a.MD", "b/z.txt", "c.htm", "d.pdf"] == [d.id for d in documents]
    assert ["T", "Café", "z", "c", "d"] == [d.title for d in documents]
    assert ["x\n", "Intro\n\n# Café #\n", "z\n", "y\n", "Costs\n"] == [d.text for d in documents]
    digested = ["T\0x\n", *(d.text for d in documents[1:])]
    assert [hashlib.sha256(t.encode()).hexdigest() for t in digested] == [
        d.sha256 for d in documents
    ]
    assert {} == skipped


def test_what_is_not_a_document_is_listed(folder: Write, pdf: Callable[..., bytes]) -> None:
    """Hidden files, other suffixes, the root's README and empty documents are named."""
    root = folder(
        {
            "README.md": "source, licence",
            "case.json": "{}",
            "Makefile": "x",
            ".git/a.md": "x",
            "one/README.md": "a document",
            "one/.hidden.md": "x",
            "one/empty.md": " \n\u2028",
            "one/scan.pdf": pdf(""),
        }
    )
    os.mkfifo(root / "pipe.txt")

    documents, skipped = read_documents(root)

    assert ["one/README.md"] == [d.id for d in documents]
    assert {
        ".git": "hidden",
        "Makefile": "not a document (no suffix)",
        "README.md": "describes the corpus",
        "case.json": "not a document (.json)",
        "one/.hidden.md": "hidden",
        "one/empty.md": "no text in it",
        "one/scan.pdf": "no text in it (a scan needs OCR first)",
        "pipe.txt": "not a regular file",
    } == skipped
    assert sorted(skipped) == list(skipped)


def test_within_reads_one_folder_only(folder: Write) -> None:
    """Ids stay relative to the root, and a fault elsewhere does not matter."""
    root = folder({"a/x/1.md": "one", "a/2.md": "two", "b/bad.txt": b"\0", "ab/3.md": "no"})

    documents, _ = read_documents(root, within="a")

    assert ["a/2.md", "a/x/1.md"] == [d.id for d in documents]


@pytest.mark.parametrize("within", ["", ".", "..", "a/../b", "/etc"])
def test_within_must_lie_under_the_root(folder: Write, within: str) -> None:
    """A folder outside of the root, or none, is refused."""
    root = folder({"a/1.md": "one", "b/1.md": "two"})
    with pytest.raises(CorpusError, match="is not a folder under"):
        read_documents(root, within=within)


def test_within_names_the_folders_there_are(folder: Write) -> None:
    """A missing folder is answered with those that exist."""
    root = folder({"sales/1.md": "one", "legal/1.md": "two"})
    with pytest.raises(CorpusError, match="There are: legal, sales"):
        read_documents(root, within="finance")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.md": b"x\0y"}, r"a\.md: holds binary content .*offset 1.*Remove it"),
        ({"a.txt": b"caf\xe9"}, r"a\.txt: is not UTF-8 .*offset 3.*iconv"),
        ({"a.pdf": b"%PDF-1.4 cut"}, r"a\.pdf: is a damaged PDF.*Save it again"),
        ({"a.md": b"x" * 1001}, r"a\.md: 1,001 bytes, over the limit of 1,000.*max_bytes"),
        ({"case.json": "{}"}, r"no documents in it.*\.md.*case\.json: not a document"),
        ({"a.md": "\n"}, r"no documents in it.*a\.md: no text"),
    ],
)
def test_unusable_content(folder: Write, files: dict[str, str | bytes], message: str) -> None:
    """The error names the file, says what is wrong and what to do."""
    with pytest.raises(CorpusError, match=message):
        read_documents(folder(files), max_bytes=1000)


def test_encrypted_pdf(folder: Write, pdf: Callable[..., bytes]) -> None:
    """A PDF with a password is refused."""
    with pytest.raises(CorpusError, match=r"a\.pdf: is an encrypted PDF"):
        read_documents(folder({"a.pdf": pdf(password="x")}))


@pytest.mark.parametrize("name", ["nowhere", "~nobody-of-that-name/x", "nul\0"])
def test_missing_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A folder that is not there is named."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=f"{name}: no such folder"):
        read_documents(name)


def test_title_is_not_a_comment_in_code(folder: Write) -> None:
    """The first heading outside of code names a markdown document."""
    root = folder({"a.md": "```sh\n# install\n```\n\n## Setup ##\n", "b.md": "no heading"})

    assert ["Setup", "b"] == [d.title for d in read_documents(root)[0]]


def test_file_instead_of_folder(folder: Write) -> None:
    """A file is not a corpus."""
    with pytest.raises(CorpusError, match=r"a\.md: not a folder"):
        read_documents(folder({"a.md": "x"}) / "a.md")


def test_unreadable_file(folder: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without read permission is named (faked: root may read anything)."""

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    root = folder({"a.md": "x"})
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(CorpusError, match=r"a\.md: cannot be read \(Permission denied\)"):
        read_documents(root)


def test_unreadable_folder(folder: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be listed is an error, not an empty folder."""
    root = folder({"a.md": "x", "b/c.md": "y"})
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(CorpusError, match=r"b: cannot be listed \(Permission denied\)"):
        read_documents(root)


@pytest.mark.parametrize("is_folder", [False, True])
def test_link_out_of_the_root(folder: Write, tmp_path: Path, is_folder: bool) -> None:
    """A link that leaves the corpus is refused, to a file or to a folder."""
    root = folder({"a.md": "x"})
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("key")
    (root / "link.md").symlink_to(secret if is_folder else secret / "key.md")
    with pytest.raises(CorpusError, match=r"link\.md: a link that leaves the corpus"):
        read_documents(root)


def test_links_within_the_root(folder: Write) -> None:
    """A link to a file inside is a document; one to a folder is skipped, so no loop is walked."""
    root = folder({"a/a.md": "x"})
    (root / "b.md").symlink_to(root / "a" / "a.md")
    (root / "a" / "up").symlink_to(root)
    documents, skipped = read_documents(root)

    assert ["a/a.md", "b.md"] == [d.id for d in documents]
    assert {"a/up": "a link to a folder"} == skipped


def test_root_may_be_a_link(folder: Write, tmp_path: Path) -> None:
    """The corpus folder itself may be linked to."""
    (tmp_path / "link").symlink_to(folder({"a.md": "x"}))

    assert ["a.md"] == [d.id for d in read_documents(tmp_path / "link")[0]]


@pytest.mark.parametrize("target", ["gone.md", "b.md"])
def test_broken_links(folder: Write, target: str) -> None:
    """A link to nothing, or to itself, is an error that names it."""
    root = folder({"a.md": "x"})
    (root / "b.md").symlink_to(target)
    with pytest.raises(CorpusError, match=r"b\.md: "):
        read_documents(root)


def test_names_are_normalised(folder: Write) -> None:
    """A name in decomposed form (macOS) gives the same id; two that collide are refused."""
    root = folder({"cafe\u0301.md": "x"})

    assert ["caf\u00e9.md"] == [d.id for d in read_documents(root)[0]]

    (root / "caf\u00e9.md").write_text("y")
    with pytest.raises(CorpusError, match="two files have this name"):
        read_documents(root)


def test_name_that_is_not_utf8(folder: Write) -> None:
    """A file name that cannot be written to a run is refused."""
    root = folder({"a.md": "x"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    with pytest.raises(CorpusError, match="its name is not UTF-8"):
        read_documents(root)


def test_document_is_a_value() -> None:
    """Documents are frozen and compare by content."""
    one = Document(id="a.md", title="a", text="x\n", sha256="0")

    assert one == Document(id="a.md", title="a", text="x\n", sha256="0")
    with pytest.raises(AttributeError):
        one.text = "y"  # type: ignore[misc]


def test_messages_hold_the_whole_path(folder: Write) -> None:
    """The reader is told where the file is, not only its name."""
    root = folder({"deep/er/a.md": b"\0"})
    with pytest.raises(CorpusError, match=re.escape(str(root / "deep/er/a.md"))):
        read_documents(root)


@pytest.mark.parametrize("name", ["a.html", "a.pdf"])
def test_a_title_that_is_not_in_the_text_is_digested(
    folder: Write, pdf: Callable[..., bytes], name: str
) -> None:
    """What decides which document supersedes which is a part of what a passport covers."""

    def read(title: str) -> Document:
        data = pdf("x", title=title) if name == "a.pdf" else f"<title>{title}</title><p>x"
        (document,), _ = read_documents(folder({name: data}))
        return document

    one, other = read("One"), read("Other")

    assert (one.text, "One", "Other") == (other.text, one.title, other.title)
    assert one.sha256 != other.sha256
