"""Ingestion by a model: one ask a passage, each claim held to the passage's own words.

"When Agreement Means Something", section 2, layer 1, and limitation 12.2 (d): all that follows is
as good as the extraction. Decisions where the paper is silent:

- A claim is a quotation. What a model reports as a passage's words and is not in it, white space
  aside, is rejected, and the rejection is in the run: no claim stands on a sentence that the corpus
  does not have.
- Passages are read one by one, so that a claim cannot come from elsewhere, and the corpus may be of
  any size. What leans on what across passages follows from terms and references, by the same rules
  as without a model.
- A passage whose reply cannot be read is told as such (`NotExtracted`), not taken to claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from workbench.deliberation.ingestion import prompts
from workbench.deliberation.ingestion.facts import Extracted, ExtractedClaim, NotExtracted
from workbench.deliberation.ingestion.schemas import ReportedClaims
from workbench.engine.commands import Steps, all_of, call, post
from workbench.engine.gate import Parsed, ask_json
from workbench.engine.protocol import World, protocol
from workbench.errors import ProtocolError
from workbench.record.events import Sampling

ROLE = "extractor"
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Count = Annotated[int, Field(ge=1)]


class Outcome(BaseModel):
    """What an ingestion came to.

    Attributes
    ----------
    passport : str
        Of the corpus that was read.
    passages, unread : int
        Passages asked about, and those whose reply could not be read.
    claims, rejected : int
        Claims found, and those reported in words that the passage does not have.
    tokens : int
        Read and written, as far as the server told.
    """

    model_config = ConfigDict(frozen=True)

    passport: str
    passages: int
    unread: int
    claims: int
    rejected: int
    tokens: int


class _Passage(BaseModel):
    id: str
    heading: str
    text: str


def _world(
    corpus: str, passport: str | None = None, near: Path | None = None, **_: object
) -> World:
    from workbench.knowledge.folder import corpus_folder, read_unchanged

    folder = corpus_folder(corpus, near)

    def passages() -> dict[str, Any]:
        """Return the corpus's passages and its passport."""
        found = read_unchanged(folder, passport)
        return {
            "passport": found.passport.sha256,
            "passages": [
                {"id": p.id, "heading": p.heading, "text": p.text} for p in found.passages
            ],
        }

    return {"passages": passages}


@protocol("ingestion", world=_world)
def ingestion(
    corpus: Text,  # noqa: ARG001  # its tool reads it
    *,
    first: Count | None = None,
    passport: str | None = None,
    temperature: Annotated[float, Field(ge=0)] | None = 0.2,
    max_tokens: Count | None = 1200,
    attempts: Count = 3,
) -> Steps[Outcome]:
    """Have a model extract the claims of a corpus; `ingested` makes a structure of the run.

    Parameters
    ----------
    corpus : str
        A folder of documents.
    first : int, optional
        Read only so many passages.
    passport : str, optional
        The SHA-256 of the corpus's passport: another corpus is refused.
    temperature, max_tokens
        Of every ask.
    attempts : int
        Asks for each passage.

    Returns
    -------
    Outcome
        The run's result: counts of passages and claims.
    """
    returned = yield from call("passages", "passages")
    digest, found = _read(returned.value, passport)
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    told = yield from all_of(
        "",
        {
            f"passage={n}": _extract(passage, returned.path, sampling, attempts)
            for n, passage in enumerate(found[:first], 1)
        },
    )
    facts = [fact for fact, _ in told.values()]
    read = [fact for fact in facts if isinstance(fact, Extracted)]
    return Outcome(
        passport=digest,
        passages=len(facts),
        unread=len(facts) - len(read),
        claims=sum(len(fact.claims) for fact in read),
        rejected=sum(len(fact.rejected) for fact in read),
        tokens=sum(tokens for _, tokens in told.values()),
    )


def _extract(
    passage: _Passage, path: str, sampling: Sampling, attempts: int
) -> Steps[tuple[Extracted | NotExtracted, int]]:
    prompt = prompts.extract(passage.id, passage.heading, passage.text, path)
    asked = yield from ask_json(
        "claims", ROLE, prompt, ReportedClaims, sampling=sampling, attempts=attempts
    )
    fact: Extracted | NotExtracted
    if isinstance(asked, Parsed):
        fact = _held(passage, asked.value)
    else:
        fact = NotExtracted(passage=passage.id, reason=asked.errors[-1])
    yield from post("extracted", fact, [asked.path, path])
    return fact, asked.tokens


def _read(value: Any, passport: str | None) -> tuple[str, list[_Passage]]:
    try:
        digest = str(value["passport"])
        found = [_Passage.model_validate(one) for one in value["passages"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"the tool 'passages' returned no passages: {error}") from None
    if passport is not None and digest != passport:
        raise ProtocolError(f"the corpus is {digest[:12]}, and {passport[:12]} is wanted")
    return digest, found


def _held(passage: _Passage, reported: ReportedClaims) -> Extracted:
    """Hold what was reported to the passage's words."""
    places: dict[int, tuple[int, int]] = {}
    rejected: list[str] = []
    for n, one in enumerate(reported.claims, 1):
        at = place_of(one.quote, passage.text)
        if at is None or at in places.values():
            rejected.append(one.quote)
        else:
            places[n] = at
    claims = tuple(
        ExtractedClaim(
            number=n,
            type=one.type,
            start=places[n][0],
            end=places[n][1],
            quote=passage.text[slice(*places[n])],
            defines=" ".join(one.defines.split()) if one.type == "definitional" else "",
            leans_on=tuple(sorted({m for m in one.leans_on if m in places and m != n})),
        )
        for n, one in enumerate(reported.claims, 1)
        if n in places
    )
    return Extracted(passage=passage.id, claims=claims, rejected=tuple(rejected))


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    r"""Return where a quotation stands in a text, white space aside; None if it does not.

    Examples
    --------
    >>> place_of("five  days", "It takes five\ndays.")
    (9, 18)
    >>> place_of("six days", "It takes five\ndays.") is None
    True
    """
    pieces = quote.split()
    if not pieces:
        return None
    found = re.search(r"\s+".join(map(re.escape, pieces)), text)
    return None if found is None else found.span()


def numbered(facts: Mapping[str, Sequence[ExtractedClaim]]) -> Iterator[tuple[str, ExtractedClaim]]:
    """Yield the claims of passages with their ids, in the order of each passage."""
    for passage, claims in facts.items():
        for n, claim in enumerate(sorted(claims, key=lambda claim: claim.start), 1):
            yield f"{passage}/c{n}", claim
