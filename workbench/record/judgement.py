"""What a verdict says, whoever posted it: one reader for the tables and for every view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from workbench.record.events import Posted
from workbench.record.order import turn_of
from workbench.record.plainly import real, text

AUDITORS = {"LogicVerdict": "logic", "ToMVerdict": "tom", "RAGVerdict": "rag"}
"""Whose verdict a kind of fact is."""

TITLES = {"logic": "Logic", "tom": "Theory of Mind", "rag": "RAG"}
"""What an auditor is called where one reads it."""

GOOD = frozenset(
    (
        "VALID",
        "consistent",
        "effective",
        "supported",
        "accept",
        "complete",
        "advance",
        "conclude",
    )
)
BAD = frozenset(
    (
        "INVALID",
        "inconsistent",
        "ineffective",
        "refuted",
        "reject",
        "ruled out",
        "failed",
        "unparsed",
    )
)
UNSURE = frozenset(("unknown", "interrupted"))
"""Verdicts and states as one shows them: with a tick, a cross, a question mark. Others have none
of these. The front end has the same tables in ``shared/verdicts.mjs``."""


class Ruled(NamedTuple):
    """The Logic auditor's verdict on one rule."""

    rule: str
    verdict: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict. What the fact does not hold, or holds as something odd, is unknown or None.

    Attributes
    ----------
    auditor : str
        ``logic``, ``tom``, ``rag``, or the fact's kind.
    subject : str or None
        The path of what was judged, in the audited run.
    author, peer : str or None
        Whose it is; for Theory of Mind the evaluator and whom it predicted.
    rule : str or None
        Where the fact is about one rule.
    score : float or None
        Cosine, relevance or score.
    rules : tuple of Ruled
        The Logic auditor's verdicts on each rule.
    """

    path: str
    auditor: str
    subject: str | None
    turn: int | None
    author: str | None
    peer: str | None
    rule: str | None
    verdict: str
    reason: str | None
    score: float | None
    rules: tuple[Ruled, ...] = ()

    @classmethod
    def read(cls, event: Posted) -> Self:
        """Read a fact that has a field ``verdict``."""
        get = event.data.get
        scores = (real(get(name)) for name in ("cosine", "relevance", "score"))
        rules = get("rules") if event.kind == "LogicVerdict" else None
        return cls(
            path=event.path,
            auditor=AUDITORS.get(event.kind, event.kind),
            subject=text(get("subject")),
            turn=turn_of(event.path, event.data),
            author=text(get("author")) or text(get("evaluator")),
            peer=text(get("peer")),
            rule=text(get("rule")),
            verdict=text(get("verdict")) or "unknown",
            reason=text(get("reason")),
            score=next((s for s in scores if s is not None), None),
            rules=tuple(
                Ruled(
                    text(one.get("rule")) or "?",
                    text(one.get("verdict")) or "unknown",
                    text(one.get("reason")),
                )
                for one in (rules if isinstance(rules, list | tuple) else ())
                if isinstance(one, dict)
            ),
        )

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows of the table ``verdicts``: its own, and one a rule."""
        head = (self.path, self.auditor, self.subject, self.turn, self.author, self.peer)
        yield (*head, self.rule, self.verdict, self.reason, self.score)
        for ruled in self.rules:
            yield (*head, *ruled, None)
