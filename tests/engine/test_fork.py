"""Forks: what is kept, what is live, and what is recorded of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.toys import BOUND, Teller, human, words
from workbench.engine.inheritance import UnusedEdit
from workbench.errors import BadCommand, ForkError, ProtocolError, RunError, RunFailed
from workbench.record.events import EDITED, Lineage
from workbench.record.log import Log
from workbench.record.run import Run
from workbench.views.html import run_html
from workbench.views.terminal import story

made: dict[str, Run] = {}


def whole(name: str) -> Run:
    """Return a complete run of a toy."""
    if name not in made:
        made[name] = wb.run_sync(BOUND[name], lm=wb.ScriptedLM(words), human=human)
    return made[name]


def forked(source: Any, *args: Any, **options: Any) -> tuple[Run, list[str]]:
    """Fork and return the run and the asks that were live."""
    teller = Teller()
    run = wb.wait(wb.fork(source, *args, lm=teller, human=human, **options))
    return run, sorted(teller.paths)


@pytest.mark.parametrize("name", list(BOUND))
@pytest.mark.parametrize("rule", ["prefix", "unchanged"])
def test_no_edit(name: str, rule: Any, tmp_path: Path) -> None:
    """A fork with no edit is the identity, costs nothing and needs no model."""
    parent = whole(name)
    run = wb.wait(wb.fork(parent, rule=rule, to=tmp_path / "a.run.jsonl"))

    assert parent.derived == run.derived
    assert parent.answers == run.answers
    assert not wb.diff(parent, run)
    assert 0 == run.usage.calls
    assert parent.usage.calls == run.usage.inherited
    assert run.digest == wb.open_run(tmp_path / "a.run.jsonl").digest


def test_prefix() -> None:
    """Everything after the edit is live; what does not depend on it is kept."""
    run, live = forked(whole("debate"), {"/turn=1/a1/speak": "Other words."})

    assert [f"/turn=2/a{i}/speak" for i in range(3)] == live
    assert EDITED == run.answer("/turn=1/a1/speak").origin  # type: ignore[union-attr]
    assert whole("debate").digest == run.answer("/turn=1/a0/speak").origin  # type: ignore[union-attr]
    assert run.answer("/turn=2/a0/speak").origin is None  # type: ignore[union-attr]
    assert (3, 2) == (run.usage.calls, run.usage.inherited)


def test_what_is_independent_is_kept() -> None:
    """Under prefix, a branch that does not depend on the edit is kept, later or not."""
    run, live = forked(whole("council"), {"/plan/a/read": "Other words."})

    assert all(path.startswith(("/plan/verdict/", "/plan/c/")) for path in live)
    assert "/plan/verdict/score/try=1" in live
    left = run.answer("/plan/b/down/left/level=2")
    assert whole("council").digest == left.origin  # type: ignore[union-attr]


def test_unchanged() -> None:
    """Only asks whose request changed are live, also after an edit."""
    parent = whole("council")
    same = parent.answer("/plan/a/read").text  # type: ignore[union-attr]
    pruned, live = forked(parent, {"/plan/a/read": same}, rule="unchanged")

    assert [] == live
    assert parent.facts == pruned.facts
    _, prefix = forked(parent, {"/plan/a/read": same})
    assert prefix
    _, live = forked(parent, {"/plan/a/read": "Other."}, rule="unchanged")
    assert all(path.startswith(("/plan/verdict/", "/plan/c/")) for path in live)
    assert live


@pytest.mark.parametrize(
    ("at", "count"), [("/turn=2", 3), ("/turn=1", 6), ("/", 6), (["/turn=2/a0"], 1), ((), 0)]
)
def test_at(at: Any, count: int) -> None:
    """A path asks again all below it; the same answers give the same facts."""
    run, live = forked(whole("debate"), at=at)

    assert count == len(live)
    assert whole("debate").facts == run.facts


def test_params() -> None:
    """A longer run keeps what it has; one more agent changes only what reads it."""
    longer, live = forked(whole("debate"), params={"turns": 3})
    assert [f"/turn=3/a{i}/speak" for i in range(3)] == live
    assert 3 == longer.started.params["turns"]
    assert {"params": {"turns": 3}} == longer.started.lineage.edits  # type: ignore[union-attr]
    more, live = forked(whole("debate"), params={"n": 4})
    assert ["/turn=1/a3/speak", *(f"/turn=2/a{i}/speak" for i in range(4))] == live
    assert wb.verify(more)


def test_tools_and_humans() -> None:
    """A tool's value and a human's word can be edited, by their own type."""
    run, live = forked(whole("council"), {"/plan/a/search": [{"id": "x", "text": "new"}]})
    assert "/plan/a/read" in live
    assert "new" == run.prompt("/plan/a/read")
    run, live = forked(whole("council"), {"/human/ok": "no"})
    assert ("no", []) == (run.result["said"], live)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edits": {"/turn=1/a1/speek": "x"}}, "nearest are /turn=1/a1/speak"),
        ({"edits": {"/turn=1/a1/heard": "x"}}, "is not an ask, call or consultation"),
        ({"edits": {"/turn=1/a1/speak": 5}}, "the answer is a text, not int"),
        ({"at": "/turn=3"}, "/turn=3 names nothing in the run"),
        ({"at": ["/turn=2", "/turn"]}, "/turn names nothing"),
        ({"at": 3}, "at is a path such as '/turn=2', or several, not 3$"),
        ({"at": b"/turn=2"}, "or several, not b'/turn=2'$"),
        ({"at": {"/turn=1": "x"}}, "or several, not {'/turn=1': 'x'}$"),
        ({"at": ["/turn=1", b"/q"]}, "or several, not b'/q'$"),
        ({"at": ""}, "^'' names nothing in the run; '/' asks the whole run again"),
        ({"at": ["/turn=2", "//"]}, "'//' names nothing"),
        ({"params": {"m": 1}}, "no parameter 'm'; it has n, turns"),
    ],
)
def test_edits_that_name_nothing(options: Any, message: str, tmp_path: Path) -> None:
    """A wrong path names the nearest; no file is made and nothing is asked."""
    teller = Teller()
    with pytest.raises(ForkError, match=message):
        wb.wait(wb.fork(whole("debate"), **options, lm=teller, to=tmp_path / "a.run.jsonl"))

    assert [] == teller.paths
    assert [] == list(tmp_path.iterdir())


def test_edits_that_are_no_json() -> None:
    """Edits and parameters are JSON, as all of a run."""
    parent = whole("council")
    for options in ({"edits": {"/plan/a/search": {1}}}, {"params": {"depth": float("nan")}}):
        with pytest.raises(BadCommand, match="not JSON"):
            wb.wait(wb.fork(parent, **options, lm=Teller()))  # type: ignore[arg-type]
    with pytest.raises(ProtocolError, match="depth"):
        wb.wait(wb.fork(parent, params={"depth": "deep"}, lm=Teller()))


def test_lineage() -> None:
    """The first event tells the parent, the rule and the edits; a fork of a fork its own."""
    parent = whole("debate")
    child, _ = forked(parent, {"/turn=2/a0/speak": "x"}, rule="unchanged")
    edits = {"answers": {"/turn=2/a0/speak": "x"}}
    lineage = child.started.lineage
    assert lineage is not None
    assert Lineage(
        parent=parent.digest, rule="unchanged", edits=edits, seed=lineage.seed, inherited=5
    ) == (lineage)
    grand, live = forked(child, {"/turn=2/a1/speak": "y"})

    assert [] == live
    assert child.digest == grand.started.lineage.parent  # type: ignore[union-attr]
    assert EDITED == grand.answer("/turn=2/a0/speak").origin  # type: ignore[union-attr]
    assert parent.digest == grand.answer("/turn=1/a0/speak").origin  # type: ignore[union-attr]
    assert (0, 4) == (grand.usage.calls, grand.usage.inherited)


@given(st.integers(1, 21))
def test_fork_of_an_interrupted_run(count: int) -> None:
    """What an interrupted parent has is kept, and the rest is asked."""
    parent = whole("debate").before(count)
    run, live = forked(parent)

    assert "complete" == run.status
    assert whole("debate").facts == run.facts
    assert not set(live) & set(parent.answers)


@pytest.mark.parametrize("by", ["resume", "session"])
def test_a_killed_fork_keeps_its_edit(by: str, tmp_path: Path) -> None:
    """A fork that was killed before its edit was in place resumes with it."""
    path = tmp_path / "a.run.jsonl"
    edits = {"/turn=2/a1/speak": "Other words."}
    done, _ = forked(whole("debate"), edits, to=path)
    parent = whole("debate").digest
    begun = max(i for i, e in enumerate(done, 1) if getattr(e, "origin", "") == parent)
    for count in range(1, len(done)):
        part = tmp_path / f"{count}.run.jsonl"
        with Log.create(part) as log:
            log.append(done.events[:count])
        teller = Teller()
        if count < begun:
            with pytest.raises(RunError, match="--parent PARENT"):
                _ = wb.wait(wb.resume(part)) if by == "resume" else wb.Session(part, lm=teller)
            continue
        if by == "resume":
            wb.wait(wb.resume(part, lm=teller))
        else:
            wb.Session(part, lm=teller).play()

        assert done.digest == wb.open_run(part).digest
        assert "/turn=2/a1/speak" not in teller.paths


@pytest.mark.parametrize("rule", ["prefix", "unchanged"])
def test_a_killed_fork_resumes_with_its_parent(rule: Any, tmp_path: Path) -> None:
    """Wherever a fork was killed, its parent's answers and its own are kept, and none is asked."""
    parent = whole("council")
    edits = {"/plan/a/read": "Other words."}
    done, live = forked(parent, edits, rule=rule)
    for count in range(1, len(done)):
        part = tmp_path / f"{count}.run.jsonl"
        with Log.create(part) as log:
            log.append(done.events[:count])
        teller = Teller()
        run = wb.wait(wb.resume(part, parent=parent, lm=teller, human=human))

        assert done.digest == run.digest == wb.open_run(part).digest
        assert done.usage == run.usage
        answered = {e.path for e in done.events[:count] if isinstance(e, wb.Answered)}
        assert set(teller.paths) == set(live) - answered
        assert len(set(teller.paths)) == len(teller.paths)


