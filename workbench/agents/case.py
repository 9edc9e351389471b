"""Cases: a brief, phases, rules and roles, with a folder of documents for each role."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from workbench.errors import CaseError, CorpusError

if TYPE_CHECKING:
    from workbench.engine.protocol import World
    from workbench.knowledge.retrieval import Index

_IDENTIFIER = r"^[a-z][a-z0-9_]*$"
_LEADER = "meta_agent"

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text that says something."""


class Rule(BaseModel):
    """A constraint in natural language, checkable against a text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[A-Z][A-Z0-9]*$")
    text: Words


class Role(BaseModel):
    """A specialist: what it is responsible for, and the folder that it may search."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=_IDENTIFIER)
    title: Words
    charge: Words
    corpus: Words


class Case(BaseModel):
    """A case study, as it is recorded in a run.

    Attributes
    ----------
    source : str
        The name of a case of the workbench's own, or the path that it was read from.
    passports : dict of str to str
        For each role's corpus, the SHA-256 of its passport when the case was read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=_IDENTIFIER)
    title: Words
    brief: Words
    framework: Words
    phases: tuple[Words, ...] = Field(min_length=1)
    rules: tuple[Rule, ...] = Field(min_length=1)
    roles: tuple[Role, ...] = Field(min_length=1)
    source: str = ""
    passports: dict[str, str] = {}

    @model_validator(mode="after")
    def _no_repeats(self) -> Self:
        for what, names in (
            ("phase", self.phases),
            ("rule", [rule.id for rule in self.rules]),
            ("role", [role.name for role in self.roles]),
        ):
            twice = sorted({name for name in names if list(names).count(name) > 1})
            if twice:
                raise ValueError(f"the {what} {', '.join(twice)} is there twice")
        if _LEADER in [role.name for role in self.roles]:
            raise ValueError(f"{_LEADER} leads the team, so no specialist can have its name")
        return self

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Self:
        """Read a case by name (``"aura_hub"``) or from a folder with a ``case.json``.

        Raises
        ------
        CaseError
            If the folder or its ``case.json`` is missing, or roles or rules are missing, repeated
            or malformed; the message names the field.
        CorpusError
            If a role's documents cannot be read.
        """
        from workbench.knowledge.corpus import Corpus

        folder = case_folder(source)
        path = folder / "case.json"
        try:
            given = json.loads(path.read_bytes(), object_pairs_hook=_each_once)
        except FileNotFoundError:
            raise CaseError(f"{path}: no such file; a case is a folder with a case.json") from None
        except (OSError, ValueError, RecursionError) as error:
            raise CaseError(f"{path}: cannot be read: {error}") from None
        try:
            case = cls.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the case"
            raise CaseError(f"{path}: {where}: {first['msg']}") from None
        passports = {
            role.corpus: Corpus.read(folder, within=role.corpus).passport.sha256
            for role in case.roles
        }
        return case.model_copy(update={"source": os.fspath(source), "passports": passports})

    def role(self, name: str) -> Role:
        """Return the role called `name`.

        Raises
        ------
        KeyError
            If there is none.
        """
        for role in self.roles:
            if role.name == name:
                return role
        raise KeyError(f"no role {name!r}; there are {', '.join(r.name for r in self.roles)}")

    def world(self, near: Path | None = None) -> World:
        """Return the world of this case: the tool ``search`` over each role's corpus.

        A world reads each corpus once, at its first search. One that has changed since the case was
        read is refused, since its answers would not be those of the recorded run.

        Parameters
        ----------
        near : Path, optional
            Where else a relative `source` is looked for: the folder of the run's file.

        Raises
        ------
        CaseError
            If the case's folder is not there (any more).
        """
        from workbench.knowledge.tool import search_tool

        return {"search": search_tool(partial(self._index, case_folder(self.source, near)))}

    def _index(self, folder: Path, corpus: str) -> Index:
        from workbench.knowledge.corpus import Corpus
        from workbench.knowledge.retrieval import Index

        found = Corpus.read(folder, within=corpus)
        passport = found.passport.sha256
        if passport != self.passports.get(corpus, passport):
            raise CorpusError(
                f"{self.source}/{corpus} has changed since this run began: its passport is "
                f"{passport[:12]}, and the run's is {self.passports[corpus][:12]}; "
                "restore the documents, or start a new run"
            )
        return Index(found)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object of `pairs`; of two values under one key, one would be lost unseen."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the key {', '.join(twice)} is there twice in one object")
    return made


def case_folder(source: str | os.PathLike[str], near: Path | None = None) -> Path:
    """Return the folder of a case given by path or by name.

    Names are looked up in ``WORKBENCH_CORPORA``, in the installed package, and beside it in a
    checkout; a relative path in the current folder, then in `near`.

    Raises
    ------
    CaseError
        If there is no such case; the message lists those that there are.
    """
    path = Path(source)
    paths = [path] if near is None or path.is_absolute() else [path, near / path]
    places = case_places()
    try:
        for folder in paths:
            if (folder / "case.json").is_file():
                return folder
        for place in places:
            if (place / path / "case.json").is_file() and len(path.parts) == 1:
                return place / path
    except OSError as error:  # too long, or in a folder that may not be read
        raise CaseError(f"the case {os.fspath(source)[:200]!r}: {error.strerror}") from None
    known = sorted({p.parent.name for place in places for p in place.glob("*/case.json")})
    if path.is_dir():
        raise CaseError(f"{path}: has no case.json, so it is not a case")
    meant = " or ".join(str(folder.absolute()) for folder in paths)
    raise CaseError(
        f"no case {os.fspath(source)!r} (nor {meant}); there are {', '.join(known) or 'none'}"
    )


def case_places() -> list[Path]:
    """Return the folders in which cases are looked up by name, first to last."""
    package = Path(__file__).parent.parent
    places = [package / "_corpora", package.parent / "corpora"]
    own = os.environ.get("WORKBENCH_CORPORA")
    return [Path(own), *places] if own else places
