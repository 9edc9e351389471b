"""Labelled statements are read as they are written, or refused with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.auditors.statements import FILE
from workbench.errors import CaseError

ONE = {"id": "S1", "text": "Bread.", "rule_violations": ["R1"], "note": "why"}


def write(folder: Path, given: Any) -> None:
    """Write the statements of the small case."""
    (folder / FILE).write_text(json.dumps(given), "utf-8")


@pytest.mark.parametrize(
    ("name", "n", "violated"), [("aura_hub", 22, 11), ("vance_v_innovate", 20, 10)]
)
def test_the_cases_of_the_workbench(name: str, n: int, violated: int) -> None:
    """Both cases have statements, half of which break a rule."""
    found = wb.read_statements(name)

    assert (n, violated) == (len(found), sum(bool(one.rule_violations) for one in found))


def test_a_folder(folder: Path) -> None:
    """A case in a folder may have its own."""
    write(folder, [ONE])

    assert ("R1",) == wb.read_statements(folder)[0].rule_violations


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "holds no statement"),
        ({}, "the file: "),
        ([{**ONE, "id": "a/b"}], r"0\.id: "),
        ([{**ONE, "text": " "}], r"0\.text: "),
        ([{"id": "S1", "text": "Bread."}], r"0\.rule_violations: Field required"),
        ([ONE, ONE], "an id is there twice"),
        ([{**ONE, "rule_violations": ["R1", "R99"]}], "S1: the case has no rule R99"),
    ],
)
def test_malformed(folder: Path, given: Any, told: str) -> None:
    """What is missing, odd or repeated is named with its place."""
    write(folder, given)

    with pytest.raises(CaseError, match=f"labelled_statements.json: {told}"):
        wb.read_statements(folder)


def test_a_case_without(folder: Path) -> None:
    """A case without statements says so; so does a folder in the file's place."""
    with pytest.raises(CaseError, match="has no labelled statements"):
        wb.read_statements(folder)
    (folder / FILE).mkdir()
    with pytest.raises(CaseError, match="cannot be read"):
        wb.read_statements(folder)
