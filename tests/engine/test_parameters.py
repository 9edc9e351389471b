"""What a protocol says of a parameter that it cannot take."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

import workbench as wb
from tests.toys import debate, words
from workbench.errors import ProtocolError
from workbench.record.events import Sampling


@wb.protocol("toy_settings")
def settings(sampling: Sampling):  # noqa: ANN201
    """Take settings that have fields of their own."""
    yield from wb.ask("ask", "r", "?", sampling=sampling)


@pytest.mark.parametrize(
    ("bind", "told"),
    [
        (lambda: debate(n="abc"), "toy_debate(n=...): Input should be a valid integer, unable to"),
        (lambda: settings({"stop": ["a", 1]}), "toy_settings(sampling=...): stop: 1: Input should"),
        (lambda: wb.maven(" "), "maven(question=...): must not be blank"),
    ],
)
def test_it_is_said_in_one_sentence(bind: Any, told: str) -> None:
    """It names the parameter and the place in it, without an address of documentation."""
    with pytest.raises(ProtocolError) as caught:
        bind()
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)
    assert "http" not in str(caught.value)


def test_equal_arguments_are_recorded_alike() -> None:
    """What is read as an integer is one in the run: its digest does not tell how it was given."""
    given: list[Any] = ["3", 3.0, 3]
    runs = [wb.run_sync(debate(n=n), lm=wb.ScriptedLM(words)) for n in given]
    assert [3] * 3 == [run.started.params["n"] for run in runs]
    assert 1 == len({run.digest for run in runs})
    assert all(type(run.started.params["n"]) is int for run in runs)


@wb.protocol("toy_percent")
def percent(share: Annotated[float, AfterValidator(lambda share: share / 100)]):  # noqa: ANN201
    """Take a share in percent."""
    reply = yield from wb.ask("ask", "r", f"{share}?")
    return reply.text


def test_what_a_validator_changes_is_recorded_as_it_was_given() -> None:
    """Else it would be changed again by each reading of the record."""
    run = wb.run_sync(percent(50), lm=wb.ScriptedLM(words))
    assert 50 == run.started.params["share"]
    assert "0.5?" == run.prompt("/ask")
    assert wb.verify(run)


def test_a_parameter_that_came_later() -> None:
    """A run recorded before there was one is executed as it was; a new one has the default."""

    @wb.protocol("toy_grown")
    def young(n: int):  # noqa: ANN202
        reply = yield from wb.ask("ask", "r", f"{n}, loud")
        return reply.text

    old = wb.run_sync(young(1), lm=wb.ScriptedLM(words))

    @wb.protocol("toy_grown", before={"tone": "loud"})
    def grown(n: int, tone: str = "calm"):  # noqa: ANN202
        reply = yield from wb.ask("ask", "r", f"{n}, {tone}")
        return reply.text

    assert wb.verify(old)
    new = wb.run_sync(grown(1), lm=wb.ScriptedLM(words))
    assert ("1, calm", {"n": 1, "tone": "calm"}) == (new.prompt("/ask"), new.started.params)
    for given, told in (({"n": 2}, "2, loud"), ({"tone": "calm"}, "1, calm")):
        made = wb.wait(wb.fork(old, params=given, lm=wb.ScriptedLM(words)))
        assert told == made.prompt("/ask")
