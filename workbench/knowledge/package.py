"""Retrieval packages: what interpreters are given to read, as JSON that its digest addresses.

"When Agreement Means Something", section 2, layer 2, and section 12.1, mitigation 2. The form is
that of the consultation's ``RetrievalPackage``: this makes it, that checks it. Decisions:

- A sub-query's passages are those that a search finds for it, those that its claims stand in, and
  what the claims there that share a word with it lean on, one step far: the definition of a term, a
  section referred to.
- With a passage come the passages that it replaces and that replace it: whether two versions say
  two things is for the readers to find, not for the search to hide. A version that is word for word
  the same adds nothing and stays out, the one in force remaining.
- Of several documents with one content, one is shown: two readers who cite two copies would seem to
  have seen different evidence. `context` names the copies.
- Retrieval diversity: each interpreter has a path of its own, in turn another kind of search or
  other words. Passages stand in the order of the corpus on every path, so that their order tells
  nothing of it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.errors import CorpusError
from workbench.knowledge.claims import Structure, digest_of
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.decomposition import Aligned, Aligner, parts_of
from workbench.knowledge.extraction import extract
from workbench.knowledge.ledger import Ledger
from workbench.knowledge.terms import content_words
from workbench.knowledge.versions import Versions, duplicates, versions_of

if TYPE_CHECKING:
    from workbench.knowledge.retrieval import Index

MODES = ("consultation", "verification")

COHERENCE = (
    "Which of these passages state things that cannot both be true?",
    "Which words or terms do these passages use in two ways?",
    "Which statements depend on something that these passages do not establish?",
)
"""The sub-queries of a verification (section 9: claim consistency, terms, dependency integrity)."""


class Route(NamedTuple):
    """A way to find passages: how to search, and with what words.

    ``claims`` searches by no words: it takes the passages that the aligned claims stand in.
    """

    mode: str
    words: str


class Packager:
    """Makes retrieval packages of one corpus; what it needs to know of it, it works out once.

    Parameters
    ----------
    index : Index
        Searches the corpus.
    structure : Structure, optional
        Of the same corpus; by rules if not given.

    Raises
    ------
    CorpusError
        The structure is another corpus's.
    """

    def __init__(self, index: Index, structure: Structure | None = None) -> None:
        corpus = index.corpus
        self.index = index
        self.versions: Versions = versions_of(corpus.documents, corpus.passages)
        self.structure = extract(corpus, self.versions) if structure is None else structure
        if self.structure.passport != corpus.passport.sha256:
            raise CorpusError(
                f"the structure is of the corpus {self.structure.passport[:12]}, and this is "
                f"{corpus.passport.sha256[:12]}: extract it again"
            )
        self._aligner = Aligner(self.structure)
        self._copies = self._find_copies()
        self._leans: defaultdict[str, list[str]] = defaultdict(list)
        for one in self.structure.dependencies:
            self._leans[one.claim].append(one.on)

    def package(
        self,
        question: str,
        *,
        mode: str = "consultation",
        passages: int = 6,
        paths: int = 0,
        include: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return a retrieval package.

        Parameters
        ----------
        question : str
            As the user asks it.
        mode : {"consultation", "verification"}
            In a verification the sub-queries are `COHERENCE`, and the question says where to look.
        passages : int
            That a search returns for each sub-query; their versions and those of claims come on
            top.
        paths : int
            Interpreters that are to have a path of their own; 0: all read everything.
        include : sequence of str
            Ids of passages that everyone is given.

        Returns
        -------
        dict
            JSON, with its ``digest``: equal for equal arguments and corpus.

        Raises
        ------
        CorpusError
            `include` names a passage that is not there.
        ValueError
            The question is blank, or the mode is none.
        """
        if not question.strip():
            raise ValueError("a question is needed: there is nothing to look for")
        if mode not in MODES:
            raise ValueError(f"mode={mode!r}: use 'consultation' or 'verification'")
        corpus = self.index.corpus
        texts = COHERENCE if mode == "verification" else parts_of(question)
        queries = [self._aligner.align(text, n) for n, text in enumerate(texts, 1)]
        found: dict[str, set[str]] = {}
        by_path: dict[str, set[str]] = {}
        for number, route in enumerate(self._routes(paths), 1):
            own: set[str] = {self._shown(corpus.passage(id).id) for id in include}
            for id in own:
                found.setdefault(id, set())
            for query in queries:
                for id in self._with_versions(self._search(route, question, query, mode, passages)):
                    found.setdefault(id, set()).add(query.id)
                    own.add(id)
            by_path[str(number)] = own
        order = [passage.id for passage in corpus.passages if passage.id in found]
        body: dict[str, Any] = {
            "mode": mode,
            "question": question,
            "passport": {
                "sha256": corpus.passport.sha256,
                "splitter": corpus.passport.splitter,
                "documents": len(corpus.passport.documents),
                "passages": corpus.passport.passages,
            },
            "sub_queries": [
                {
                    "id": query.id,
                    "text": query.text,
                    "claims": list(query.claims),
                    "terms": list(query.terms),
                }
                for query in queries
            ],
            "passages": [self._passage(id, found[id]) for id in order],
            "paths": {n: [id for id in order if id in own] for n, own in by_path.items()}
            if paths
            else {},
            "context": self._context(order, paths),
        }
        return {"digest": digest_of(body), **body}

    def _routes(self, paths: int) -> list[Route]:
        kinds = ["hybrid", "lexical", "dense"] if self.index.mode == "hybrid" else ["lexical"]
        if not paths:
            return [Route(kinds[0], "sub-query"), Route("claims", "")]
        routes = [Route(kind, "sub-query") for kind in kinds]
        routes += [Route("claims", ""), *(Route(kind, "question") for kind in kinds)]
        routes += [Route(kind, "terms") for kind in kinds]
        return [routes[n % len(routes)] for n in range(paths)]

    def _search(
        self, route: Route, question: str, query: Aligned, mode: str, passages: int
    ) -> Iterator[str]:
        claims = query.claims
        if mode == "verification":  # its sub-queries have no words of the corpus
            claims = self._aligner.claims(question, passages)
        if route.mode == "claims":
            # An interpreter whose claims are found nowhere has nothing to read: search instead.
            if claims:
                for id in claims:
                    yield from self._leading(self.structure.claim(id).passage, query.text)
                return
            route = Route(self.index.mode, "question")
        text = question if mode == "verification" or route.words == "question" else query.text
        if route.words == "terms":
            labels = [term.label for term in self.structure.terms if term.id in query.terms]
            text = " ".join([*labels, *(self.structure.claim(id).text for id in claims[:2])])
            text = text or query.text
        for hit in self.index.search(text, passages, mode=route.mode):  # type: ignore[arg-type]
            yield from self._leading(hit.passage.id, query.text)

    def _leading(self, id: str, text: str) -> Iterator[str]:
        """Yield a passage, and those that its claims about a text lean on."""
        yield id
        wanted = content_words(text)
        for claim in self.structure.of_passage(id):
            leans = self._leans.get(claim.id)
            if leans and wanted & content_words(claim.text):
                for on in leans:
                    yield self.structure.claim(on).passage

    def _with_versions(self, ids: Iterator[str]) -> Iterator[str]:
        corpus = self.index.corpus
        for id in ids:
            for one in (id, *self.versions.older(id), *self.versions.newer(id)):
                if "#p" in one:  # not a document that leaves the passage out
                    yield self._shown(corpus.passage(one).id)

    def _find_copies(self) -> dict[str, str]:
        """Return for each passage that is not shown the one that is shown in its place."""
        corpus = self.index.corpus
        places: defaultdict[str, list[str]] = defaultdict(list)
        for passage in corpus.passages:
            places[passage.document].append(passage.id)
        copies: dict[str, str] = {}
        for group in duplicates(corpus.documents):
            kept = next((id for id in group if self.versions.in_force(id)), group[0])
            for other in group:
                if other != kept:
                    copies.update(zip(places[other], places[kept], strict=True))
        for one in self.versions.replacements:
            if one.change == "same":
                copies.setdefault(one.old, one.new)
        return copies

    def _shown(self, id: str) -> str:
        seen = {id}
        while (other := self._copies.get(id, id)) not in seen:
            seen.add(other)
            id = other
        return id

    def _passage(self, id: str, queries: set[str]) -> dict[str, Any]:
        passage = self.index.corpus.passage(id)
        return {
            "id": id,
            "text": passage.text,
            "document": passage.document,
            "heading": passage.heading,
            "version": self.versions.labels[passage.document],
            "supersedes": list(self.versions.older(id)),
            "superseded_by": list(self.versions.newer(id)),
            "sub_queries": sorted(queries),
        }

    def _context(self, order: Sequence[str], paths: int) -> dict[str, Any]:
        """Return what is known of these passages; interpreters are shown nothing of it."""
        shown = set(order)
        claims = [claim for id in order for claim in self.structure.of_passage(id)]
        ids = {claim.id for claim in claims}
        return {
            "structure": self.structure.digest,
            "claims": [
                {"id": c.id, "type": c.type, "text": c.text, "terms": list(c.terms)} for c in claims
            ],
            "dependencies": [
                one.model_dump(mode="json")
                for one in self.structure.dependencies
                if one.claim in ids and one.on in ids
            ],
            "copies": {
                old: self._shown(old) for old in sorted(self._copies) if self._shown(old) in shown
            },
            "routes": [f"{route.mode} {route.words}".strip() for route in self._routes(paths)],
        }


