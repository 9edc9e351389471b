"""Labelled statements: short texts of which it is known what rules of a case they break."""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from workbench.agents.case import Case, Words, case_folder
from workbench.errors import CaseError

FILE = "labelled_statements.json"


class LabelledStatement(BaseModel):
    """A statement, the rules that it breaks (none: it keeps all), and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    text: Words
    rule_violations: tuple[str, ...]
    note: str = ""


_STATEMENTS = TypeAdapter(tuple[LabelledStatement, ...])


def read_statements(source: str | os.PathLike[str]) -> tuple[LabelledStatement, ...]:
    """Read the ``labelled_statements.json`` of a case, given by name or folder.

    Parameters
    ----------
    source : str or path
        A case's name, or its folder.

    Returns
    -------
    tuple of LabelledStatement
        In the order of the file.

    Raises
    ------
    CaseError
        If there is no such case or file, it is malformed or empty, an id is there twice, or a
        label names a rule that the case has not.

    Examples
    --------
    >>> len(read_statements("aura_hub"))
    22
    """
    path = case_folder(source) / FILE
    known = {rule.id for rule in Case.read(source).rules}
    try:
        found = _STATEMENTS.validate_json(path.read_bytes())
    except FileNotFoundError:
        raise CaseError(f"{path}: no such file; the case has no labelled statements") from None
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CaseError(f"{path}: {where}: {first['msg']}") from None
    if not found:
        raise CaseError(f"{path}: holds no statement")
    if len({one.id for one in found}) < len(found):
        raise CaseError(f"{path}: an id is there twice")
    for one in found:
        if lost := sorted(set(one.rule_violations) - known):
            raise CaseError(f"{path}: {one.id}: the case has no rule {', '.join(lost)}")
    return found
