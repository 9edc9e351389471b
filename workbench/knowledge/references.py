"""References: which claims lean on which others, by the terms, conclusions and titles in them."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.knowledge.blocks import heading
from workbench.knowledge.claims import Claim, Dangling, Dependency
from workbench.knowledge.terms import Term, content_words, words

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.passages import Passage
    from workbench.knowledge.versions import Versions

_CUE = (
    r"\b(?:see(?: also)?|under|as set out in|set out in|as described in|described in|according to"
    r"|in accordance with|in line with|as defined in|subject to|governed by|set by|laid down in"
    r"|as in|as for|follows?)"
)
_QUOTED = re.compile(
    rf"(?P<cue>{_CUE})\s+(?:the\s+)?(?:section\s+|chapter\s+|policy\s+)?"
    r"(?:[\"\u201c](?P<quoted>[^\"\u201d]{2,80})[\"\u201d]|\*(?P<slanted>[^*]{2,80})\*"
    r"|`(?P<coded>[^`]{2,80})`)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\[[^\[\]]{0,200}\]\((?P<target>[^()#?\s:]{1,200}\.(?:md|txt|html?|pdf))(?:#[^()\s]{0,200})?\)"
)
_BARE = re.compile(rf"(?P<cue>{_CUE})\s+the\s+(?P<name>[A-Z][\w-]*(?: [\w-]+){{0,5}})")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
_FOLLOWS = re.compile(
    r"^(?:therefore|consequently|as a result|it follows|hence|thus|accordingly|for this reason"
    r"|that is why|this means|that means)\b",
    re.IGNORECASE,
)


class References:
    """Resolves what the claims of a corpus refer to.

    A title or heading is looked for in the same document first, then among the titles of documents
    that are in force, then among all headings where only one has it. What is marked as a reference
    (quoted, in italics or code, or a link) and resolves to nothing is dangling; a bare title that
    resolves to nothing is taken for ordinary words.
    """

    def __init__(
        self, corpus: Corpus, claims: Sequence[Claim], versions: Versions | None = None
    ) -> None:
        self._claims = claims
        self._of_passage: defaultdict[str, list[Claim]] = defaultdict(list)
        for claim in claims:
            self._of_passage[claim.passage].append(claim)
        self._documents = {document.id for document in corpus.documents}
        self._of_document: defaultdict[str, list[str]] = defaultdict(list)
        self._headings: defaultdict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
        by_document: defaultdict[str, list[Passage]] = defaultdict(list)
        for passage in corpus.passages:
            self._of_document[passage.document].append(passage.id)
            by_document[passage.document].append(passage)
        for document in corpus.documents:
            there = by_document[document.id]
            for title, start, end in sections(document.text):
                inside = [p.id for p in there if p.start < end and p.end > start]
                self._headings[_key(title)].setdefault(document.id, inside)
        self._titles: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for document in corpus.documents:
            if versions is None or versions.in_force(document.id):
                self._titles[_key(document.title)].append(document.id)

    def dependencies(
        self, terms: Sequence[Term], raws: Sequence[str]
    ) -> tuple[tuple[Dependency, ...], tuple[Dangling, ...]]:
        """Return the dependencies among the claims, and the references that lead nowhere.

        Parameters
        ----------
        terms : sequence of Term
            A claim leans on the definitions of the terms in it. Where several documents define
            one, the definitions of its own document are meant.
        raws : sequence of str
            Each claim as it is written, with its marks.
        """
        defining = {term.id: term.definitions for term in terms}
        defined_by: defaultdict[str, set[str]] = defaultdict(set)
        for term, definitions in defining.items():
            for definition in definitions:
                defined_by[definition].add(term)
        made: dict[tuple[str, str], Dependency] = {}
        dangling: list[Dangling] = []
        before: Claim | None = None
        for claim, raw in zip(self._claims, raws, strict=True):
            document = claim.passage.rpartition("#p")[0]
            follows = _FOLLOWS.match(claim.text)
            if follows and before is not None and before.passage.rpartition("#p")[0] == document:
                _add(made, claim, before.id, "follows_from", follows[0].casefold())
            for target, cue in self._referred(raw, document):
                if target is None:
                    dangling.append(Dangling(claim=claim.id, reference=cue))
                else:
                    for on in self._meant(claim, target):
                        _add(made, claim, on, "refers_to", cue)
            for used in claim.terms:
                if used in defined_by[claim.id]:
                    continue
                own = [c for c in defining[used] if c.startswith(f"{document}#p")]
                for on in own or defining[used]:
                    _add(made, claim, on, "uses_term", used)
            before = claim
        return tuple(made.values()), tuple(dangling)

    def _referred(self, raw: str, document: str) -> Iterator[tuple[list[str] | None, str]]:
        """Passages that a statement refers to, or None, and the words that say so."""
        for found in _LINK.finditer(raw):
            beside = posixpath.normpath(
                posixpath.join(posixpath.dirname(document), found["target"])
            )
            id = beside if beside in self._documents else found["target"]
            yield self._of_document.get(id), found["target"]
        marked = list(_QUOTED.finditer(raw))
        for found in marked:
            name = found["quoted"] or found["slanted"] or found["coded"]
            yield self._named(name, document), name
        for found in _BARE.finditer(raw):
            if not any(m.start() <= found.start() < m.end() for m in marked):
                known = found["name"].split()
                for end in range(len(known), 0, -1):
                    name = " ".join(known[:end])
                    if target := self._named(name, document):
                        yield target, name
                        break

    def _named(self, name: str, document: str) -> list[str] | None:
        if name in self._documents:
            return self._of_document[name]
        key = _key(name)
        places = self._headings.get(key, {})
        if document in places:
            return places[document]
        titles = [id for id in self._titles.get(key, ()) if id != document]
        if len(titles) == 1:
            return self._of_document[titles[0]]
        return next(iter(places.values())) if len(places) == 1 else None

    def _meant(self, claim: Claim, passages: Sequence[str]) -> list[str]:
        """Of what is said there, what shares most words with the claim; if none does, the first."""
        there = [c for id in passages for c in self._of_passage[id] if c.id != claim.id]
        mine = content_words(claim.text)
        shared = [len(mine & content_words(other.text)) for other in there]
        most = max(shared, default=0)
        if not most:
            return [other.id for other in there[:1]]
        return [other.id for other, n in zip(there, shared, strict=True) if n == most]


def sections(text: str) -> list[tuple[str, int, int]]:
    r"""Return the sections under a document's title: heading, start and end in the text.

    Examples
    --------
    >>> sections("# Leave\n\n## Asking\n\nAsk early.\n\n### How\n\nIn writing.\n\n## Sick\n")
    [('Asking', 9, 54), ('How', 32, 54), ('Sick', 54, 62)]
    """
    found: list[tuple[str, int, int]] = []
    is_open: list[tuple[int, int]] = []  # level and place in `found` of the headings above
    for line in _HEADING.finditer(text):
        level, title = heading(line[0])
        while is_open and is_open[-1][0] >= level:
            _, n = is_open.pop()
            found[n] = (*found[n][:2], line.start())
        is_open.append((level, len(found)))
        found.append((title, line.start(), len(text)))
    return [one for one in found[1:] if one[0]]


def _key(title: str) -> tuple[str, ...]:
    known = words(title)
    return tuple(known[1:] if known[:1] == ["the"] else known)


def _add(
    made: dict[tuple[str, str], Dependency], claim: Claim, on: str, kind: str, cue: str
) -> None:
    if on != claim.id:
        made.setdefault(
            (claim.id, on),
            Dependency(claim=claim.id, on=on, kind=kind, cue=cue),  # type: ignore[arg-type]
        )
