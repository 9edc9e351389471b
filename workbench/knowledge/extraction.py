"""Rule-based extraction: claims, terms and dependencies of a corpus, without a model.

The rules are lists of English words, so what they miss is predictable: a claim whose sentence has
none of the words is mechanistic, and a reference in words of its own is not seen. They find the
same in every run, which a model does not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.knowledge.claims import Claim, ClaimType, Evidence, Structure
from workbench.knowledge.references import References
from workbench.knowledge.statements import plain, statements
from workbench.knowledge.terms import MOST_WORDS, Mentions, Term, abbreviations, term_id

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.versions import Versions

EXTRACTOR = "rules/1"  # raise it with any change to what is found

_CUES: dict[ClaimType, str] = {
    "structural_consequence": (
        "therefore|consequently|as a result|it follows|hence|thus|accordingly|for this reason"
        "|that is why|this means that|which means that|so that"
    ),
    "independence_confirmation": (
        "regardless of|irrespective of|independent(?:ly)? of|whether or not|no matter"
        "|(?:does|do) not depend on|(?:does|do) not affect|makes? no difference|is not affected by"
        "|applies equally|whichever|has no bearing on"
    ),
    "load_bearing_assumption": (
        "assum(?:e|es|ed|ing)|provided that|provided|as long as|on condition that|subject to"
        "|presupposes?|relies on|rely on|depends on|depend on|unless|only if|only when|if and only"
        "|on the basis that|requires that"
    ),
    "differentiating": (
        "unlike|whereas|rather than|in contrast|differs? from|as opposed to|instead of|except"
        "|with the exception of|but not|does not include|do not include|does not apply"
        "|do not apply|not the same as|distinct from|in place of"
    ),
}
"""In the order in which they are tried, after the definitions."""
_TYPES = tuple((kind, re.compile(rf"\b(?:{cue})\b", re.IGNORECASE)) for kind, cue in _CUES.items())
_ANY = re.compile(rf"\b(?:{'|'.join(_CUES.values())})\b", re.IGNORECASE)

_BULLET = r"\s*(?:(?:[-*+•]|\d+[.)])\s+)?"
_NAME = r"[\"\u201c*_]*(?P<name>[^\W_][^.;:|*\"\u201c\u201d]{1,60}?)[\"\u201d*_]*"
_DEFINES = re.compile(
    rf"^{_BULLET}(?:In (?:this|the) [\w ]+?, )?(?:[Aa]n?\s|[Tt]he\s)?(?:(?:term|word)\s)?{_NAME}"
    r"\s+(?:means|is defined as|are defined as|refers to|stands for|is the term for|counts as"
    r"|is understood (?:as|to be))\b"
)
_LABELLED = re.compile(
    rf"^{_BULLET}(?:\*\*|__)(?P<name>[^*_]{{2,60}}?):?(?:\*\*|__)\s*"
    r"(?::|[-\u2013\u2014]|\bis (?:an?|the)\b|\bmeans\b)"
)
_GLOSSARY = re.compile(r"\b(?:glossary|definitions?|terms)\b", re.IGNORECASE)


class _Found(NamedTuple):
    claim: Claim
    raw: str
    defines: str
    heading: str


def extract(corpus: Corpus, versions: Versions | None = None) -> Structure:
    """Extract the structure of a corpus by rules.

    Parameters
    ----------
    corpus : Corpus
        Read with any splitter.
    versions : Versions, optional
        Of the same corpus: a reference by title then means the document that is in force.

    Returns
    -------
    Structure
        The same for the same corpus, in every process.
    """
    found = list(_claims(corpus))
    terms = _terms(found)
    mentions = Mentions(terms)
    named = [f.claim.model_copy(update={"terms": mentions(f.claim.text)}) for f in found]
    references = References(corpus, named, versions)
    dependencies, dangling = references.dependencies(terms, [f.raw for f in found])
    return Structure(
        passport=corpus.passport.sha256,
        extractor=EXTRACTOR,
        claims=tuple(named),
        terms=terms,
        dependencies=dependencies,
        dangling=dangling,
    )


def claim_type(text: str) -> tuple[ClaimType, str]:
    """Return the type of a statement that defines nothing, and the words that tell.

    Examples
    --------
    >>> claim_type("The limit applies regardless of grade.")
    ('independence_confirmation', 'regardless of')
    >>> claim_type("The desk opens at nine.")
    ('mechanistic', '')
    """
    for kind, cue in _TYPES if _ANY.search(text) else ():
        if found := cue.search(text):
            return kind, found[0].casefold()
    return "mechanistic", ""


def defined(raw: str, heading: str = "") -> tuple[str, str]:
    """Return the label of the term that a statement defines, and the words that tell; else empty.

    Parameters
    ----------
    raw : str
        As it is written: bold type before a colon marks a term.
    heading : str
        Over it: in a glossary an item's words before a colon are a term too.
    """
    for pattern in (_LABELLED, _DEFINES):
        if (found := pattern.match(raw)) and len(found["name"].split()) <= MOST_WORDS:
            cue = found[0][found.end("name") - found.start() :].strip(' *_"\u201d')
            return plain(found["name"]), cue or ":"
    if _GLOSSARY.search(heading):
        name, colon, rest = plain(re.sub(r"^\s*[-*+•]\s+", "", raw)).partition(":")
        if colon and rest.strip() and 0 < len(name.split()) <= MOST_WORDS:
            return name, ":"
    return "", ""


def _claims(corpus: Corpus) -> Iterator[_Found]:
    for passage in corpus.passages:
        for n, one in enumerate(statements(passage.text), 1):
            name, cue = defined(one.raw, passage.heading)
            kind, told_by = ("definitional", cue) if name else claim_type(one.text)
            yield _Found(
                Claim(
                    id=f"{passage.id}/c{n}",
                    type=kind,  # type: ignore[arg-type]
                    text=one.text,
                    evidence=tuple(
                        Evidence(passage=passage.id, start=a, end=b, quote=passage.text[a:b])
                        for a, b in one.spans
                    ),
                    told_by=told_by,
                ),
                one.raw,
                name,
                passage.heading,
            )


def _terms(found: Sequence[_Found]) -> tuple[Term, ...]:
    labels: dict[str, str] = {}
    definitions: defaultdict[str, list[str]] = defaultdict(list)
    variants: defaultdict[str, set[str]] = defaultdict(set)
    short: dict[str, str] = {}
    for one in found:
        for long, letters in abbreviations(one.claim.text):
            short[letters] = term_id(long)
    for one in found:
        if not one.defines:
            continue
        label = re.sub(r"\s*\([A-Z]{2,6}\)$", "", one.defines)
        id = short.get(label, term_id(label))
        if id == "term:":
            continue
        if labels.setdefault(id, label).casefold() != label.casefold():
            variants[id].add(label)
        definitions[id].append(one.claim.id)
    for letters, id in short.items():
        if id in labels:
            variants[id].add(letters)
    return tuple(
        Term(
            id=id,
            label=labels[id],
            variants=tuple(sorted(variants[id])),
            definitions=tuple(definitions[id]),
        )
        for id in sorted(labels)
    )
