"""A specialist's turn (G, section 5.2): search, predict every peer, then contribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field, create_model, model_validator

from workbench.agents import prompts
from workbench.agents.case import Role
from workbench.agents.facts import NotProposed, Proposed, Statement
from workbench.engine.commands import Steps, call, post
from workbench.engine.gate import Unparsed, ask_json
from workbench.record.events import Returned, Sampling
from workbench.record.parts import Part

Query = Annotated[str, Field(max_length=200)]
Prediction = Annotated[Statement, Field(max_length=500)]

_ROOM = 20
"""Characters of a contribution for each word that it may have: a guard, not the stop."""


class Queries(BaseModel):
    """A specialist's searches."""

    queries: list[Query]


class Proposal(BaseModel):
    """A specialist's answer: predictions first, if it has peers, then its own contribution.

    `proposal_type` makes the fields. Their order is part of the schema: a server that holds a model
    to a grammar has them written in that order.
    """

    if TYPE_CHECKING:
        contribution: str

    @model_validator(mode="before")
    @classmethod
    def _predicts_first(cls, given: Any) -> Any:
        if isinstance(given, dict) and {"predictions", "contribution"} <= given.keys():
            keys = list(given)
            late = keys.index("predictions") > keys.index("contribution")
            if late and "predictions" in cls.model_fields:
                raise ValueError("predictions must be written before the contribution")
        return given


@dataclass(frozen=True, slots=True)
class Made:
    """What a specialist made of a turn: the part that others may read, if any, and its cost."""

    part: Part | None
    tokens: int


@lru_cache(maxsize=16)
def queries_type(most: int) -> type[Queries]:
    """Return `Queries` bounded to `most` queries."""
    return create_model("Queries", __base__=Queries, queries=(list[Query], Field(max_length=most)))


@lru_cache(maxsize=256)
def proposal_type(peers: tuple[str, ...], words: int = 90) -> type[Proposal]:
    """Return `Proposal` with a prediction for each of `peers`, before the contribution."""
    fields: dict[str, Any] = {}
    if peers:
        # By alias: a peer may be called what pydantic calls one of its own methods.
        expected: Any = {
            f"peer_{n}": (Prediction, Field(alias=peer)) for n, peer in enumerate(peers)
        }
        fields["predictions"] = (create_model("Predictions", **expected), ...)
    fields["contribution"] = (Annotated[Statement, Field(max_length=_ROOM * words)], ...)
    return create_model("Proposal", __base__=Proposal, **fields)


def take_turn(
    role: Role,
    peers: Sequence[Role],
    before: Sequence[Part],
    task: Part,
    *,
    turn: int,
    goal: str,
    searches: int,
    passages: int,
    predict: bool,
    words: int,
    sampling: Sampling,
    attempts: int,
) -> Steps[Made]:
    """Search, predict and contribute; post `Proposed`, or `NotProposed` if nothing could be read.

    Parameters
    ----------
    before : sequence of Part
        What all agents of the turn share.
    task : Part
        The goal as the agents read it, with the path of the `GoalSet` as its source.
    goal : str
        The goal as it was set.
    searches : int
        Search calls at most; 0 is the mode ``no_rag``.
    predict : bool
        Whether peers are predicted; False is the mode ``no_tom``.
    """
    opening = [*before, *prompts.specialist(role, task)]
    tokens = 0
    wanted: list[str] = []
    if searches:
        asked = yield from ask_json(
            "queries",
            role.name,
            [*opening, prompts.queries(searches)],
            queries_type(searches),
            sampling=sampling,
            attempts=attempts,
        )
        tokens += asked.tokens
        if not isinstance(asked, Unparsed):
            wanted = list(dict.fromkeys(q.strip() for q in asked.value.queries if q.strip()))
    answers: list[Returned] = []
    for number, query in enumerate(wanted, 1):
        answers.append(
            (
                yield from call(
                    f"search={number}", "search", query=query, corpus=role.corpus, k=passages
                )
            )
        )
    evidence = prompts.evidence(zip(wanted, answers, strict=True))
    paths = tuple(answer.path for answer in answers)
    predicted = tuple(peers) if predict else ()
    got = yield from ask_json(
        "propose",
        role.name,
        [*opening, *evidence, prompts.propose(role, predicted, words)],
        proposal_type(tuple(peer.name for peer in predicted), words),
        sampling=sampling,
        attempts=attempts,
    )
    tokens += got.tokens
    if isinstance(got, Unparsed):
        missing = NotProposed(
            turn=turn, author=role.name, goal=goal, reason=got.errors[-1], searches=paths
        )
        yield from post("proposal", missing, [got.path])
        return Made(None, tokens)
    predictions = getattr(got.value, "predictions", None)
    fact = Proposed(
        turn=turn,
        author=role.name,
        goal=goal,
        predictions=predictions.model_dump(by_alias=True) if predictions is not None else {},
        contribution=got.value.contribution,
        searches=paths,
    )
    path = yield from post("proposal", fact, [got.path])
    return Made(Part(f"{role.title}, turn {turn}: {fact.contribution}", path), tokens)
