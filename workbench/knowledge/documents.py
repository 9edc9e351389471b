"""Documents: the text files of a corpus folder, read into one canonical form."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.errors import CorpusError
from workbench.knowledge.blocks import Kind, atoms, heading
from workbench.knowledge.canonical import canonical_text, decode, html_text, pdf_text

SUFFIXES = (".md", ".txt", ".html", ".htm", ".pdf")
"""Suffixes of the files that are documents, in any case."""

MAX_BYTES = 20_000_000
"""Largest file read by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document of a corpus.

    Attributes
    ----------
    id : str
        Posix path relative to the corpus root, in Unicode NFC, e.g. ``finance_analyst/budget.md``.
    title : str
        The page's or file's own title, a markdown document's first heading, else the file's stem.
    text : str
        Canonical text (see `canonical_text`); never empty.
    sha256 : str
        Digest of `text` in UTF-8, hexadecimal; with the title before it, and a NUL between them,
        where the title is a page's or a PDF's own, so that it may not stand in the text.
    """

    id: str
    title: str
    text: str
    sha256: str


def read_documents(
    folder: str | Path,
    *,
    within: str | None = None,
    max_bytes: int = MAX_BYTES,
    read: Callable[..., Document | None] | None = None,
) -> tuple[tuple[Document, ...], dict[str, str]]:
    """Read every document of a folder tree.

    Parameters
    ----------
    folder : str or Path
        The corpus root.
    within : str, optional
        A folder under the root, as a posix path; only it is read. Ids stay relative to the root.
    max_bytes : int
        Size limit for one file.
    read : callable, optional
        Takes what `read_document` takes, in its place.

    Returns
    -------
    documents : tuple of Document
        Sorted by id.
    skipped : dict of str to str
        Path of each file or folder left out, relative to the root, and why; sorted by path.

    Raises
    ------
    CorpusError
        The folder is missing, not a folder, or holds no document; a file cannot be read, is too
        large, binary, not UTF-8, an encrypted or damaged PDF; a link leads out of the root.
    """
    root = corpus_root(folder)
    start = root if within is None else _folder_within(root, within)
    skipped: dict[str, str] = {}
    documents: dict[str, Document] = {}
    for path in _files(root, start, skipped):
        id = _id(root, path)
        if id in documents:
            raise CorpusError(
                f"{path}: two files have this name once Unicode is normalised; rename one"
            )
        document = (read or read_document)(path, id=id, max_bytes=max_bytes)
        if document is None:
            skipped[id] = "no text in it" + (
                " (a scan needs OCR first)" if id.lower().endswith(".pdf") else ""
            )
        else:
            documents[id] = document
    skipped = dict(sorted(skipped.items()))
    if not documents:
        left_out = "; ".join(f"{id}: {why}" for id, why in list(skipped.items())[:5])
        raise CorpusError(
            f"{start}: no documents in it. Put files with text there, ending in "
            f"{', '.join(SUFFIXES)}" + (f". Skipped: {left_out}" if left_out else "")
        )
    return tuple(documents[id] for id in sorted(documents)), skipped


def read_document(
    path: Path,
    *,
    id: str,
    max_bytes: int = MAX_BYTES,
) -> Document | None:
    """Read one file into a document.

    Parameters
    ----------
    path : Path
        The file; its suffix says how to read it.
    id : str
        The document's id.
    max_bytes : int
        Size limit.

    Returns
    -------
    Document or None
        None if the file holds no text.

    Raises
    ------
    CorpusError
        As in `read_documents`.
    """
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise CorpusError(
                f"{path}: {size:,} bytes, over the limit of {max_bytes:,}. Split the file, "
                "or raise `max_bytes`"
            )
        data = path.read_bytes()
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror or error}). Check its permissions"
        ) from error
    try:
        text, own = _extract(path, data)
    except ValueError as error:
        raise CorpusError(f"{path}: {error}") from error
    text = canonical_text(text)
    if not text:
        return None
    title = unicodedata.normalize("NFC", own or path.stem)
    is_apart = own and path.suffix.lower() in (".html", ".htm", ".pdf")
    digest = sha256_of(f"{title}\0{text}" if is_apart else text)
    return Document(id=id, title=title, text=text, sha256=digest)


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _extract(path: Path, data: bytes) -> tuple[str, str]:
    """Text and title by suffix; `ValueError` says what is wrong with the content."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return pdf_text(data)
    text = decode(data)
    if suffix in (".html", ".htm"):
        return html_text(text)
    return text, _first_heading(canonical_text(text)) if suffix == ".md" else ""


