"""The structure of a corpus from the run of an ingestion."""

from __future__ import annotations

from collections import defaultdict

from workbench.deliberation.ingestion.facts import Extracted, ExtractedClaim
from workbench.deliberation.ingestion.ingestion import numbered
from workbench.errors import CorpusError
from workbench.knowledge.claims import Claim, Dependency, Evidence, Structure
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.references import References
from workbench.knowledge.statements import plain
from workbench.knowledge.terms import Mentions, Term, term_id
from workbench.knowledge.versions import Versions
from workbench.record.run import Run

EXTRACTOR = "model"


def ingested(run: Run, corpus: Corpus, versions: Versions | None = None) -> Structure:
    """Return the structure that a model extracted.

    Parameters
    ----------
    run : Run
        Of `ingestion`, finished or not: passages that were not read have no claims in it.
    corpus : Corpus
        That was read.
    versions : Versions, optional
        Of the corpus: a reference by title then means the document that is in force.

    Returns
    -------
    Structure
        Its claims in the order of the corpus; its extractor is ``model``.

    Raises
    ------
    CorpusError
        The run's claims are not this corpus's words.

    Examples
    --------
    >>> structure = ingested(run, corpus)  # doctest: +SKIP
    >>> Packager(Index(corpus), structure)  # doctest: +SKIP
    """
    facts: dict[str, tuple[ExtractedClaim, ...]] = {}
    for posted in run.facts_of("Extracted"):
        fact = Extracted.read(posted)
        for one in fact.claims:
            if corpus.passage(fact.passage).text[one.start : one.end] != one.quote:
                raise CorpusError(
                    f"{fact.passage} does not say {one.quote[:60]!r}: the run is about another "
                    "state of this corpus"
                )
        facts[fact.passage] = fact.claims
    in_order = {p.id: facts[p.id] for p in corpus.passages if p.id in facts}
    found = list(numbered(in_order))
    terms = _terms(found)
    mentions = Mentions(terms)
    claims = [
        Claim(
            id=id,
            type=one.type,
            text=(text := plain(one.quote)),
            terms=mentions(text),
            evidence=(
                Evidence(
                    passage=id.rpartition("/")[0], start=one.start, end=one.end, quote=one.quote
                ),
            ),
            told_by=EXTRACTOR,
        )
        for id, one in found
    ]
    references = References(corpus, claims, versions)
    dependencies, dangling = references.dependencies(terms, [one.quote for _, one in found])
    ids = {(id.rpartition("/")[0], one.number): id for id, one in found}
    made = {(one.claim, one.on): one for one in dependencies}
    for id, one in found:
        for number in one.leans_on:
            on = ids[id.rpartition("/")[0], number]
            told = Dependency(claim=id, on=on, kind="follows_from", cue=EXTRACTOR)
            made.setdefault((id, on), told)
    return Structure(
        passport=corpus.passport.sha256,
        extractor=EXTRACTOR,
        claims=tuple(claims),
        terms=terms,
        dependencies=tuple(made.values()),
        dangling=dangling,
    )


def _terms(found: list[tuple[str, ExtractedClaim]]) -> tuple[Term, ...]:
    labels: dict[str, list[str]] = defaultdict(list)
    definitions: dict[str, list[str]] = defaultdict(list)
    for id, one in found:
        key = term_id(one.defines)
        # A term that its own definition does not name was made up.
        if key != "term:" and Mentions([Term(id=key, label=one.defines)])(one.quote):
            labels[key].append(one.defines)
            definitions[key].append(id)
    return tuple(
        Term(
            id=key,
            label=labels[key][0],
            variants=tuple(sorted(set(labels[key][1:]) - {labels[key][0]})),
            definitions=tuple(definitions[key]),
        )
        for key in sorted(labels)
    )
