"""The verdicts that an audit posts. Each has a field ``verdict``; unknown is never a default pass.

``subject`` is the path of what was judged, in the audited run.
"""

from __future__ import annotations

from typing import Literal

from workbench.record.facts import Fact


class RuleVerdict(Fact):
    """Whether a proposal keeps to one rule, with the judge's reason."""

    rule: str
    verdict: Literal["VALID", "INVALID", "unknown"]
    reason: str


class LogicVerdict(Fact):
    """The Logic auditor's verdict on a proposal over the rules active at that moment.

    INVALID if any rule is violated; unknown if none is and at least one could not be judged.
    """

    subject: str
    turn: int
    author: str
    verdict: Literal["VALID", "INVALID", "unknown"]
    rules: tuple[RuleVerdict, ...]


class ToMVerdict(Fact):
    """The Theory-of-Mind auditor's verdict on one (evaluator, peer) pair of a turn.

    `cosine` in [0, 1] is the similarity of prediction and contribution by embeddings (negative
    similarities count as 0); None where one of the two texts is missing, and in an audit without
    embeddings.
    """

    subject: str
    peer_subject: str
    turn: int
    evaluator: str
    peer: str
    verdict: Literal["consistent", "inconsistent", "unknown"]
    reason: str
    cosine: float | None = None


class RAGVerdict(Fact):
    """The RAG auditor's verdict on one search call: how relevant it was, and whether it was used.

    `relevance` in [0, 1] is the judge's rating of the query against the goal; None if unknown.
    """

    subject: str
    proposal: str | None
    turn: int
    author: str
    query: str
    relevance: float | None
    verdict: Literal["effective", "ineffective", "unknown"]
    reason: str
