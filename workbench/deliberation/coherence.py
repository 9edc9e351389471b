"""Coherence maps: what a corpus's claims say against each other, and what they lean on, as a graph.

"When Agreement Means Something", section 9, mode 1: claim consistency and dependency integrity. The
paper has interpreters assess them; this is what can be told before any is asked, from the structure
and by the rules that compare conclusions (`relation`). Decisions where it is silent:

- Two claims are held against each other only if they are about one thing: they share most of their
  content words. A contradiction says which words only one of them has, since these may be a scope
  (one site, one group of people) that makes both true.
- Claims of which one is superseded by the other's document conflict in time, not in logic. What is
  superseded is held against nothing else.
- Documents that may be versions of each other and have no order that can be told are told of, and
  are both in force: what they say against each other is a contradiction.
- Numbers without a unit decide only between claims that are much alike: a count of one thing and a
  price of another are seldom told apart otherwise.
- A term that is defined twice in other words, in documents that are in force, is a conflict of
  terms, also where both definitions could be meant alike.
- A circle is a strongly connected set of claims that lean on each other.

Nothing here shares state with a consultation: a map is a pure function of a structure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.deliberation.consultation.first_rules import relate
from workbench.deliberation.consultation.reading import Reading, read_conclusion
from workbench.deliberation.consultation.relation import Relation
from workbench.knowledge.claims import Claim, Dangling, Structure
from workbench.knowledge.terms import Term

if TYPE_CHECKING:
    import networkx as nx  # type: ignore[import-untyped]  # its stubs are one more package

    from workbench.knowledge.versions import Versions

LEAST_COMMON = 0.5
"""Jaccard similarity of content words from which two claims are about one thing."""
LEAST_HELD = 0.75
"""Or the share of the shorter one's words, of which two at least, that the longer one has."""
LONGEST = 50
"""Words of the longest claim that is compared: a longer one states several things."""
RARE = 4
"""Claims are compared if they share one of so many of their rarest words."""
CROWD = 80
"""A word in more claims than this brings none together."""


