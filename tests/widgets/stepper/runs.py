"""Runs that the stepper's tests show: recorded ones, scripted ones, and odd ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import workbench as wb
from tests.toys import BOUND, Teller, debate, human, words
from workbench.record.run import Run

SAMPLES = Path(__file__).parents[3] / "sample_runs"


@cache
def sample(name: str = "vance_v_innovate") -> tuple[Run, Run]:
    """Return a recorded run and its audit."""
    place = SAMPLES / name / name
    return wb.open_run(f"{place}.run.jsonl"), wb.open_run(f"{place}.audit.run.jsonl")


@cache
def council() -> Run:
    """Return a run with every command, a human, and questions that were asked again."""
    return wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human)


@cache
def failed() -> Run:
    """Return a run that stopped in the second turn, since a model did not answer."""
    with pytest.raises(wb.RunFailed) as caught:
        wb.run_sync(debate(), lm=Teller(fail=("/turn=2/a1/speak",)))
    assert caught.value.run is not None
    return caught.value.run


@cache
def forked() -> Run:
    """Return a fork of a debate, with an answer put in place and answers inherited."""
    parent = wb.run_sync(debate(), lm=wb.ScriptedLM(words))
    return wb.wait(
        wb.fork(parent, {"/turn=1/a1/speak": "A word put in place."}, lm=wb.ScriptedLM(words))
    )
