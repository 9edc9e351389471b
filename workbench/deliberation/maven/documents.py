"""Documents for the Researcher to search: the tool ``search`` over a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import CorpusError

if TYPE_CHECKING:
    from workbench.engine.protocol import World
    from workbench.knowledge.retrieval import Index


def search_documents(corpus: str, passport: str | None = None, near: Path | None = None) -> World:
    """Return the tool ``search`` over a folder of documents, which is read at the first search.

    Parameters
    ----------
    corpus : str
        The folder. One with a relative name is looked for in `near` as well, the folder of the
        run's file.
    passport : str, optional
        The SHA-256 of its passport. Documents that are no longer those are refused: their answers
        would not be those of the recorded run.

    Raises
    ------
    CorpusError
        If the folder is not there: before anything is sent.
    """
    from workbench.knowledge.tool import search_tool

    places = [Path(corpus), *([] if near is None else [near / corpus])]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise CorpusError(f"{corpus}: no such folder; the run searches its documents")

    def index(_: str) -> Index:
        from workbench.knowledge.corpus import Corpus
        from workbench.knowledge.retrieval import Index

        found = Corpus.read(folder)
        if passport is not None and found.passport.sha256 != passport:
            raise CorpusError(
                f"{folder} has changed since this run began: its passport is "
                f"{found.passport.sha256[:12]}, and the run's is {passport[:12]}; "
                "restore the documents, or start a new run"
            )
        return Index(found)

    return {"search": search_tool(index)}