class Conflict(NamedTuple):
    """Two claims that cannot both hold, as far as rules can tell.

    Attributes
    ----------
    one, other : str
        Ids of claims, in the order of the corpus; in a temporal conflict the newer first.
    rule : str
        That told: ``numbers``, ``dates``, ``negation``, ``yes_or_no``.
    only_one, only_other : tuple of str
        Stems of the content words that only one of them has: perhaps its scope.
    """

    one: str
    other: str
    rule: str
    only_one: tuple[str, ...]
    only_other: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoherenceMap:
    """How a corpus holds together.

    Attributes
    ----------
    passport, structure : str
        SHA-256 of what it is a map of.
    claims : tuple of Claim
    terms : tuple of Term
    dependencies : tuple of (str, str, str)
        Claim, what it leans on, and the kind.
    contradictions, temporal : tuple of Conflict
    term_conflicts : tuple of (str, tuple of str)
        Id of a term and the claims that define it.
    circularities : tuple of tuple of str
        Ids of the claims of each circle.
    dangling : tuple of Dangling
        References that lead nowhere.
    compared : int
        Pairs of claims that were held against each other.
    problems : tuple of str
        What the corpus's versions leave open (`Versions.problems`).
    """

    passport: str
    structure: str
    claims: tuple[Claim, ...]
    terms: tuple[Term, ...]
    dependencies: tuple[tuple[str, str, str], ...]
    contradictions: tuple[Conflict, ...]
    temporal: tuple[Conflict, ...]
    term_conflicts: tuple[tuple[str, tuple[str, ...]], ...]
    circularities: tuple[tuple[str, ...], ...]
    dangling: tuple[Dangling, ...]
    compared: int
    problems: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of the passages that anything was found in: where interpreters should look.

        Those of contradictions first, then of terms, circles, lost references and old versions, so
        that as many as there is room for can be given to `Packager.package` as ``include``.
        """
        ids = [
            *(id for one in self.contradictions for id in one[:2]),
            *(id for _, defining in self.term_conflicts for id in defining),
            *(id for circle in self.circularities for id in circle),
            *(one.claim for one in self.dangling),
            *(id for one in self.temporal for id in one[:2]),
        ]
        place = {claim.id: claim.passage for claim in self.claims}
        return tuple(dict.fromkeys(place[id] for id in ids))

    def graph(self) -> nx.MultiDiGraph[str]:
        """Return the map as a graph.

        Returns
        -------
        networkx.MultiDiGraph
            Nodes: claims (``kind="claim"``, ``type``, ``text``, ``passage``, ``circle``: its number
            from 1 or 0) and terms (``kind="term"``, ``text``). Edges, by key: ``uses_term``,
            ``refers_to``, ``follows_from`` from a claim to what it leans on; ``defines`` from a
            claim to a term; ``contradicts`` and ``term_conflict``, each once, in the order of the
            corpus; ``supersedes`` from the newer to the older of two that conflict in time.
        """
        import networkx as nx

        made: nx.MultiDiGraph[str] = nx.MultiDiGraph(passport=self.passport)
        circle_of = {id: n for n, circle in enumerate(self.circularities, 1) for id in circle}
        for claim in self.claims:
            made.add_node(
                claim.id,
                kind="claim",
                type=claim.type,
                text=claim.text,
                passage=claim.passage,
                circle=circle_of.get(claim.id, 0),
            )
        for term in self.terms:
            made.add_node(term.id, kind="term", text=term.label)
            for id in term.definitions:
                made.add_edge(id, term.id, key="defines")
        for claim_id, on, kind in self.dependencies:
            made.add_edge(claim_id, on, key=kind)
        for one in self.contradictions:
            made.add_edge(one.one, one.other, key="contradicts", rule=one.rule)
        for one in self.temporal:
            made.add_edge(one.one, one.other, key="supersedes", rule=one.rule)
        for _, ids in self.term_conflicts:
            for n, id in enumerate(ids):
                for other in ids[n + 1 :]:
                    made.add_edge(id, other, key="term_conflict")
        return made

    def to_json(self) -> dict[str, Any]:
        """Return the map as JSON: what was found, and the graph's nodes and edges."""
        graph = self.graph()
        return {
            "passport": self.passport,
            "structure": self.structure,
            "contradictions": [_plain(one) for one in self.contradictions],
            "temporal": [_plain(one) for one in self.temporal],
            "term_conflicts": [
                {"term": id, "claims": list(ids)} for id, ids in self.term_conflicts
            ],
            "circularities": [list(circle) for circle in self.circularities],
            "dangling": [one.model_dump() for one in self.dangling],
            "compared": self.compared,
            "problems": list(self.problems),
            "nodes": [{"id": id, **told} for id, told in graph.nodes(data=True)],
            "edges": [
                {"source": source, "target": target, "kind": kind, **told}
                for source, target, kind, told in graph.edges(keys=True, data=True)
            ],
        }

    def __str__(self) -> str:
        texts = {claim.id: claim.text for claim in self.claims}
        head = (
            f"{len(self.claims)} claims, {len(self.terms)} terms, {len(self.dependencies)} "
            f"dependencies; {self.compared} pairs of claims compared by rules"
        )
        lines = [head]
        for what, conflicts in (
            ("contradiction", self.contradictions),
            ("superseded", self.temporal),
        ):
            for one in conflicts:
                scope = ", ".join((*one.only_one, *one.only_other))
                told = f"; not in both: {scope}" if scope else ""
                lines += [
                    f"{what} ({one.rule}{told})",
                    _line(one.one, texts),
                    _line(one.other, texts),
                ]
        for id, ids in self.term_conflicts:
            lines += [f"{id} is defined {len(ids)} times", *(_line(one, texts) for one in ids)]
        for circle in self.circularities:
            lines += ["circle", *(_line(id, texts) for id in circle)]
        for lost in self.dangling:
            lines += [f"leads nowhere: {lost.reference!r}", _line(lost.claim, texts)]
        lines += [f"left open: {problem}" for problem in self.problems]
        if len(lines) == 1:
            lines.append("nothing was found that does not hold together")
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from workbench.views.coherence import coherence_face

        return {"text/plain": str(self), "text/html": coherence_face(self)}


