"""ReAct over a corpus: thoughts and searches take turns, then the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from workbench.deliberation.baselines.answering import (
    Count,
    Options,
    Task,
    Temperature,
    Words,
    conclude,
    room,
)
from workbench.deliberation.facts import FinalAnswer, Thought
from workbench.engine.commands import Steps, call, post, within
from workbench.engine.gate import Unparsed, ask_json
from workbench.engine.protocol import World, protocol
from workbench.record.events import Sampling
from workbench.record.parts import Part

_ACT = (
    "You can search a library before you answer. First write a thought of at most 30 words: what "
    "is known from the passages above, and what is still missing. Then act: search (with a query "
    "of three to ten words that was not tried before), or finish if enough is known.\n\n"
    "Answer with one JSON object with the keys thought, action (search or finish) and query (empty "
    "for finish), in this order."
)
_ANSWER = (
    "Answer from the passages above, and go step by step from what they say to the answer. Where "
    "they do not settle it, say so and use what you know."
)


class Act(BaseModel):
    """What the agent answers at each step."""

    thought: Annotated[Words, Field(max_length=room(30))]
    action: Literal["search", "finish"]
    query: str = Field(max_length=200)


def _world(
    corpus: str, passport: str | None = None, near: Path | None = None, **_: object
) -> World:
    from workbench.knowledge.tool import search_documents

    return search_documents(corpus, passport, near)


@protocol("react", world=_world)
def react(
    question: Words,
    options: Options = (),
    *,
    corpus: Words,
    passport: str | None = None,  # noqa: ARG001  # its tool checks it
    steps: Count = 4,
    passages: Count = 2,
    words: Count = 90,
    temperature: Temperature | None = 0.0,
    max_tokens: Count | None = 900,
    attempts: Count = 3,
) -> Steps[FinalAnswer]:
    """Think and search in turns, then answer from what was found.

    The paper's Finish[answer] is two asks here: the action, and then an answer like that of every
    other method. A step that cannot be read, or a search for a query that was tried before or is
    blank, ends the search: it would only be repeated.

    Parameters
    ----------
    corpus : str
        A folder of documents.
    passport : str, optional
        The SHA-256 that the corpus must have (``Corpus.read(corpus).passport.sha256``), so that a
        resumed run searches what it began with; default: not checked.
    steps : int
        Searches at most; the paper has 7 for HotpotQA.
    passages : int
        For each search; one that was read before is not shown again.
    question, options, words, temperature, max_tokens, attempts
        As in `direct`.

    Returns
    -------
    FinalAnswer
        As in `direct`; ``how`` tells the searches, and why they ended.

    References
    ----------
    .. [1] S. Yao et al., ReAct: Synergizing Reasoning and Acting in Language Models, ICLR 2023,
       section 3.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    task = Task(question, options, words, sampling, attempts)
    read: list[Part] = []
    tried: list[str] = []
    why = "all searches used"
    turn = 0
    for turn in range(1, steps + 1):
        found, why_not = yield from within(
            f"turn={turn}/solver", _step(task, read, tried, turn, corpus=corpus, passages=passages)
        )
        read += found
        if why_not:
            why = why_not
            break
    made = yield from within(
        f"turn={turn + 1}/solver", task.solve("solver", _ANSWER, read, turn=turn + 1)
    )
    return (yield from conclude(made, f"ReAct, {len(tried)} searches: {why}"))


def _step(
    task: Task, read: list[Part], tried: list[str], turn: int, *, corpus: str, passages: int
) -> Steps[tuple[list[Part], str]]:
    """Think and act once; return what is read from now on, and why the search ends, if it does."""
    got = yield from ask_json(
        "act",
        "solver",
        [*task.opening(), *read, Part(_ACT)],
        Act,
        sampling=task.sampling,
        attempts=task.attempts,
    )
    if isinstance(got, Unparsed):
        return [], "a step could not be read"
    said, query = got.value, got.value.query.strip()
    thought = Thought(
        turn=turn, author="solver", text=said.thought, action=said.action, query=query
    )
    path = yield from post("thought", thought, [got.path])
    now = [Part(f"Thought {turn}: {said.thought}", path)]
    if said.action == "finish":
        return now, "finished"
    if not query or query.casefold() in tried:
        return now, "a blank query" if not query else "a query was repeated"
    tried.append(query.casefold())
    answer = yield from call("search", "search", query=query, corpus=corpus, k=passages)
    hits: list[dict[str, Any]] = answer.value
    seen = {part.source for part in read}
    for hit in hits:
        passage = str(hit["passage"])
        if passage not in seen:
            now.append(Part(f"[{passage}] {str(hit['text']).strip()}", passage))
    if len(now) == 1:
        now.append(Part(f"The search for “{query}” found nothing new.", answer.path))
    return now, ""
