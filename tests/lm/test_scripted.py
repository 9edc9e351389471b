"""`ScriptedLM`: answers by path or by function, never by order of calls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import workbench as wb
from tests.lm.mock import ask
from workbench.errors import LMError, RateLimited
from workbench.lm.base import LM
from workbench.lm.scripted import ScriptedLM
from workbench.record.events import Answered, Asked


def one(lm: LM, path: str = "/a") -> Answered:
    """Ask once."""
    return asyncio.run(lm.answer(ask("two words", path)))


def test_mapping() -> None:
    """A path gets its text, with words as tokens and no cost."""
    lm = ScriptedLM({"/a": "one two three"}, name="n", family="f")
    assert one(lm) == Answered(
        path="/a", text="one two three", model="n", tokens_in=5, tokens_out=3, cost_usd=0.0
    )
    assert [asked.path for asked in lm.asked] == ["/a"]
    assert isinstance(lm, LM)
    assert (lm.name, lm.family) == ("n", "f")


def test_lists_go_by_path() -> None:
    """The n-th ask of one path gets the n-th item, and the last one ever after."""
    lm = ScriptedLM({"/a": ["first", RateLimited("slow"), "last"], "/b": "b"})
    assert one(lm).text == "first"
    assert one(lm, "/b").text == "b"
    with pytest.raises(RateLimited):
        one(lm)
    assert [one(lm).text, one(lm).text] == ["last", "last"]


def test_functions() -> None:
    """A function, sync or async, may give a text or an answer, or raise."""

    async def later(asked: Asked) -> str:
        await asyncio.sleep(0)
        return asked.path * 2

    def whole(asked: Asked) -> Answered:
        return Answered(path="", text="x", finish_reason="length", tokens_out=99)

    def broken(asked: Asked) -> Exception:
        return LMError("on purpose")

    assert one(ScriptedLM(lambda asked: asked.path)).text == "/a"
    assert one(ScriptedLM(later)).text == "/a/a"
    got = one(ScriptedLM(whole))
    assert (got.path, got.finish_reason, got.tokens_in, got.tokens_out) == ("/a", "length", 5, 99)
    with pytest.raises(LMError, match="on purpose"):
        one(ScriptedLM(broken))


def test_miss_names_the_nearest_paths() -> None:
    """A path that is not in the script is named, with those that are near."""
    with pytest.raises(LMError, match=r"'/turn=1/a'.*of its 3 paths: /turn=[23]/a"):
        one(ScriptedLM({"/turn=2/a": "", "/turn=3/a": "", "/zzz": ""}), "/turn=1/a")
    with pytest.raises(LMError, match="It is empty"):
        one(ScriptedLM({}))


@pytest.mark.parametrize("answers", [["a", "b"], ("a",), "a", iter(["a"])])
def test_sequences_are_refused(answers: Any) -> None:
    """Answers by order of calls are refused: the order is not defined."""
    with pytest.raises(LMError, match="order of calls"):
        ScriptedLM(answers)


def test_wrong_answers_are_named() -> None:
    """What is no answer is refused with its type."""
    for wrong in (7, None, []):
        with pytest.raises(LMError, match=r"/a.*(int|NoneType|empty)"):
            one(ScriptedLM({"/a": wrong}))  # type: ignore[dict-item]


def test_latency_and_switch() -> None:
    """It waits as told, and is not affected by the switch."""
    with wb.allow_model_requests(allowed=False):
        assert (one(ScriptedLM({"/a": "x"}, latency_s=0.05)).latency_s or 0) >= 0.05
