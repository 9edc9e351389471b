"""The tools of a consultation's world: the retrieval package, and the passport once all have read.

Layer 2 in its plainest form: the question's sentences are the sub-queries, and the passages are
those that a hybrid search finds for each.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.deliberation.consultation.facts import (
    Mode,
    PackagedPassage,
    PackagedPassport,
    RetrievalPackage,
    SubQuery,
)
from workbench.errors import CorpusError

if TYPE_CHECKING:
    from workbench.engine.protocol import World
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.retrieval import Index

MOST_SUB_QUERIES = 4
_SENTENCE = re.compile(r"(?<=[?.!;])\s+")

COHERENCE = (
    "Which of these passages state things that cannot both be true?",
    "Which words or terms do these passages use in two ways?",
    "Which statements depend on something that these passages do not establish?",
)
"""The sub-queries of a verification (section 9: claim consistency, terms, dependency integrity)."""


def tools(
    corpus: str,
    passport: str | None = None,
    near: Path | None = None,
) -> World:
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
    places = [Path(corpus), *([] if near is None else [near / corpus])]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise CorpusError(f"{corpus}: no such folder; the interpreters read its documents")

    def package(
        *,
        question: str,
        mode: Mode = "consultation",
        passages: int = 6,
        paths: int = 0,
    ) -> dict[str, Any]:
        """Return a retrieval package as JSON."""
        from workbench.knowledge.corpus import Corpus
        from workbench.knowledge.retrieval import Index

        found = Corpus.read(folder)
        if passport is not None and found.passport.sha256 != passport:
            raise CorpusError(
                f"{folder} has changed since this run began: its passport is "
                f"{found.passport.sha256[:12]}, and the run's is {passport[:12]}; "
                "restore the documents, or start a new run"
            )
        made = build_package(Index(found), question, mode=mode, passages=passages, paths=paths)
        return made.model_dump(mode="json")

    def closing() -> dict[str, Any]:
        """Return the passport of the corpus as it is now, or why there is none."""
        from workbench.knowledge.corpus import Corpus

        try:
            return {"sha256": Corpus.read(folder).passport.sha256, "error": ""}
        except CorpusError as error:
            return {"sha256": None, "error": str(error)}

    return {"package": package, "passport": closing}


def build_package(
    index: Index,
    question: str,
    *,
    mode: Mode = "consultation",
    passages: int = 6,
    paths: int = 0,
) -> RetrievalPackage:
    """Decompose a question and find its passages.

    Parameters
    ----------
    passages : int
        For each sub-query, on each path.
    paths : int
        With retrieval diversity, how many interpreters are to have a path of their own (section
        12.1, mitigation 2): they search by words and meaning, by words, or by meaning, in turn.
    """
    queries = sub_queries(question, mode)
    ways = [index.mode] if not paths else _ways(index, paths)
    found: dict[str, dict[str, None]] = {}
    by_path: dict[str, dict[str, None]] = {}
    for n, way in enumerate(ways, 1):
        own = by_path.setdefault(str(n), {})
        for query in queries:
            wanted = question if mode == "verification" else query.text
            for hit in index.search(wanted, passages, mode=way):  # type: ignore[arg-type]
                found.setdefault(hit.passage.id, {})[query.id] = None
                own[hit.passage.id] = None
    corpus = index.corpus
    order = [passage.id for passage in corpus.passages if passage.id in found]
    return RetrievalPackage.of(
        mode=mode,
        question=question,
        passport=_packaged(corpus),
        sub_queries=queries,
        passages=tuple(
            PackagedPassage(
                id=id,
                text=corpus.passage(id).text,
                document=corpus.passage(id).document,
                heading=corpus.passage(id).heading,
                sub_queries=tuple(found[id]),
            )
            for id in order
        ),
        paths={n: tuple(id for id in order if id in own) for n, own in by_path.items()}
        if paths
        else {},
    )


def sub_queries(question: str, mode: Mode = "consultation") -> tuple[SubQuery, ...]:
    """Return a question's sub-queries: its sentences that ask, else the whole.

    Examples
    --------
    >>> [q.text for q in sub_queries("How long is notice? Who approves it?")]
    ['How long is notice?', 'Who approves it?']
    """
    if mode == "verification":
        texts: list[str] = list(COHERENCE)
    else:
        texts = [text for text in _SENTENCE.split(question.strip()) if text.endswith("?")]
        if not 1 < len(texts) <= MOST_SUB_QUERIES:
            texts = [question.strip()]
    return tuple(SubQuery(id=f"Q{n}", text=text) for n, text in enumerate(texts, 1))


def _ways(index: Index, paths: int) -> list[str]:
    kinds = ["hybrid", "lexical", "dense"] if index.mode == "hybrid" else ["lexical"]
    return [kinds[n % len(kinds)] for n in range(paths)]


def _packaged(corpus: Corpus) -> PackagedPassport:
    passport = corpus.passport
    return PackagedPassport(
        sha256=passport.sha256,
        splitter=passport.splitter,
        documents=len(passport.documents),
        passages=passport.passages,
    )
