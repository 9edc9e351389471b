"""`check_protocol` finds what breaks the contract."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import workbench as wb
from tests.toys import BOUND, Heard, human, words
from workbench.testing import check_protocol, imagined


@pytest.mark.parametrize("name", list(BOUND))
def test_sound(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sound protocols pass, with a scripted model and with an imagined one."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    assert "complete" == check_protocol(BOUND[name], wb.ScriptedLM(words), human=human).status
    assert "complete" == check_protocol(BOUND[name], seeds=[3]).status


counter = itertools.count()


@wb.protocol("toy_shared")
def shared():  # noqa: ANN201
    """Use state outside of the protocol."""
    yield from wb.ask("a", "r", f"number {next(counter)}")


@wb.protocol("toy_racing")
def racing():  # noqa: ANN201
    """Let what is heard depend on who came first."""
    heard: list[str] = []

    def child(name: str) -> Any:
        reply = yield from wb.ask("ask", "r", name)
        heard.append(name)
        yield from wb.post("heard", Heard(text=" ".join(heard)), [reply.path])

    yield from wb.all_of("k", {name: child(name) for name in "abcde"})


@wb.protocol("toy_twice")
def twice():  # noqa: ANN201
    """Use a key twice."""
    yield from wb.ask("a", "r", "x")
    yield from wb.ask("a", "r", "x")


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (shared(), "toy_shared, seed 0: a replay does not make the same events: /a"),
        (racing(), "toy_racing, seed 0: the digest depends on who answers first|another event"),
        (twice(), "toy_twice, seed 0: does not complete: .*/a is used twice"),
    ],
)
def test_unsound(bound: Any, message: str) -> None:
    """State outside, a race and a key used twice are told of by name."""
    with pytest.raises(AssertionError, match=message):
        check_protocol(bound)


def test_imagined() -> None:
    """An imagined answer is a function of the ask and fits its schema."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "maxLength": 4, "minLength": 2},
            "b": {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2},
            "c": {"type": "integer", "minimum": 3, "maximum": 3},
            "d": {"anyOf": [{"type": "null"}]},
            "e": {"type": "boolean"},
            "f": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        },
    }
    asked = wb.Asked(path="/a", clock=0, role="r", parts=(), schema=schema)

    assert imagined(asked) == imagined(asked)
    assert '"c": 3, "d": null' in imagined(asked)