def coherence_map(structure: Structure, versions: Versions | None = None) -> CoherenceMap:
    """Map the coherence of a corpus.

    Parameters
    ----------
    structure : Structure
        By rules or by a model.
    versions : Versions, optional
        Of the same corpus; without them what is superseded seems to contradict.

    Returns
    -------
    CoherenceMap
        A pure function of the two; in a notebook it is drawn.

    Examples
    --------
    >>> from workbench.knowledge.corpus import Corpus
    >>> from workbench.knowledge.extraction import extract
    >>> handbook = Corpus.read("corpora/handbook")  # doctest: +SKIP
    >>> len(coherence_map(extract(handbook)).circularities)  # doctest: +SKIP
    1
    """
    readings = {
        n: read_conclusion("", claim.text)
        for n, claim in enumerate(structure.claims)
        if len(claim.text.split()) <= LONGEST
    }
    contradictions: list[Conflict] = []
    temporal: list[Conflict] = []
    compared = 0
    for a, b in _pairs(readings):
        compared += 1
        relation = relate(readings[a], readings[b])
        if not _decides(relation, readings[a], readings[b]):
            continue
        one, other = structure.claims[a], structure.claims[b]
        order = _order(one, other, versions)
        if order is None:
            continue
        if order == 0:
            contradictions.append(_conflict(one, other, readings[a], readings[b], relation.rule))
        elif order > 0:
            temporal.append(_conflict(one, other, readings[a], readings[b], relation.rule))
        else:
            temporal.append(_conflict(other, one, readings[b], readings[a], relation.rule))
    places = {claim.id: n for n, claim in enumerate(structure.claims)}
    dependencies = tuple((one.claim, one.on, one.kind) for one in structure.dependencies)
    return CoherenceMap(
        passport=structure.passport,
        structure=structure.digest,
        claims=structure.claims,
        terms=structure.terms,
        dependencies=dependencies,
        contradictions=tuple(contradictions),
        temporal=tuple(temporal),
        term_conflicts=tuple(_term_conflicts(structure, versions)),
        circularities=tuple(_circles([pair[:2] for pair in dependencies], places)),
        dangling=structure.dangling,
        compared=compared,
        problems=() if versions is None else versions.problems,
    )


def focus(structure: Structure, versions: Versions, most: int) -> tuple[str, ...]:
    """Return the passages that a verification should look at, as `PackageTool` takes it."""
    return coherence_map(structure, versions).passages[:most]


def _pairs(readings: Mapping[int, Reading]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of readings that are about one thing, in order."""
    counts = Counter(word for reading in readings.values() for word in reading.topic)
    having: defaultdict[str, list[int]] = defaultdict(list)
    for n, reading in readings.items():
        seen: set[int] = set()
        rare = sorted(reading.topic, key=lambda word: (counts[word], word))[:RARE]
        for word in reading.topic:
            seen.update(having[word][:CROWD])
        for m in sorted(seen):
            if _one_thing(readings[m].topic, reading.topic):
                yield m, n
        for word in rare:
            having[word].append(n)


def _one_thing(one: frozenset[str], other: frozenset[str]) -> bool:
    common = len(one & other)
    if common < 2:
        return False
    return _alike(one, other) or common >= LEAST_HELD * min(len(one), len(other))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= LEAST_COMMON * len(one | other)


def _decides(relation: Relation, one: Reading, other: Reading) -> bool:
    if relation.kind != "contradictory" or relation.rule == "stated_or_not":
        return False
    shares_unit = any(one.by_unit.keys() & other.by_unit.keys() - {""})
    return relation.rule != "numbers" or shares_unit or _alike(one.topic, other.topic)


def _order(one: Claim, other: Claim, versions: Versions | None) -> int | None:
    """Return 1 where the first is of a newer version, -1 the other way, None for old against new.

    None: one of them is superseded, and not by the other.
    """
    if versions is None:
        return 0
    a, b = (claim.passage.rpartition("#p")[0] for claim in (one, other))
    if b in versions.older(a):
        return 1
    if a in versions.older(b):
        return -1
    return 0 if versions.in_force(a) and versions.in_force(b) else None


def _conflict(one: Claim, other: Claim, a: Reading, b: Reading, rule: str) -> Conflict:
    return Conflict(
        one.id, other.id, rule, tuple(sorted(a.topic - b.topic)), tuple(sorted(b.topic - a.topic))
    )


def _term_conflicts(
    structure: Structure, versions: Versions | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for term in structure.terms:
        told: dict[str, str] = {}
        for id in term.definitions:
            claim = structure.claim(id)
            document = claim.passage.rpartition("#p")[0]
            if versions is None or versions.in_force(document):
                told.setdefault(read_conclusion("", claim.text).normal, id)
        if len(told) > 1:
            yield term.id, tuple(told.values())


def _circles(pairs: Sequence[tuple[str, str]], places: dict[str, int]) -> Iterator[tuple[str, ...]]:
    import networkx as nx

    found = [
        tuple(sorted(circle, key=places.__getitem__))
        for circle in nx.strongly_connected_components(nx.DiGraph(pairs))
        if len(circle) > 1
    ]
    return iter(sorted(found, key=lambda circle: places[circle[0]]))


def _plain(one: Conflict) -> dict[str, Any]:
    return {
        name: list(told) if isinstance(told, tuple) else told
        for name, told in one._asdict().items()
    }


def _line(id: str, texts: dict[str, str]) -> str:
    return f"  {id}: {texts[id]}"
