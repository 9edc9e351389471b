"""Documents for the Researcher to search: the tool ``search`` over a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.errors import CorpusError

if TYPE_CHECKING:
    from workbench.engine.protocol import World
    from workbench.knowledge.retrieval import Index


def search_documents(passport: str | None = None) -> World:
    """Return the tool ``search``, which reads the folder that a search names at the first one.

    Parameters
    ----------
    passport : str, optional
        The SHA-256 of the folder's passport. Documents that are no longer those are refused: their
        answers would not be those of the recorded run.
    """
    from workbench.knowledge.tool import search_tool

    def index(name: str) -> Index:
        from workbench.knowledge.corpus import Corpus
        from workbench.knowledge.retrieval import Index

        found = Corpus.read(name)
        if passport is not None and found.passport.sha256 != passport:
            raise CorpusError(
                f"{name} has changed since this run began: its passport is "
                f"{found.passport.sha256[:12]}, and the run's is {passport[:12]}; "
                "restore the documents, or start a new run"
            )
        return Index(found)

    return {"search": search_tool(index)}