def package_digest(package: Mapping[str, Any]) -> str:
    """Return the digest that a package should have: of all its other fields."""
    return digest_of({name: value for name, value in package.items() if name != "digest"})


class PackageTool:
    """The tools ``package`` and ``passport`` of a consultation's world, over a folder.

    The corpus is read at the first call and looked at again at each later one; only files that
    changed are read again (`Ledger`).

    Parameters
    ----------
    folder : Path
        Of documents.
    passport : str, optional
        The SHA-256 of a passport. A corpus that is no longer that one is refused.
    focus : callable, optional
        Takes a structure, the versions, and how many passages at most; returns the ids of those
        that every package of a verification holds.
    """

    def __init__(
        self,
        folder: Path,
        passport: str | None = None,
        focus: Callable[[Structure, Versions, int], Sequence[str]] | None = None,
    ) -> None:
        self._folder = folder
        self._focus = focus
        self._wanted = passport
        self._ledger = Ledger(folder)
        self._packager: Packager | None = None
        self._lock = threading.Lock()

    def package(
        self, *, question: str, mode: str = "consultation", passages: int = 6, paths: int = 0
    ) -> dict[str, Any]:
        """Return a retrieval package as JSON, see `Packager.package`."""
        from workbench.knowledge.retrieval import Index

        with self._lock:
            corpus: Corpus = self._ledger.read()
            is_ = corpus.passport.sha256
            if self._wanted is not None and is_ != self._wanted:
                raise CorpusError(
                    f"{self._folder} has changed since this run began: its passport is "
                    f"{is_[:12]}, and the run's is {self._wanted[:12]}; restore the documents, or "
                    "start a new run"
                )
            if self._packager is None or self._packager.structure.passport != is_:
                self._packager = Packager(Index(corpus))
            packager = self._packager
            include: Sequence[str] = ()
            if mode == "verification" and self._focus is not None:
                include = self._focus(packager.structure, packager.versions, passages)
            return packager.package(
                question, mode=mode, passages=passages, paths=paths, include=include
            )

    def passport(self) -> dict[str, Any]:
        """Return the passport of the corpus as it is now, or why there is none."""
        try:
            with self._lock:
                return {"sha256": self._ledger.read().passport.sha256, "error": ""}
        except CorpusError as error:
            return {"sha256": None, "error": str(error)}