def test_a_parent_that_is_none(tmp_path: Path) -> None:
    """Another run than the fork's parent is refused, and so is a parent of what is no fork."""
    parent, path = tmp_path / "parent.run.jsonl", tmp_path / "a.run.jsonl"
    wb.run_sync(BOUND["debate"], lm=Teller(), to=parent)
    fails = Teller(fail=("/turn=2/a0/speak",))
    with pytest.raises(RunFailed):
        wb.wait(wb.fork(parent, at="/turn=2/a0", rule="unchanged", lm=fails, to=path))
    with pytest.raises(RunError, match=r"--parent PARENT"):
        wb.wait(wb.resume(path, lm=Teller()))
    told = "goes on from here, given the run that it is a fork of"
    assert told in list(story(wb.open_run(path)))[-1]
    assert told in run_html(wb.open_run(path))
    with pytest.raises(RunError, match="is another run, or it has gone on since"):
        wb.wait(wb.resume(path, parent=whole("council"), lm=Teller()))
    assert "complete" == wb.wait(wb.resume(path, parent=parent, lm=Teller())).status

    with Log.create(tmp_path / "b.run.jsonl") as log:
        log.append(whole("debate").events[:5])
    with pytest.raises(RunError, match="is no fork"):
        wb.wait(wb.resume(tmp_path / "b.run.jsonl", parent=parent, lm=Teller()))