def _first_heading(text: str) -> str:
    for atom in atoms(text, small=1, large=MAX_BYTES):
        if atom.kind is Kind.HEADING:
            return heading(text[atom.start : atom.end])[1]
    return ""


def corpus_root(folder: str | Path) -> Path:
    """Return the absolute path of a corpus's root.

    Parameters
    ----------
    folder : str or Path
        Relative to the working directory, or with ``~``.

    Returns
    -------
    Path
        With links resolved.

    Raises
    ------
    CorpusError
        There is no such folder, or it is not a folder.
    """
    try:
        root = Path(folder).expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise CorpusError(
            f"{folder}: no such folder (looked from {Path.cwd()}). Check the path"
        ) from error
    if not root.is_dir():
        raise CorpusError(f"{folder}: not a folder. Name the folder that holds the documents")
    return root


def _folder_within(root: Path, within: str) -> Path:
    parts = PurePosixPath(within).parts
    start = root.joinpath(*parts)
    if not parts or ".." in parts or not start.is_relative_to(root):
        raise CorpusError(f"{within!r} is not a folder under {root}. Name one, e.g. 'sales/2024'")
    if not start.is_dir() or start.resolve() != start:
        there = sorted(p.name for p in root.iterdir() if p.is_dir() and p.name[0] != ".")
        raise CorpusError(f"{start}: no such folder. There are: {', '.join(there) or 'none'}")
    return start


def _files(root: Path, start: Path, skipped: dict[str, str]) -> Iterator[Path]:
    """Every document file under `start`; what is left out goes into `skipped`."""
    folders = [start]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            raise CorpusError(
                f"{folder}: cannot be listed ({error.strerror or error}). Check its permissions"
            ) from error
        for entry in listing:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                folders.append(path)
                continue
            why = _why_skipped(root, path, is_link=entry.is_symlink())
            if why:
                skipped[_id(root, path)] = why
            else:
                yield path


def _why_skipped(root: Path, path: Path, *, is_link: bool) -> str:
    """Why a file is not a document; empty if it is one."""
    if path.name.startswith("."):
        return "hidden"
    suffix = path.suffix.lower()
    is_document = suffix in SUFFIXES
    if is_link:
        target = _target(path)
        if (is_document or target.is_dir()) and not target.is_relative_to(root):
            raise CorpusError(
                f"{path}: a link that leaves the corpus (to {target}). Copy the file into the "
                "corpus, or remove the link"
            )
        if target.is_dir():
            return "a link to a folder"
    if not is_document:
        return f"not a document ({suffix or 'no suffix'})"
    if path.parent == root and path.name.casefold() == "readme.md":
        return "describes the corpus"
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror or error}). Mend or remove it"
        ) from error
    return "" if stat.S_ISREG(mode) else "not a regular file"


def _target(link: Path) -> Path:
    try:
        return link.resolve()
    except (OSError, RuntimeError) as error:  # 3.11 meets a loop with RuntimeError
        raise CorpusError(f"{link}: a link that leads to itself. Remove it") from error


def _id(root: Path, path: Path) -> str:
    id = unicodedata.normalize("NFC", path.relative_to(root).as_posix())
    try:
        id.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(f"{os.fsencode(path)!r}: its name is not UTF-8. Rename it") from error
    return id
