"""Running and resuming: kills, faults of the world, interrupts."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.toys import BOUND, Heard, Teller, human, words
from workbench.engine.protocol import Bound
from workbench.errors import (
    Diverged,
    LMError,
    ProtocolError,
    RateLimited,
    RunError,
    RunFailed,
    RunFileLocked,
    UnknownProtocol,
)
from workbench.record.codec import Encoder
from workbench.record.log import Log, TornLine
from workbench.record.run import Run

ROOT = Path(__file__).parents[2]
CHILD = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
import workbench as wb
from tests.toys import BOUND, Teller, human
print("ready", flush=True)
teller = Teller(Path({side!r}), latency_s={latency})
wb.run_sync(BOUND["council"], lm=teller, human=human, to={path!r})
"""
PARENT = """
import os, sys
sys.path.insert(0, {root!r})
from pathlib import Path
import workbench as wb
from tests.toys import BOUND, Teller, human
from workbench.knowledge.embedding import MiniLM
import threading
from tqdm import tqdm
tqdm.set_lock(threading.RLock())  # its own is shared by processes: who is killed holds it for ever
MiniLM.installed = staticmethod(lambda: False)
bound = BOUND[{name!r}]
wb.run_sync(bound, lm=Teller(), human=human)  # so that no child has to import anything
for line in sys.stdin:
    path, side = line.split()
    pid = os.fork()
    if pid == 0:
        print(os.getpid(), flush=True)
        try:
            wb.run_sync(bound, lm=Teller(Path(side), latency_s=0.01), human=human, to=path)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    print("over", flush=True)
"""
INTERRUPTED = 50


@pytest.fixture(scope="module")
def straight() -> dict[str, Run]:
    """Give the uninterrupted runs of the toys."""
    return {n: wb.run_sync(b, lm=Teller(), human=human) for n, b in BOUND.items()}


def child(path: Path, side: Path, latency: float = 0.01) -> subprocess.Popen[str]:
    """Start a run in a process of its own and return once it is about to begin."""
    code = CHILD.format(root=str(ROOT), side=str(side), path=str(path), latency=latency)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert "ready\n" == process.stdout.readline()
    return process


