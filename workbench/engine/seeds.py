"""What an ask draws with: a seed from the run's, or in a fork's live part from the fork's.

A fork that asked again with its parent's seeds would get its parent's answers from every server
that honours seeds, and two branches that are one sample would be counted as two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.engine.commands import derived_seed
from workbench.errors import BadCommand
from workbench.record.events import EDITED, Answer, Lineage, RunStarted, Sampling
from workbench.record.jsonable import as_json

_SAMPLING = TypeAdapter(Sampling)


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a run and of the forks that led to it, by level: 0 is the run at the root.

    An ask draws from the deepest level that made something it depends on. Under the rule ``prefix``
    that is every answer that a fork got live or edited, and every place that it asked again; under
    ``unchanged``, which pairs the branches, only the places asked again.

    `sampling` is the run's: an ask's other settings come from it where they are open.
    """

    run: int
    forks: tuple[Lineage, ...] = field(default=())
    sampling: Sampling = field(default_factory=Sampling)

    @classmethod
    def of(cls, started: RunStarted) -> Seeds:
        """Return the seeds and the sampling that a run's first event tells."""
        last = started.lineage
        forks = (*last.earlier, last) if last is not None else ()
        return cls(started.seed, forks, started.sampling or Sampling())

    def sample(self, asked: Sampling, path: str, level: int) -> Sampling:
        """Return how the ask at `path` is drawn, as a reader of the file will see it.

        Raises
        ------
        BadCommand
            If a setting is not what `Sampling` says, or cannot stand in a file.
        """
        fields = {name: getattr(asked, name) for name in Sampling.__dataclass_fields__}
        for name, value in fields.items():
            if value is None or (isinstance(value, tuple) and not value):
                fields[name] = getattr(self.sampling, name)
        if self.sampling.extra and isinstance(asked.extra, Mapping):
            fields["extra"] = {**self.sampling.extra, **asked.extra}
        if fields["seed"] is None:
            fields["seed"] = self.draw(path, level)
        return checked(fields, f"{path}: sampling")

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


def checked(fields: dict[str, Any], where: str) -> Sampling:
    """Return settings as a `Sampling` that a file can hold.

    Raises
    ------
    BadCommand
    """
    try:
        return _SAMPLING.validate_python(as_json(fields, where))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadCommand(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def below(path: str, places: tuple[str, ...] | list[str]) -> bool:
    """Return whether `path` is one of `places` or lies below one."""
    return any(path == p or path.startswith(p.rstrip("/") + "/") for p in places)