@pytest.mark.parametrize("how", ["fork", "resume"])
def test_a_cancelled_fork_keeps_what_it_has(how: str, tmp_path: Path) -> None:
    """Whoever cancels a fork or a resume has the partial run, also where there is no file."""

    async def go() -> Run:
        slow = Teller(latency_s=0.05)
        if how == "fork":
            to_come = wb.fork(whole("debate"), at="/turn=1/a0", lm=slow)
        else:
            with Log.create(tmp_path / "a.run.jsonl") as log:
                log.append(whole("debate").events[:4])
            to_come = wb.resume(tmp_path / "a.run.jsonl", lm=slow)
        task = asyncio.create_task(to_come)
        await asyncio.sleep(0.08)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as stopped:
            await task
        kept: Run = stopped.value.run  # type: ignore[attr-defined]
        return kept

    kept = asyncio.run(go())

    assert "interrupted" == kept.status
    assert "/turn=1/a0/speak" in kept.answers


def test_a_failing_fork(tmp_path: Path) -> None:
    """A fork whose model fails keeps what it has, and resumes."""
    path = tmp_path / "a.run.jsonl"
    teller = Teller(fail=("/turn=2/a0/speak",))
    with pytest.raises(RunFailed):
        wb.wait(wb.fork(whole("debate"), at="/turn=2", lm=teller, to=path))

    assert whole("debate").facts == wb.wait(wb.resume(path, lm=Teller())).facts