def resumed(path: Path, lm: Any, **options: Any) -> Run:
    """Resume a file, whether its last line is torn or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornLine)
        return wb.wait(wb.resume(path, lm=lm, human=human, **options))


def kill(pid: int, path: Path, count: int, after_s: float) -> None:
    """Kill a process some time after it has written so many bytes, unless it ends before."""
    with suppress(ProcessLookupError):
        while not path.exists() or path.stat().st_size < count:
            os.kill(pid, 0)
            time.sleep(0.001)
        time.sleep(after_s)
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("name", ["council", "bilayer"])
def test_kill_9_at_fifty_moments(name: str, tmp_path: Path, straight: dict[str, Run]) -> None:
    """A killed run resumes to the same digest and usage, and pays for no answer twice."""
    draw = random.Random(9)
    whole = straight[name]
    encoder = Encoder()
    size = sum(len(encoder.encode(event)) for event in whole)
    interrupted = 0
    with subprocess.Popen(
        [sys.executable, "-c", PARENT.format(root=str(ROOT), name=name)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for number in range(4 * INTERRUPTED):
            path, side = tmp_path / f"{number}.run.jsonl", tmp_path / f"{number}.txt"
            print(path, side, file=parent.stdin, flush=True)
            pid = int(parent.stdout.readline())
            kill(pid, path, draw.randrange(size), draw.random() * 0.02)
            assert "over\n" == parent.stdout.readline()
            if not path.exists() or not path.stat().st_size:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TornLine)
                old = wb.open_run(path)
            interrupted += old.status == "interrupted" and bool(old.answers)
            teller = Teller(side)
            done = resumed(path, teller)

            assert whole.digest == done.digest == wb.open_run(path).digest
            assert not set(teller.paths) & set(old.answers)
            assert whole.usage == done.usage
            paid = side.read_text().split()
            assert len(paid) - len(set(paid)) <= 4  # those under way at the kill may be
            if interrupted == INTERRUPTED:
                break
        parent.stdin.close()
    assert INTERRUPTED == interrupted


@pytest.mark.parametrize("name", list(BOUND))
def test_resume_in_a_new_process(name: str, tmp_path: Path, straight: dict[str, Run]) -> None:
    """Every prefix of the events resumes to the whole run, in this process or another."""
    whole = straight[name]
    for count in range(1, len(whole)):
        path = tmp_path / f"{count}.run.jsonl"
        with Log.create(path) as log:
            log.append(whole.events[:count])
        teller = Teller()
        done = resumed(path, teller)

        assert whole.digest == done.digest
        assert whole.usage == done.usage
        assert not set(teller.paths) & set(whole.before(count).answers)


def test_resume_of_a_complete_run(tmp_path: Path) -> None:
    """A complete run is returned as it is; its file stays the same."""
    path = tmp_path / "a.run.jsonl"
    made = wb.run_sync(BOUND["debate"], lm=Teller(), to=path)
    data = path.read_bytes()

    assert made.digest == wb.wait(wb.resume(path)).digest
    assert data == path.read_bytes()


@pytest.mark.parametrize("name", list(BOUND))
def test_a_failing_model(name: str, tmp_path: Path, straight: dict[str, Run]) -> None:
    """Failed is recorded, answers that came meanwhile are kept, and resume asks the rest."""
    path = tmp_path / "a.run.jsonl"
    asks = [p for p, a in straight[name].answers.items() if isinstance(a, wb.Answered)]
    for number, place in enumerate(asks):
        path = tmp_path / f"{number}.run.jsonl"
        teller = Teller(fail=(place,))
        with pytest.raises(RunFailed, match=f"{place}: LMError: told to fail.*kept in") as caught:
            wb.run_sync(BOUND[name], lm=teller, human=human, to=path)
        kept = caught.value.run
        assert kept is not None
        assert isinstance(caught.value.__cause__, LMError)
        assert [place] == list(kept.failures)
        assert kept.digest == wb.open_run(path).digest
        assert set(teller.paths) == {
            p for p, a in kept.answers.items() if isinstance(a, wb.Answered)
        } | {place}
        again = Teller()
        done = resumed(path, again)

        assert straight[name].digest == done.digest
        assert {} == done.failures
        assert not set(again.paths) & set(kept.answers)
        assert straight[name].usage == done.usage


class Odd:
    """A model that does something odd."""

    name = family = "odd"

    def __init__(self, answer: Callable[[wb.Asked], Any]) -> None:
        self._answer = answer
        self.session = wb.ScriptedLM({}).session

    def describe(self) -> dict[str, Any]:
        """Return nothing that could be built again."""
        return {"kind": "odd"}

    async def answer(self, asked: wb.Asked) -> Any:
        """Do it."""
        return self._answer(asked)


def _raises(error: BaseException) -> Callable[[wb.Asked], Any]:
    def answer(asked: wb.Asked) -> Any:
        raise error

    return answer


class Unspeakable(Exception):
    """An error whose message cannot be made."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (_raises(ZeroDivisionError("oh")), "ZeroDivisionError: oh"),
        (_raises(SystemExit(1)), "SystemExit: 1"),
        (_raises(asyncio.CancelledError()), "CancelledError"),
        (_raises(Unspeakable()), "its message could not be made"),
        (_raises(LMError("half \ud800")), "LMError: half ?"),
        (lambda asked: None, "the answer is a NoneType, not Answered"),
        (lambda asked: "text", "the answer is a str, not Answered"),
        (lambda asked: wb.Said(path=asked.path, text="x"), "a Said, not Answered"),
        (lambda asked: wb.Answered(path="/other", text="x"), "the answer is for /other"),
        (lambda asked: wb.Answered(path=asked.path, text=5), "valid string"),  # type: ignore[arg-type]
        (lambda asked: wb.Answered(path=asked.path, text="a \ud83d"), "surrogate"),
        (lambda asked: wb.Answered(path=asked.path, text="x", cost_usd=float("nan")), "NaN"),
    ],
)
def test_an_odd_model(answer: Callable[[wb.Asked], Any], message: str, tmp_path: Path) -> None:
    """Whatever a model throws or returns becomes Failed, and the file can be resumed."""
    path = tmp_path / "a.run.jsonl"
    with pytest.raises(RunFailed, match="/turn=1/a0/speak") as caught:
        wb.run_sync(BOUND["debate"], lm=Odd(answer), to=path)

    assert message.replace("?", "") in str(caught.value)
    assert caught.value.run is not None
    assert 3 == len(wb.open_run(path).failures)
    assert "complete" == resumed(path, Teller()).status


