"""What the tests of auditors share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import write_case
from workbench.agents.case import Case


@pytest.fixture(autouse=True)
def lexical(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words alone, and keep caches out of the home folder."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder of a small case."""
    return write_case(tmp_path / "picnic")


@pytest.fixture
def case(folder: Path) -> Case:
    """Give a small case."""
    return Case.read(folder)
