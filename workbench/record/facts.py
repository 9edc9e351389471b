"""The base of domain facts: what a protocol posts to its run."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.errors import RunError
from workbench.record.events import Posted


class Fact(BaseModel):
    """A frozen, typed statement that a protocol posts (``GoalSet``, ``Proposed``, ``Judged``).

    Subclass it with fields that are JSON. The class name is stored as the fact's kind, so a run can
    be read without the class; `read` turns a stored fact back into one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def read(cls, posted: Posted) -> Self:
        """Return the fact that `posted` holds.

        Raises
        ------
        TypeError
            If `posted` holds a fact of another kind.
        RunError
            If it is of this kind by name only: the run was made by another version, or by hand.
        """
        if posted.kind != cls.__name__:
            raise TypeError(f"{posted.path} holds a {posted.kind}, not a {cls.__name__}")
        try:
            return cls.model_validate(posted.data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the fact"
            raise RunError(
                f"{posted.path}: not a {cls.__name__} as this workbench makes them: "
                f"{where}: {first['msg']}"
            ) from error

    def data(self) -> dict[str, Any]:
        """Return the fields as JSON."""
        return self.model_dump(mode="json")