def test_what_comes_while_another_fails(tmp_path: Path) -> None:
    """An answer that was under way when another failed is waited for and kept."""

    async def slow(asked: wb.Asked) -> str:
        if "/a0/" in asked.path:
            raise LMError("at once")
        await asyncio.sleep(0.05)
        return "late"

    with pytest.raises(RunFailed) as caught:
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(slow), to=tmp_path / "a.run.jsonl")

    assert {"/turn=1/a1/speak", "/turn=1/a2/speak"} == set(
        wb.open_run(tmp_path / "a.run.jsonl").answers
    )
    assert caught.value.run is not None
    assert 2 == len(caught.value.run.facts)


@pytest.mark.parametrize("late", [0.0, 0.1])
def test_a_halt_ends_the_pauses(late: float, tmp_path: Path) -> None:
    """Once a call has failed, one that waits for its next try, or is about to, sends no other."""
    sent: list[str] = []

    async def script(asked: wb.Asked) -> str:
        sent.append(asked.path)
        if "/a0/" in asked.path:
            await asyncio.sleep(0.05)
            raise LMError("for good")
        await asyncio.sleep(late if "/a1/" in asked.path else 0.2)
        if "/a1/" in asked.path:
            raise RateLimited("come back", 100)
        return "paid for"

    path = tmp_path / "a.run.jsonl"
    lm = wb.limited(wb.ScriptedLM(script), attempts=3)

    async def within_the_pause() -> None:
        await asyncio.wait_for(wb.run(BOUND["debate"], lm=lm, to=path), 60)

    with pytest.raises(RunFailed, match="for good"):
        asyncio.run(within_the_pause())

    assert [f"/turn=1/a{i}/speak" for i in range(3)] == sent
    run = wb.open_run(path)
    assert {"/turn=1/a2/speak"} == set(run.answers)
    assert {"/turn=1/a0/speak"} == set(run.failures)
    assert "complete" == resumed(path, Teller()).status


def test_a_stop_ends_the_waits_for_a_turn() -> None:
    """A session that plays to a breakpoint sends nothing after it, and can go on."""
    teller = Teller(latency_s=0.01)
    session = wb.Session(
        BOUND["debate"],
        lm=wb.limited(teller, at_once=1),  # type: ignore[arg-type]
        breakpoints=[lambda e: isinstance(e, wb.Answered)],
    )
    session.play()
    assert 1 == len(teller.paths)
    session.breakpoints.clear()
    session.play()
    assert session.done
    assert 6 == len(set(teller.paths)) == len(teller.paths)


def test_answers_are_normal(tmp_path: Path) -> None:
    """An answer whose price is an int has the same digest in memory and in the file."""

    def answer(asked: wb.Asked) -> wb.Answered:
        return wb.Answered(path=asked.path, text="x", cost_usd=0, tokens_in=1)

    path = tmp_path / "a.run.jsonl"
    made = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(answer), to=path)
    odd = wb.run_sync(BOUND["debate"], lm=Odd(answer), to=tmp_path / "b.run.jsonl")

    assert made.digest == wb.open_run(path).digest
    assert odd.digest == wb.open_run(tmp_path / "b.run.jsonl").digest


@wb.protocol("toy_world")
def worldly(tool: str = "t", options: list[str] = ["yes", "no"]):  # noqa: ANN201, B006
    """Call a tool, then ask a human."""
    got = yield from wb.call("call", tool, a=[1])
    said = yield from wb.consult("consult", "well?", options)
    yield from wb.post("heard", Heard(text=said.text))
    return [got.value, said.text]


