"""The blackboard while a run goes on: every fact is posted through it and folded at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.facts import DraftMade, Missing, Spread
from workbench.deliberation.maven.query import Query
from workbench.deliberation.maven.workspace import Placed, Workspace
from workbench.engine.commands import Steps, post
from workbench.engine.gate import Parsed, Unparsed, ask_json
from workbench.record.events import Sampling
from workbench.record.facts import Fact
from workbench.record.parts import Part

T = TypeVar("T", bound=BaseModel)


@dataclass(slots=True)
class Blackboard:
    """What the protocol knows from its answers so far.

    Attributes
    ----------
    now : Workspace
        Equal to `workspace` of the events so far: both are one fold.
    spread : Placed[Spread] or None
        Of R, once it is there.
    last : Placed[DraftMade] or None
        The last draft there was; unlike the workspace's it outlives a Replan, so that a run that
        then fails still says what it had.
    drafts, tokens : int
        So far.
    """

    query: Query
    sampling: Sampling
    attempts: int
    words: int
    now: Workspace
    spread: Placed[Spread] | None = None
    last: Placed[DraftMade] | None = None
    drafts: int = 0
    tokens: int = 0

    def put(self, key: str, fact: Fact, sources: Iterable[str]) -> Steps[str]:
        """Post a fact, fold it into the workspace, and return its path."""
        path = yield from post(key, fact, sources)
        self.now = self.now.after(fact, path)
        if isinstance(fact, DraftMade):
            self.last = Placed(path, fact)
            self.drafts += 1
        return path

    def ask(
        self,
        key: str,
        role: str,
        parts: Iterable[Part],
        schema: type[T],
        *,
        iteration: int,
        what: str,
        instead: str,
        sampling: Sampling | None = None,
    ) -> Steps[Parsed[T] | Placed[Missing]]:
        """Ask an agent; where its reply cannot be read, post what is done instead and return that.

        Every prompt begins with the words that all agents share and the question, so that a server
        that caches prefixes reads them once.
        """
        got = yield from ask_json(
            key,
            role,
            [*prompts.shared(self.query), *parts],
            schema,
            sampling=sampling or self.sampling,
            attempts=self.attempts,
        )
        self.tokens += got.tokens
        if not isinstance(got, Unparsed):
            return got
        missing = Missing(
            iteration=iteration, author=role, what=what, reason=got.errors[-1], instead=instead
        )
        return Placed((yield from self.put(f"{key}/missing", missing, [got.path])), missing)
