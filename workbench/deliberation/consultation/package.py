"""The tools of a consultation's world: the package, and the passport once all have read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.engine.protocol import World


def tools(corpus: str, passport: str | None = None, near: Path | None = None) -> World:
    """Return the tools ``package`` and ``passport`` over a folder of documents.

    Parameters
    ----------
    corpus : str
        The folder. One with a relative name is looked for in `near` as well, the folder of the
        run's file.
    passport : str, optional
        The SHA-256 of its passport. A corpus that is no longer that one is refused: its package
        would not be that of the recorded run.

    Raises
    ------
    CorpusError
        If the folder is not there: before anything is sent.
    """
    from workbench.deliberation.coherence import focus
    from workbench.knowledge.folder import corpus_folder
    from workbench.knowledge.package import PackageTool

    folder = corpus_folder(corpus, near)
    tool = PackageTool(folder, passport, focus)
    return {"package": tool.package, "passport": tool.passport}