@pytest.mark.parametrize(
    ("world", "says", "message"),
    [
        (None, human, "/call: LookupError: no tool 't' in this world"),
        ({"u": len}, human, "it has: u"),
        ({"t": lambda a: 1 / 0}, human, "/call: ZeroDivisionError"),
        ({"t": lambda: 1}, human, "/call: TypeError"),
        ({"t": lambda a: {1, 2}}, human, "/call: BadCommand: the tool 't': not JSON"),
        ({"t": lambda a: float("nan")}, human, "NaN and infinities"),
        ({"t": lambda a: a}, None, "/consult: LookupError: the protocol asks a human"),
        ({"t": lambda a: a}, lambda c: "maybe", "'maybe' is none of the options"),
        ({"t": lambda a: a}, lambda c: 5, "none of the options"),
        ({"t": lambda a: a}, lambda c: 1 / 0, "/consult: ZeroDivisionError"),
    ],
)
def test_faults_of_the_world(world: Any, says: Any, message: str, tmp_path: Path) -> None:
    """A missing or failing tool or human is told of, and a resume with another goes on."""
    path = tmp_path / "a.run.jsonl"
    with pytest.raises(RunFailed) as caught:
        wb.run_sync(worldly(), world=world, human=says, to=path)
    assert message in str(caught.value)
    done = wb.wait(wb.resume(path, world={"t": lambda a: a}, human=human))

    assert [[1], "yes"] == done.result


def test_a_human_who_says_no_text() -> None:
    """Where any text will do, something else will not."""
    with pytest.raises(RunFailed, match=r"/consult: BadCommand|/consult: ValidationError"):
        wb.run_sync(worldly(options=[]), world={"t": lambda a: a}, human=lambda c: 5)


def test_a_tool_may_change_its_arguments(tmp_path: Path) -> None:
    """What a tool does to its arguments does not change the record."""

    async def tool(a: list[int]) -> int:
        a.append(2)
        return len(a)

    path = tmp_path / "a.run.jsonl"
    made = wb.run_sync(worldly(), world={"t": tool}, human=human, to=path)

    assert {"a": [1]} == made["/call"].args  # type: ignore[union-attr]
    assert made.digest == wb.open_run(path).digest
    assert wb.verify(made)


def test_no_model_for_a_role() -> None:
    """A role without a model is named."""
    with pytest.raises(RunFailed, match="no language model for the role 'agent1'"):
        wb.run_sync(BOUND["debate"], lm={"agent0": Teller(), "agent2": Teller()})


def test_cancelled(tmp_path: Path, straight: dict[str, Run]) -> None:
    """A cancelled run keeps what was answered, frees its file, and resumes."""

    async def go() -> None:
        lm = wb.ScriptedLM(words, latency_s=0.02)
        task = asyncio.create_task(wb.run(BOUND["debate"], lm=lm, to=path))
        await asyncio.sleep(0.03)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    path = tmp_path / "a.run.jsonl"
    asyncio.run(go())
    old = wb.open_run(path)

    assert "interrupted" == old.status
    assert straight["debate"].digest == resumed(path, Teller()).digest


def test_sigint(tmp_path: Path, straight: dict[str, Run]) -> None:
    """Ctrl-C in run_sync raises KeyboardInterrupt once the file is in order, and it resumes."""
    path, side = tmp_path / "a.run.jsonl", tmp_path / "a.txt"
    process = child(path, side, latency=0.2)
    while not path.exists() or b"answered" not in path.read_bytes():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=10)

    assert told.rstrip().endswith("KeyboardInterrupt")
    assert "Traceback" in told
    old = wb.open_run(path)
    assert "interrupted" == old.status
    teller = Teller()
    assert straight["council"].digest == resumed(path, teller).digest
    assert not set(teller.paths) & set(old.answers)


def test_wait_waits_for_the_clean_up(tmp_path: Path) -> None:
    """After an interrupt the coroutine has cleaned up before KeyboardInterrupt is raised."""
    code = """
        import asyncio, signal, threading, os
        import workbench as wb
        async def slow():
            try:
                threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.2)
                print("clean")
        try:
            wb.wait(slow())
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )

    assert "clean\ninterrupted\n" == done.stdout


def test_an_interrupt_has_the_partial_run() -> None:
    """Ctrl-C in a run or a fork that has no file is raised with what was answered."""
    code = """
        import os, signal, threading
        import workbench as wb
        from tests.toys import BOUND, Teller
        whole = wb.run_sync(BOUND["debate"], lm=Teller())
        for begin in (wb.run(BOUND["debate"], lm=Teller(latency_s=0.3)),
                      wb.fork(whole, at="/", lm=Teller(latency_s=0.3))):
            threading.Timer(0.45, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                wb.wait(begin)
            except KeyboardInterrupt as stopped:
                print(stopped.run.status, len(stopped.run.answers))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )

    assert "interrupted 3\n" * 2 == done.stdout


