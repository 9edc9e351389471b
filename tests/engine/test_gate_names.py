"""The gate on keys: fields that go by several names, and keys that are nearly a field's."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    model_validator,
)

from workbench.agents.meta_agent import goal_type
from workbench.engine.gate import read
from workbench.record.events import Answered


class Scored(BaseModel):
    """A field by the names that models give it."""

    score: int = Field(validation_alias=AliasChoices("score", "final_score", "score_1_to_5"))
    why: str = ""


class Scaled(BaseModel):
    """A field by another name than its own."""

    score: int = Field(validation_alias="score_1_to_5")


class Within(BaseModel):
    """A field that is taken out of an object."""

    score: int = Field(validation_alias=AliasPath("meta", "score"))


class Either(BaseModel):
    """A field by its alias and by its name."""

    model_config = ConfigDict(populate_by_name=True)

    valid: bool = Field(alias="isValid")
    share: int = Field(default=0, alias="inPercent")
    is_valid: bool | None = Field(default=None, alias="wasValid")


class Budget(BaseModel):
    """A field that a validator makes of another key."""

    budget: float | None = None
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _in_usd(cls, given: Any) -> Any:
        if isinstance(given, dict) and "budget_usd" in given:
            return given | {"budget": given["budget_usd"]}
        return given


class Budgets(RootModel[list[Budget]]):
    """A list of such."""


class Optional(BaseModel):
    """Fields that may be left out."""

    verdict: Literal["pass", "none"]
    confidence: float | None = None
    source_id: str | None = None
    open_queries: list[str] = []


GOAL = {"goal": "Agree on the price.", "phase": "open", "nominated": ["buyer"]}
RULE = "The price stays under 50."


def taken(given: object, schema: type[BaseModel]) -> Any:
    """Return what a reply was read as; None if it is refused."""
    found = read(Answered(path="/a", text=json.dumps(given)), schema)
    return None if isinstance(found, str) else found[0].model_dump()


@pytest.mark.parametrize(
    ("given", "schema", "score"),
    [
        ({"final_score": 4}, Scored, 4),
        ({"score_1_to_5": 4}, Scored, 4),
        ({"final_score": 4, "why": "so"}, Scored, 4),
        ({"score": 4, "final_score": 4}, Scored, 4),
        ({"score": 2, "final_score": 4}, Scored, None),
        ({"score": 2, "revised_score": 4}, Scored, None),
        ({"final_score": 4, "revised_score": 4}, Scored, 4),
        ({"final_score": True}, Scored, None),
        ({"score_1_to_5": 3, "score_scale": 5}, Scaled, 3),
        ({"score_1_to_5": True}, Scaled, None),
        ({"score_1_to_5": "3_0"}, Scaled, None),
        ({"meta": {"score": 3}}, Within, 3),
        ({"meta": {"score": True}}, Within, None),
    ],
)
def test_a_field_by_its_aliases(given: object, schema: type[BaseModel], score: int | None) -> None:
    """What the type takes is not lost, and is looked at as any field is."""
    assert score == (taken(given, schema) or {}).get("score")


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [
        ({"isValid": True}, True),
        ({"valid": True}, True),
        ({"valid": True, "in_percent": 5}, False),
        ({"valid": True, "share": True}, False),
        ({"valid": True, "inPercent": True}, False),
        ({"isValid": True, "is_valid": False}, True),
        ({"isValid": True, "was_valid": False}, False),
    ],
)
def test_a_field_by_alias_and_name(given: object, is_taken: bool) -> None:
    """Either is the field's; another spelling is neither."""
    assert is_taken == (taken(given, Either) is not None)


def test_keys_that_a_validator_takes() -> None:
    """Only what makes no difference to the value is lost."""
    assert 5 == taken({"budget_usd": 5}, Budget)["budget"]
    assert taken({"budget_usd": 5, "budget_currency": "USD"}, Budget)
    assert taken({"budget_eur": 5}, Budget) is None
    assert [5] == [one["budget"] for one in taken([{"budget_usd": 5}], Budgets)]
    assert taken([{"budget_eur": 5}], Budgets) is None


@pytest.mark.parametrize(
    "key",
    [
        "set_constraints",
        "setConstraints",
        "constraint",
        "constraints",
        "new_constraint",
        "Updated constraints",
        "new_set_constraint",
        "set_constraint_text",
    ],
)
@pytest.mark.parametrize("beside", [{}, {"set_constraint": None}])
def test_a_rule_by_nearly_its_name(key: str, beside: dict[str, None]) -> None:
    """A field that may be left out is not left out because its key is off by a word."""
    goal = goal_type(("open", "close"), ("buyer", "seller"))
    is_longer = key == "set_constraint_text" and bool(beside)  # as a note on what is null

    assert is_longer == (taken(GOAL | beside | {key: RULE}, goal) is not None)
    for nothing in (None, "", "none", "N/A"):
        assert taken(GOAL | beside | {key: nothing}, goal)
    assert taken(GOAL | {"set_constraint": RULE, "note": RULE}, goal)


@pytest.mark.parametrize(
    ("more", "is_taken"),
    [
        ({"reasoning": "so", "notes": ["x"], "id": 3, "type": "object"}, True),
        ({"confidence": 0.5, "confidence_level": "high"}, True),
        ({"confidence": 0.5, "confidences": [0.5]}, True),
        ({"confidence_level": "high"}, False),
        ({"confidences": [0.5]}, False),
        ({"open_query": "Who?"}, False),
        ({"queries": ["Who?"]}, False),
        ({"source": "p1"}, False),
        ({"source_ids": ["p1"]}, False),
        ({"source_ids": [], "queries": []}, True),
        ({"final_verdict": "none"}, False),
    ],
)
def test_keys_beside_fields(more: dict[str, object], is_taken: bool) -> None:
    """What is no part of a field's name is harmless, and so is what is said of a given one."""
    assert is_taken == (taken({"verdict": "pass"} | more, Optional) is not None)
