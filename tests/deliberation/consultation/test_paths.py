"""What reads a run takes it by its path."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb

FOLDER = Path(__file__).parents[3] / "sample_runs"


def test_a_session_and_its_comparison_by_their_paths() -> None:
    """They are opened, as `wb.open_run` does."""
    run, compared = (
        FOLDER / "handbook" / f"notice{part}.run.jsonl" for part in ("", ".comparison")
    )

    assert wb.synthesis(run, compared).to_json() == (
        wb.synthesis(wb.open_run(run), wb.open_run(compared)).to_json()
    )
    assert wb.isolation(run).is_empty()
    with pytest.raises(wb.RunFileError, match="no such file"):
        wb.synthesis("nowhere.run.jsonl")


def test_a_deliberation_by_its_path() -> None:
    """Its blackboard and its separations too."""
    run = FOLDER / "maven" / "tree.run.jsonl"

    assert wb.separation(run).is_empty()
    assert wb.workspace(run).trace == wb.workspace(wb.open_run(run)).trace
