"""A run's own sampling: what asks take for the settings that they leave open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import workbench as wb
from tests.toys import BOUND, human, words
from workbench.errors import BadCommand

OURS = wb.Sampling(temperature=0.3, max_tokens=64, stop=("#",), extra={"top_k": 5})


def samplings(run: wb.Run) -> dict[str, wb.Sampling]:
    """Return how each ask is drawn, by path."""
    return {path: e.sampling for path, e in run.commands.items() if isinstance(e, wb.Asked)}


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> wb.Run:
    """Return a run of every command with a sampling of its own."""
    to = tmp_path / "a.run.jsonl"
    lm = wb.ScriptedLM(words)
    return wb.run_sync(BOUND["council"], lm=lm, human=human, to=to, seed=3, sampling=OURS)


def test_open_settings_are_the_runs(run: wb.Run) -> None:
    """A setting of the ask's own stands; the others are the run's, and the seed is drawn."""
    drawn = samplings(run)
    own = drawn.pop("/plan/a/read")
    assert (own.temperature, own.stop, own.max_tokens) == (0, ("END",), 64)
    for path, other in drawn.items():
        assert (other.temperature, other.stop, other.extra) == (0.3, ("#",), {"top_k": 5}), path
    assert len({s.seed for s in (own, *drawn.values())}) == len(drawn) + 1
    plain = wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human, seed=3)
    assert [s.seed for s in samplings(plain).values()] == [
        s.seed for s in samplings(run).values()
    ], "a sampling must not change what is drawn"


def test_the_file_alone_replays_forks_and_reruns_it(run: wb.Run) -> None:
    """The sampling is in the first event, and everything that goes on from the file uses it."""
    read = wb.open_run(run.path)
    assert read.started.sampling == OURS
    assert read.digest == run.digest == wb.replay(run.path).digest
    wb.verify(run.path)
    forked = wb.wait(wb.fork(run.path, at="/plan/a/read", lm=wb.ScriptedLM(words), human=human))
    assert samplings(forked)["/plan/c/score/try=1"].temperature == 0.3
    again = wb.wait(wb.rerun(run.path, lm=wb.ScriptedLM(words), human=human))
    assert samplings(again) == samplings(run)


def test_a_torn_run_goes_on_with_it(run: wb.Run, tmp_path: Path) -> None:
    """What is asked after a resume is drawn as what was asked before."""
    torn = tmp_path / "torn.run.jsonl"
    torn.write_bytes(b"".join(run.path.read_bytes().splitlines(keepends=True)[:8]))
    done = wb.wait(wb.resume(torn, lm=wb.ScriptedLM(words), human=human))
    assert done.digest == run.digest


def test_a_session_has_one_too() -> None:
    """A stepped run is drawn as one that is played."""
    with wb.Session(BOUND["debate"], lm=wb.ScriptedLM(words), sampling=OURS) as session:
        session.play()
        assert {s.temperature for s in samplings(session.run).values()} == {0.3}


def test_an_older_digest_stays() -> None:
    """A run without a sampling has the digest that it had before there was one."""
    run = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words))
    assert run.started.sampling is None
    assert wb.diff(run, wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words))).first is None


def test_two_samplings_differ_at_the_head() -> None:
    """`diff` tells that two runs were drawn otherwise."""
    a, b = (
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), sampling=sampling)
        for sampling in (None, OURS)
    )
    assert wb.diff(a, b).head["sampling"][1]["temperature"] == 0.3


@pytest.mark.parametrize(
    ("sampling", "error", "told"),
    [
        (wb.Sampling(seed=1), ValueError, "seed="),
        (wb.Sampling(temperature="hot"), BadCommand, "temperature"),
        (wb.Sampling(extra={"f": float("nan")}), BadCommand, "NaN|finite|nan"),
        (wb.Sampling(extra={"seed": 7, "top_k": 5}), ValueError, "^seed in a run's .*seed="),
        (wb.Sampling(extra={"max_completion_tokens": 9, "stream": True}), ValueError, "max_tokens"),
        ({"temperature": 1}, TypeError, r"takes a Sampling, such as wb\.Sampling.*not a dict"),
    ],
)
def test_a_bad_one_is_refused_before_a_file_is_made(
    sampling: wb.Sampling, error: type[Exception], told: str, tmp_path: Path
) -> None:
    """What no ask could be drawn with is no run."""
    to = tmp_path / "a.run.jsonl"
    with pytest.raises(error, match=told):
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), sampling=sampling, to=to)
    assert not to.exists()


def test_a_fork_keeps_its_parents_extra() -> None:
    """A run that was recorded with a setting that would be refused today can still be forked."""
    run = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words))
    old = replace(run.started, sampling=wb.Sampling(extra={"top_p": 0.5}))
    forked = wb.wait(wb.fork(wb.Run([old, *run.events[1:]]), lm=wb.ScriptedLM(words), at="/"))
    assert forked.started.sampling == old.sampling
