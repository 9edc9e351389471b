"""The folder of documents that a run names: where it is, and whether it is still what was read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import CorpusError

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus


def corpus_folder(corpus: str, near: Path | None = None) -> Path:
    """Return the folder of a corpus.

    Parameters
    ----------
    corpus : str
        The folder. One with a relative name is looked for in `near` as well.
    near : Path, optional
        The folder of the run's file.

    Raises
    ------
    CorpusError
        If the folder is not there: before anything is sent.
    """
    places = [Path(corpus), *([] if near is None else [near / corpus])]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise CorpusError(f"{corpus}: no such folder; the run reads its documents")
    return folder


def read_unchanged(folder: Path, passport: str | None) -> Corpus:
    """Read a corpus that must be the one with a passport; any will do where that is None.

    Raises
    ------
    CorpusError
        If it has changed: answers from it would not be those of the recorded run.
    """
    from workbench.knowledge.corpus import Corpus

    found = Corpus.read(folder)
    if passport is not None and found.passport.sha256 != passport:
        raise CorpusError(
            f"{folder} has changed since this run began: its passport is "
            f"{found.passport.sha256[:12]}, and the run's is {passport[:12]}; "
            "restore the documents, or start a new run"
        )
    return found
