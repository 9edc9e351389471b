"""Documents for the Researcher to search: a corpus by its folder and its passport."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict

from workbench.errors import CorpusError

if TYPE_CHECKING:
    from workbench.engine.protocol import World
    from workbench.knowledge.retrieval import Index


class Documents(BaseModel):
    """A folder of documents, as it is recorded in a run.

    Attributes
    ----------
    source : str
        The folder.
    passport : str
        The SHA-256 of its passport when it was read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    passport: str

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a folder's passport.

        Raises
        ------
        CorpusError
            If the folder or a file in it is not usable.
        """
        from workbench.knowledge.corpus import Corpus

        source = os.fspath(folder)
        return cls(source=source, passport=Corpus.read(source).passport.sha256)

    def world(self) -> World:
        """Return the tool ``search`` over these documents.

        The folder is read at the first search. One that has changed since then is refused: its
        answers would not be those of the recorded run.
        """
        from workbench.knowledge.tool import search_tool

        return {"search": search_tool(self._index)}

    def _index(self, corpus: str) -> Index:
        from workbench.knowledge.corpus import Corpus
        from workbench.knowledge.retrieval import Index

        found = Corpus.read(self.source)
        if found.passport.sha256 != self.passport:
            raise CorpusError(
                f"{self.source} has changed since this run began: its passport is "
                f"{found.passport.sha256[:12]}, and the run's is {self.passport[:12]}; "
                "restore the documents, or start a new run"
            )
        return Index(found)