def test_the_parent_stays(tmp_path: Path) -> None:
    """The parent's file is not touched."""
    path = tmp_path / "a.run.jsonl"
    wb.run_sync(BOUND["debate"], lm=Teller(), to=path)
    data = path.read_bytes()
    forked(path, {"/turn=1/a1/speak": "x"})

    assert data == path.read_bytes()


def test_what_is_live_is_drawn_anew() -> None:
    """A place asked again, and all that depends on it, has other seeds; the rest has the old."""
    parent = whole("debate")
    run, live = forked(parent, at="/turn=1/a1/speak")
    seeds = {path: (parent[path].sampling.seed, run[path].sampling.seed) for path in run.answers}  # type: ignore[union-attr]

    assert live == sorted(path for path, (old, new) in seeds.items() if old != new)
    assert "/turn=1/a1/speak" in live
    assert "/turn=1/a0/speak" not in live
    assert wb.verify(run)


def test_another_seed_is_another_sample() -> None:
    """The same fork twice makes the same draws, and with another seed other ones."""
    parent = whole("debate")
    again, _ = forked(parent, at="/turn=2")
    same, _ = forked(parent, at="/turn=2")
    other, _ = forked(parent, at="/turn=2", seed=5)
    path = "/turn=2/a0/speak"

    assert again.digest == same.digest
    assert again[path].sampling.seed != other[path].sampling.seed  # type: ignore[union-attr]


def test_unchanged_pairs_the_branches() -> None:
    """Under the rule `unchanged` what is asked anew keeps its seed, unless it was asked again."""
    parent = whole("debate")
    run, live = forked(parent, {"/turn=1/a1/speak": "Other words."}, rule="unchanged")

    assert live
    for path in live:
        assert parent[path].sampling == run[path].sampling  # type: ignore[union-attr]


def test_a_fork_of_a_fork_keeps_its_seeds() -> None:
    """What a grandchild takes from its parent's live part is the same request, seed and all."""
    child, _ = forked(whole("debate"), at="/turn=2")
    grand, live = forked(child, at="/turn=2/a1")

    assert ["/turn=2/a1/speak"] == live
    assert child["/turn=2/a0/speak"] == grand["/turn=2/a0/speak"]
    assert child["/turn=2/a1/speak"] != grand["/turn=2/a1/speak"]
    assert wb.verify(grand)
    assert 1 == len(grand.started.lineage.earlier)  # type: ignore[union-attr]


def test_an_interrupted_fork_of_an_edited_fork_resumes(tmp_path: Path) -> None:
    """A fork takes its parent's edits with it, and is whole with them."""
    path = tmp_path / "a.run.jsonl"
    edited, _ = forked(whole("debate"), {"/turn=1/a1/speak": "Other words."})
    with pytest.raises(RunFailed):
        wb.wait(wb.fork(edited, at="/turn=2", to=path, lm=Teller(fail=("/turn=2/a0/speak",))))

    assert "complete" == wb.wait(wb.resume(path, lm=Teller())).status


def test_a_rule_that_is_none() -> None:
    """A rule must be one of the two, or nothing is asked."""
    with pytest.raises(ForkError, match="prefix"):
        wb.wait(wb.fork(whole("debate"), at="/turn=2", rule="bogus", lm=Teller()))  # type: ignore[arg-type]


def test_an_edit_that_is_never_come_to() -> None:
    """Where one edit leads away from another, the fork says that the other changed nothing."""

    @wb.protocol("toy_fork_in_the_road")
    def road():  # noqa: ANN202
        way = yield from wb.ask("way", "r", "Left or right?")
        yield from wb.ask(way.text, "r", "What is there?")

    parent = wb.run_sync(road(), lm=wb.ScriptedLM({"/way": "left", "/left": "a tree"}))
    lm = wb.ScriptedLM({"/right": "a house"})
    edits = {"/way": "right", "/left": "a lake"}
    with pytest.warns(UnusedEdit, match="never came to /left"):
        run = wb.wait(wb.fork(parent, edits, lm=lm))

    assert ["/way", "/right"] == list(run.answers)
    with pytest.warns(UnusedEdit, match="never came to /left"):
        wb.wait(wb.fork(parent, {"/way": "right"}, at="/left", lm=lm))
