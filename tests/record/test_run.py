"""What can be read off a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Heard, Judged, Teller
from workbench.engine.commands import derived_seed, rng
from workbench.record.events import Answered, Failed, RunStarted
from workbench.record.order import natural
from workbench.record.parts import Part, as_parts, messages
from workbench.record.run import Run

RUN = wb.run_sync(BOUND["debate"], lm=Teller())


def test_parts_of_a_run() -> None:
    """Commands, answers and facts are found by path, by kind and by any test."""
    assert 6 == len(RUN.commands) == len(RUN.answers)
    judged = RUN.find(lambda e: isinstance(e, wb.Posted) and e.kind == "Judged")
    assert RUN.facts_of("Judged") == judged
    assert ["/turn=1/judged", "/turn=2/judged"] == [f.path for f in RUN.facts_of("Judged")]
    assert Judged(verdict=RUN.facts["/turn=1/judged"].data["verdict"]) == Judged.read(
        RUN.facts["/turn=1/judged"]
    )
    with pytest.raises(TypeError, match="holds a Judged, not a Heard"):
        Heard.read(RUN.facts["/turn=1/judged"])
    assert "Speak in turn 1." in RUN.prompt("/turn=1/a0/speak")


def test_nearest() -> None:
    """A path that is not in the run names the nearest that are."""
    with pytest.raises(KeyError, match="the nearest are /turn=1/a0/speak"):
        RUN["/turn=1/a0/speek"]
    with pytest.raises(KeyError, match="has no answer; the nearest are"):
        RUN.answer("/turn=1/a0/heard")
    with pytest.raises(KeyError, match="is no ask"):
        RUN.prompt("/turn=1/a0/heard")


def test_causal_order() -> None:
    """An answer follows its command, and turn 2 comes before turn 10."""
    longer = wb.run_sync(wb.find_protocol("toy_debate").bind({"n": 2, "turns": 11}), lm=Teller())
    paths = [getattr(e, "path", "") for e in longer.by_path() if isinstance(e, Answered)]

    assert [f"/turn={t}/a{i}/speak" for t in range(1, 12) for i in range(2)] == paths


@given(st.lists(st.integers(0, 10**6)), st.text(max_size=9))
def test_natural(numbers: list[int], text: str) -> None:
    """Numbers within a text are ordered as numbers, and any texts can be compared."""
    names = sorted((f"{text}={n}" for n in numbers), key=natural)

    assert [f"{text}={n}" for n in sorted(numbers)] == names


def test_digest_and_metadata() -> None:
    """Time, latency, attempts, origin and failures do not change the digest; a word does."""
    noted = [
        replace(e, at=5.0, latency_s=9.0, attempts=7, origin="x") if isinstance(e, Answered) else e
        for e in RUN
    ]
    failed = Failed(path="/turn=1/a0/speak", error="X", message="x")
    other = [replace(e, text="x") if isinstance(e, Answered) else e for e in RUN]

    assert RUN.digest == Run([*noted[:5], failed, *noted[5:]]).digest
    assert RUN.digest != Run(other).digest


def test_usage() -> None:
    """An unknown price makes the sum unknown; what a parent paid for is not counted again."""
    start = RunStarted(protocol="x", params={})
    known = Answered(path="/a", text="x", tokens_in=2, tokens_out=3, cost_usd=0.5, attempts=2)
    unknown = replace(known, path="/b", cost_usd=None, tokens_in=None)
    inherited = replace(known, path="/c", origin="parent")

    assert (1, 2, 3, 0, 0.5, 2, 1) == Run([start, known, inherited]).usage
    assert (2, 2, 6, 0, None, 4, 0) == Run([start, known, unknown]).usage


def test_beginnings() -> None:
    """A run begins with RunStarted, and has a beginning of any length."""
    with pytest.raises(ValueError, match="begins with RunStarted"):
        Run(RUN.events[1:])
    with pytest.raises(ValueError, match="begins with RunStarted"):
        Run([])
    assert 1 == len(RUN.before(0))
    assert "interrupted" == RUN.before(3).status
    assert "<Run toy_debate: complete, 22 events" in repr(RUN)


def test_messages() -> None:
    """Neighbouring parts of one speaker form one message."""
    made = as_parts(["a", Part("b"), Part("c", None, "assistant"), "d"])

    assert [
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ] == messages(made)
    assert (Part("a"),) == as_parts("a") == as_parts(Part("a"))
    with pytest.raises(TypeError, match="a str, not int"):
        as_parts([Part(5)])  # type: ignore[arg-type]


def test_randomness() -> None:
    """A draw depends on the seed and the path alone."""
    assert rng(1, "/a").random() == rng(1, "/a").random()
    assert 4 == len({derived_seed(seed, path) for seed in (0, 1) for path in ("/a", "/b")})
    assert 0 <= derived_seed(-5, "é") < 2**31
