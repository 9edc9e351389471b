"""The facts that every way of answering a question posts, MAVEN and its baselines alike.

A run of a debate looks like this, by path::

    /turn=1/debater_1/candidate    Candidate     what an agent answers, and why
    /turn=2/debater_1/candidate    Candidate     after it has read the others
    /vote                          Tally         how the answers were counted
    /final                         FinalAnswer   the answer of the run

An answer to a question with options is a letter, ``A`` for the first; to one without, a short text.
None is an answer that could not be read or settled: unknown, neither right nor wrong by default.
"""

from __future__ import annotations

from typing import Literal

from workbench.record.facts import Fact


class FinalAnswer(Fact):
    """The answer of a run, with the explanation that a reader is to be convinced by.

    Attributes
    ----------
    answer : str or None
        The letter of an option, or a short text; None: unknown.
    explanation : str
        In words that stand alone; empty where nothing could be read.
    how : str
        By which step the answer came about, such as ``majority of 5`` or ``fast path``; where it is
        unknown, why.
    """

    answer: str | None
    explanation: str
    how: str


class Candidate(Fact):
    """What one agent answers in one round; `confidence` is in percent where it was asked for."""

    turn: int
    author: str
    answer: str | None
    explanation: str
    confidence: int | None = None


class Critique(Fact):
    """What one agent finds wrong with a candidate; `passed`: nothing that needs a change."""

    turn: int
    author: str
    text: str
    passed: bool


class Tally(Fact):
    """How answers were counted.

    Attributes
    ----------
    weights : dict of str to float
        The votes for each answer: how many, or the sum of their weights.
    chosen : str or None
        The answer with most; None if there was none.
    tied : bool
        Whether others had as much: the one that was given first is then chosen.
    unread : int
        Candidates without an answer; they have no vote.
    """

    by: Literal["majority", "confidence"]
    weights: dict[str, float]
    chosen: str | None
    tied: bool
    unread: int


class Structured(Fact):
    """The reasoning structure of Self-Discover; a stage that could not be read is empty."""

    modules: tuple[str, ...]
    adapted: tuple[str, ...]
    steps: tuple[str, ...]


class Thought(Fact):
    """A step of ReAct: a thought, and the action that it led to."""

    turn: int
    author: str
    text: str
    action: Literal["search", "finish"]
    query: str
