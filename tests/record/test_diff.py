"""Two runs side by side."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Heard, Teller, human, words
from workbench.record.run import Run

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


def edited(path: str, text: str) -> Run:
    """Return a fork of the debate with one answer changed."""
    return wb.wait(wb.fork(whole("debate"), {path: text}, lm=Teller()))


def test_equal() -> None:
    """A run does not differ from itself, nor from a rerun with the same answers."""
    found = wb.diff(whole("debate"), wb.run_sync(BOUND["debate"], lm=Teller()))

    assert not found
    assert "the runs are equal" == str(found)


@given(st.sampled_from([f"/turn={t}/a{i}/speak" for t in (1, 2) for i in range(3)]))
def test_first_is_the_edit(path: str) -> None:
    """The first divergence is the edited answer, and counts are the same both ways."""
    parent, child = whole("debate"), edited(path, "Even words")
    there, back = wb.diff(parent, child), wb.diff(child, parent)

    assert there.first is not None
    assert back.first is not None
    assert (path, "answer", "Even words") == (there.first.path, there.first.kind, there.first.after)
    assert (path, "answer", "Even words") == (back.first.path, back.first.kind, back.first.before)
    for name in ("answers", "facts", "verdicts"):
        assert len(getattr(there, name)) == len(getattr(back, name))
    assert "first divergence: " + path in str(there)
    assert "+ Even words" in there.first.words()


def test_verdicts() -> None:
    """A fact with a field `verdict` that changed is listed with the two verdicts."""
    before = whole("debate").facts["/turn=2/judged"].data["verdict"]
    text = "odd" if before == "no" else "even"
    found = wb.diff(whole("debate"), edited("/turn=2/a0/speak", text))

    assert [("/turn=2/judged", before)] == [(v.path, v.before) for v in found.verdicts]
    assert f"/turn=2/judged: {before} -> " in str(found)


def test_other_protocols() -> None:
    """Runs of different protocols differ in all that they did; no order of them raises."""
    found = wb.diff(whole("debate"), whole("council"))

    assert found
    assert len(found.answers) == len(wb.diff(whole("council"), whole("debate")).answers)
    assert found.params
    assert found._repr_mimebundle_()["text/html"].startswith("<pre>")


def test_interrupted_and_empty() -> None:
    """What an interrupted or empty run lacks stands as None."""
    for count in range(1, 22):
        found = wb.diff(whole("debate"), whole("debate").before(count))
        assert found.first is not None
        assert found.first.after is None or found.first.kind == "status"
        assert str(found)
    empty = Run([whole("debate").started])
    assert not wb.diff(empty, empty)
    assert 6 == len(wb.diff(empty, whole("debate")).answers)


def test_kind_and_result() -> None:
    """Facts of another kind, and another result, are differences."""

    class Said(wb.Fact):
        text: str

    def of(fact: type[Any], result: int) -> Run:
        @wb.protocol("toy_diff")
        def steps():  # noqa: ANN202
            yield from wb.post("a", fact(text="x"))
            return result

        return wb.run_sync(steps())

    kind, result = (
        wb.diff(of(Heard, 1), of(Said, 1)).first,
        wb.diff(of(Heard, 1), of(Heard, 2)).first,
    )
    assert kind is not None
    assert result is not None
    assert ("/a", "Said") == (kind.path, kind.kind)
    assert ("/", "result", 1, 2) == tuple(result)