def test_loops(straight: dict[str, Run]) -> None:
    """Runs on two event loops one after the other, many on one, and from a loop's own thread."""
    bound, digest = BOUND["debate"], straight["debate"].digest
    lm = wb.ScriptedLM(words, latency_s=0.001)

    async def many() -> list[str]:
        runs = await asyncio.gather(*(wb.run(bound, lm=lm) for _ in range(20)))
        return [run.digest for run in runs]

    async def as_in_a_notebook() -> str:
        return wb.run_sync(bound, lm=lm).digest

    async def within_the_private_loop() -> None:
        wb.run_sync(bound, lm=lm)

    assert [digest] * 20 == asyncio.run(many())
    assert [digest] * 20 == asyncio.run(many())
    assert digest == asyncio.run(as_in_a_notebook())
    with pytest.raises(RuntimeError, match="await it instead"):
        wb.wait(within_the_private_loop())


def test_two_runs_on_one_file(tmp_path: Path) -> None:
    """A resume of a file that a run is writing is refused, and harms nothing."""

    async def go() -> Run:
        lm = wb.ScriptedLM(words, latency_s=0.02)
        task = asyncio.create_task(wb.run(BOUND["debate"], lm=lm, to=path))
        await asyncio.sleep(0.01)
        with pytest.raises(RunFileLocked):
            await wb.resume(path, lm=lm)
        return await task

    path = tmp_path / "a.run.jsonl"

    assert asyncio.run(go()).digest == wb.open_run(path).digest


def test_on_event(straight: dict[str, Run]) -> None:
    """Each event is told of once, after it was recorded."""
    told: list[Any] = []
    made = wb.run_sync(BOUND["debate"], lm=Teller(), on_event=told.append)

    assert list(made.events) == told


def test_a_protocol_that_raises(tmp_path: Path) -> None:
    """The partial run is in the error; resuming it says to fork instead."""
    path = tmp_path / "a.run.jsonl"
    with pytest.raises(RunError, match="raised ValueError: oh") as caught:
        wb.run_sync(raising(), lm=Teller(), to=path)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.run is not None
    assert "failed" == caught.value.run.status == wb.open_run(path).status
    with pytest.raises(RunError, match="fork the run instead"):
        resumed(path, Teller())
    assert wb.verify(path)


@wb.protocol("toy_raising")
def raising():  # noqa: ANN201
    """Raise after an ask."""
    yield from wb.ask("a", "r", "x")
    raise ValueError("oh")


def test_rerun(straight: dict[str, Run]) -> None:
    """A rerun is a new run: everything is asked again."""
    teller = Teller()
    again = wb.wait(wb.rerun(straight["debate"], lm=teller))

    assert straight["debate"].digest == again.digest
    assert 6 == len(teller.paths)
    other = wb.wait(wb.rerun(straight["debate"], lm=Teller(), seed=1))
    assert straight["debate"].digest != other.digest


def test_resume_with_another_protocol(tmp_path: Path, straight: dict[str, Run]) -> None:
    """A protocol that changed, or is unknown, is told of before anything is sent."""
    first, *others = straight["debate"].before(6).events
    assert isinstance(first, wb.RunStarted)
    for name, kind in (("toy_raising", Diverged), ("toy_nobody", UnknownProtocol)):
        path = tmp_path / f"{name}.run.jsonl"
        params: dict[str, Any] = {}
        with Log.create(path) as log:
            log.append([wb.RunStarted(protocol=name, params=params), *others])
        teller = Teller()
        with pytest.raises(kind):
            resumed(path, teller)

        assert [] == teller.paths


@pytest.mark.parametrize(
    "params", [{"n": {1}}, {"n": float("nan")}, {"n": object()}, {"n": "many"}, {"n": "\ud800"}]
)
def test_params(params: dict[str, Any]) -> None:
    """Parameters that are not JSON, or do not fit, are told of by name."""
    with pytest.raises(ProtocolError, match="toy_debate"):
        wb.find_protocol("toy_debate")(**params)
    with pytest.raises(TypeError):
        wb.find_protocol("toy_debate")(no_such=1)
    bound: Bound[Any] = wb.find_protocol("toy_debate").bind({"no_such": 1})
    with pytest.raises(ProtocolError, match="no parameter 'no_such'"):
        wb.run_sync(bound, lm=Teller())
    with pytest.raises(ProtocolError, match="toy_needy: missing a required argument"):
        wb.run_sync(needy.bind({}), lm=Teller())


