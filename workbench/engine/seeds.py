"""From which seed an ask's own is drawn: the run's, or in a fork's live part the fork's.

A fork that asked again with its parent's seeds would get its parent's answers from every server
that honours seeds, and two branches that are one sample would be counted as two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.engine.commands import derived_seed
from workbench.record.events import EDITED, Answer, Lineage, RunStarted


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a run and of the forks that led to it, by level: 0 is the run at the root.

    An ask draws from the deepest level that made something it depends on. Under the rule ``prefix``
    that is every answer that a fork got live or edited, and every place that it asked again; under
    ``unchanged``, which pairs the branches, only the places asked again.
    """

    run: int
    forks: tuple[Lineage, ...] = field(default=())

    @classmethod
    def of(cls, started: RunStarted) -> Seeds:
        """Return the seeds that a run's first event tells."""
        last = started.lineage
        return cls(started.seed, (*last.earlier, last) if last is not None else ())

    def draw(self, path: str, level: int) -> int:
        """Return the seed of the ask at `path` that depends on answers of `level`."""
        for number, fork in enumerate(self.forks, start=1):
            if number > level and below(path, fork.edits.get("at", ())):
                level = number
        return derived_seed(self.forks[level - 1].seed if level else self.run, path)

    def level(self, answer: Answer) -> int:
        """Return the level that what depends on `answer` has at least."""
        made = len(self.forks)
        if answer.origin == EDITED:
            made = max(
                (
                    k
                    for k, f in enumerate(self.forks, 1)
                    if answer.path in f.edits.get("answers", {})
                ),
                default=0,
            )
        elif answer.origin is not None:
            made = next((k for k, f in enumerate(self.forks) if f.parent == answer.origin), 0)
        return made if made and self.forks[made - 1].rule == "prefix" else 0


def below(path: str, places: tuple[str, ...] | list[str]) -> bool:
    """Return whether `path` is one of `places` or lies below one."""
    return any(path == p or path.startswith(p.rstrip("/") + "/") for p in places)
