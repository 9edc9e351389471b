"""What a type made of a reply's object: whether it took all that is said, and as it was said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel

from workbench.engine.fields import Fields
from workbench.record.jsonable import as_json

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_ABSENT = object()

Place = tuple[str | int, ...]
"""The keys and indices on the way to a piece of JSON."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a type has made of a piece of JSON.

    Attributes
    ----------
    given : JSON
    value : BaseModel
    schema : type of BaseModel
        That made the value.
    fields : Fields
        Of the schema.
    """

    given: Any
    value: BaseModel
    schema: type[BaseModel]
    fields: Fields

    def misread(self) -> str:
        """Return what was taken for a number or a date, or left out, unasked; else empty.

        Raises
        ------
        BadCommand
            If the value is not JSON.
        """
        made = as_json(self.value, "the object")
        return next(self._misread((), self.given, self.value, made), "")

    def _misread(self, at: Place, given: Any, value: Any, made: Any) -> Iterator[str]:
        where = ".".join(map(str, at))[:80] or "the value"
        if isinstance(made, int | float) and not isinstance(made, bool):
            if isinstance(given, bool):
                yield f"{where}: a number is wanted, not true or false"
            elif isinstance(given, str) and not _NUMBER.fullmatch(given.strip()):
                yield f"{where}: a number is wanted, not {given[:40]!r}"
        elif isinstance(made, str) and _DATE.match(made):
            number = str(given).strip()
            if _NUMBER.fullmatch(number) and not made.startswith(number):
                yield f"{where}: a date or time is wanted, not a number"
        while isinstance(value, RootModel):
            value = value.root
        if isinstance(given, dict) and isinstance(made, dict):
            extra = (value.model_extra or {}) if isinstance(value, BaseModel) else made
            own = _own(given, value, made)
            for key in given:  # in its order: a set's is another in each process
                is_lost = key not in extra and self.fields.are_lost(key, given, own)
                if is_lost and self._is_ignored((*at, key)):
                    what = "is no field, but is called like one or says otherwise of one"
                    yield f"{key[:80]}: {what}"
        for way, below, became in _parts(given, value, made):
            yield from self._misread((*at, *way), _at(given, way), below, became)

    def _is_ignored(self, place: Place) -> bool:
        """Return whether the value would be the same without a key.

        A type may take a field by other names than its schema tells, or make it of other keys.
        """
        rest = deepcopy(self.given)
        del _at(rest, place[:-1])[place[-1]]
        try:
            other = self.schema.model_validate(rest)
            was, now = (
                one.model_dump(exclude_unset=True, warnings=False) for one in (self.value, other)
            )
        except Exception:  # it is needed
            return False
        return bool(other == self.value and was == now)


@lru_cache(maxsize=256)
def _ways(schema: type[BaseModel]) -> dict[str, tuple[Place, ...]]:
    """Return where the type looks for each of its fields, first of all first."""
    config = schema.model_config
    is_named = config.get("populate_by_name") or config.get("validate_by_name")
    out: dict[str, tuple[Place, ...]] = {}
    for name, field in schema.model_fields.items():
        alias = field.validation_alias if config.get("validate_by_alias", True) else None
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        ways: list[Place] = [
            tuple(one.path) if isinstance(one, AliasPath) else (one,)
            for one in choices
            if one is not None
        ]
        out[name] = (*ways, (name,)) if is_named or not ways else tuple(ways)
    return out


def _own(
    given: dict[str, Any], value: object, made: dict[str, Any]
) -> Mapping[str, Collection[object]]:
    """Return the names of an object's own fields, each with its values; none: it was not given."""
    if not isinstance(value, BaseModel):
        return {key: (given[key],) if key in given else () for key in made}
    out: dict[str, Collection[object]] = {}
    for name, ways in _ways(type(value)).items():
        found = [one for one in (_at(given, way) for way in ways) if one is not _ABSENT]
        values = [*found[:1], _made(value, name, made)]
        is_given = name in value.model_fields_set
        out |= {str(way[0]): values if is_given else () for way in ways if len(way) == 1}
    return out


def _parts(given: Any, value: Any, made: Any) -> Iterator[tuple[Place, Any, Any]]:
    """Yield the places of what an object or a list was made of, in their order, with what it is."""
    if isinstance(given, list) and isinstance(made, list):
        listed = value if isinstance(value, list | tuple) else [None] * len(made)
        for n, (_, below, became) in enumerate(zip(given, listed, made, strict=False)):
            yield (n,), below, became
    elif isinstance(given, dict) and isinstance(made, dict) and isinstance(value, BaseModel):
        places = {}
        for name, ways in _ways(type(value)).items():
            way = next((way for way in ways if _at(given, way) is not _ABSENT), None)
            if way is not None:
                places[way] = (getattr(value, name, None), _made(value, name, made))
        order = {key: n for n, key in enumerate(given)}
        for way in sorted(places, key=lambda way: order[str(way[0])]):
            yield way, *places[way]
    elif isinstance(given, dict) and isinstance(made, dict):
        known = dict(zip(made, value.values(), strict=False)) if isinstance(value, Mapping) else {}
        for key in given:
            if key in made:
                yield (key,), known.get(key, getattr(value, key, None)), made[key]


def _made(value: BaseModel, name: str, made: dict[str, Any]) -> Any:
    """Return what a field is as JSON; None where the type writes it in a way of its own."""
    alias = type(value).model_fields[name].serialization_alias
    return made.get(alias or name, made.get(name))


def _at(given: Any, place: Place) -> Any:
    """Return what stands at a place of a piece of JSON, if anything does."""
    for step in place:
        is_there = (
            step in given
            if isinstance(given, dict)
            else isinstance(given, list) and isinstance(step, int) and -1 < step < len(given)
        )
        if not is_there:
            return _ABSENT
        given = given[step]
    return given