@wb.protocol("toy_needy")
def needy(words: Any):  # noqa: ANN201
    """Change a parameter in place."""
    words.append("mine")
    reply = yield from wb.ask("a", "r", "x")
    return [*words, reply.text]


def test_params_stay_as_they_were(tmp_path: Path) -> None:
    """What a protocol does to a parameter changes neither the record nor a replay."""
    made = wb.run_sync(needy(["x"]), lm=Teller(), to=tmp_path / "a.run.jsonl")

    assert {"words": ["x"]} == made.started.params
    assert wb.verify(made)
    assert wb.verify(tmp_path / "a.run.jsonl")


def test_a_listener_that_raises(tmp_path: Path) -> None:
    """What is under way when a listener raises is waited for and kept: it is paid for."""

    def listen(event: Any) -> None:
        if isinstance(event, wb.Answered) and "/a0/" in event.path:
            raise ZeroDivisionError

    async def slow(asked: wb.Asked) -> str:
        await asyncio.sleep(0 if "/a0/" in asked.path else 0.03)
        return "x"

    path = tmp_path / "a.run.jsonl"
    with pytest.raises(ZeroDivisionError):
        wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(slow), on_event=listen, to=path)

    assert 3 == len(wb.open_run(path).answers)


def test_not_bound() -> None:
    """A protocol that was not called is told of with what to write."""
    with pytest.raises(ProtocolError, match="is not bound to its parameters; call it"):
        wb.run_sync(raising, lm=Teller())  # type: ignore[arg-type]


def test_in_a_forked_process() -> None:
    """The private loop works in a child of fork, as executors make."""
    code = f"""
        import os, sys
        sys.path.insert(0, {str(ROOT)!r})
        import workbench as wb
        from tests.toys import BOUND, Teller
        first = wb.run_sync(BOUND["debate"], lm=Teller()).digest
        child = os.fork()
        if child == 0:
            os._exit(0 if wb.run_sync(BOUND["debate"], lm=Teller()).digest == first else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )

    assert "0\n" == done.stdout


@pytest.mark.parametrize("seed", [1.5, "x", None, True, 10**30])
def test_a_seed_that_no_file_can_hold(seed: Any, tmp_path: Path) -> None:
    """A seed that is no plain integer is refused before anything is asked or written."""
    path = tmp_path / "a.run.jsonl"
    with pytest.raises((TypeError, ValueError)):
        wb.run_sync(BOUND["debate"], lm=Teller(), seed=seed, to=path)

    assert not path.exists()


def test_what_is_no_model() -> None:
    """The name of a model is not a model, and the error says what is."""
    with pytest.raises(TypeError, match="OpenAILM"):
        wb.run_sync(BOUND["debate"], lm="gpt")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_listener_that_ends_the_process(stop: type[BaseException], tmp_path: Path) -> None:
    """What would end the loop ends the run alone, with its file whole and free."""
    path = tmp_path / "a.run.jsonl"

    def listen(event: Any) -> None:
        if isinstance(event, wb.Answered):
            raise stop

    with pytest.raises(wb.RunError, match=stop.__name__):
        wb.run_sync(BOUND["debate"], lm=Teller(), to=path, on_event=listen)
    assert "complete" == wb.wait(wb.resume(path, lm=Teller())).status


def test_messages_hide_nothing() -> None:
    """What a terminal would obey is written out in errors and reprs; the record keeps it."""

    @wb.protocol("toy_\x1b[31mred")
    def red():  # noqa: ANN202
        yield from wb.call("a", "paint")

    def paint() -> str:
        raise ValueError("\x1b[2J\u202e")

    with pytest.raises(RunFailed, match=r"\\x1b\[2J\\u202e") as caught:
        wb.run_sync(red(), world={"paint": paint})
    run = caught.value.run
    assert run is not None
    assert "\x1b[2J\u202e" == run.failures["/a"].message
    assert "\x1b" not in repr(run) + str(caught.value) + repr(wb.Session(run))
