"""One file a run: tears, damage, locks and full disks."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from zlib import crc32

import pytest

import workbench as wb
from tests.toys import BOUND, Teller, human, words
from workbench.errors import RunFileError, RunFileLocked
from workbench.record.codec import Encoder, seal
from workbench.record.events import Answered, Lineage, Returned, RunStarted
from workbench.record.log import Log, TornLine, read

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the file of a complete run of `council`."""
    path = tmp_path_factory.mktemp("runs") / "whole.run.jsonl"
    wb.run_sync(BOUND["council"], lm=wb.ScriptedLM(words), human=human, to=path)
    return path


def _resumed(path: Path, teller: Teller) -> wb.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornLine)
        return wb.wait(wb.resume(path, lm=teller, human=human))


@pytest.mark.parametrize("which", [-1, -4, -12])
def test_torn_at_every_byte(whole: Path, tmp_path: Path, which: int) -> None:
    """A file torn anywhere in its last line opens, and resumes to the same digest."""
    lines = whole.read_bytes().splitlines(keepends=True)
    lines = lines[: len(lines) + 1 + which]
    before, last = b"".join(lines[:-1]), lines[-1]
    digest = wb.open_run(whole).digest
    path = tmp_path / "torn.run.jsonl"
    for size in range(len(last)):
        path.write_bytes(before + last[:size])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            old = wb.open_run(path)
        kinds = [w.category for w in told]

        assert kinds == ([TornLine] if 0 < size < len(last) - 1 else [])
        if size % 16 == 0 or size > len(last) - 3:
            teller = Teller()

            assert digest == _resumed(path, teller).digest
            assert not set(teller.paths) & set(old.answers)
            assert digest == wb.open_run(path).digest


def test_a_flipped_byte(tmp_path: Path) -> None:
    """No flipped byte goes unseen."""
    whole = tmp_path / "small.run.jsonl"
    lm = wb.ScriptedLM(words)
    wb.run_sync(wb.find_protocol("toy_debate").bind({"n": 1, "turns": 1}), lm=lm, to=whole)
    data = whole.read_bytes()
    path = tmp_path / "flipped.run.jsonl"
    for place in range(len(data)):
        for mask in {0x01 << place % 8, data[place] ^ 0x0A} - {0}:
            flipped = bytearray(data)
            flipped[place] ^= mask
            path.write_bytes(flipped)
            if place == len(data) - 1:
                with pytest.warns(TornLine):
                    wb.open_run(path)
            else:
                with pytest.raises(RunFileError, match=r"flipped\.run\.jsonl"):
                    wb.open_run(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"Dear diary,\nit rained.\n", "line 1: not JSON"),
        (b"[1, 2, 3]\n", "line 1: JSON, but not a line of a run file"),
        (b'{"v": 1, "event": "run_started"}\n', "no checksum"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "line 1: not JSON"),
        (b"[" * 100_000, "line 1: not JSON"),
        (b"\n\n", "line 1: not JSON"),
        (seal({"v": 9, "event": "run_started"}), "written in format 9.*upgrade mas-workbench"),
        (seal({"v": 1, "text": "id", "is": "words"}), "holds no event"),
        (seal({"v": 1, "event": "said", "path": "/a", "text": "x"}), "begins with run_started"),
    ],
)
def test_no_run(tmp_path: Path, data: bytes, message: str) -> None:
    """What is not a run is refused with the file, the line and the reason."""
    path = tmp_path / "other"
    path.write_bytes(data)
    for opened in (wb.open_run, Log.resume):
        with pytest.raises(RunFileError, match=message) as caught:
            opened(path)

        assert str(caught.value).startswith(str(path))
        assert data == path.read_bytes()


def test_a_newer_last_line_is_no_tear(whole: Path, tmp_path: Path) -> None:
    """A whole line of a newer format is not taken for a torn one and cut off."""
    path = tmp_path / "newer.run.jsonl"
    path.write_bytes(whole.read_bytes() + seal({"v": 3, "event": "dreamt"})[:-1])
    size = path.stat().st_size
    for opened in (wb.open_run, Log.resume):
        with pytest.raises(RunFileError, match="format 3"):
            opened(path)

    assert size == path.stat().st_size


def test_unreadable(tmp_path: Path) -> None:
    """A missing file, a folder and a path through a file are told apart."""
    (tmp_path / "file").write_text("x")
    for opened in (wb.open_run, Log.resume):
        with pytest.raises(RunFileError, match=r"(?i)no such file"):
            opened(tmp_path / "missing")
        with pytest.raises(RunFileError, match=r"(?i)directory"):
            opened(tmp_path)
        with pytest.raises(RunFileError, match=r"(?i)not a directory"):
            opened(tmp_path / "file" / "below")


def test_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path that leads nowhere tells the folder that it started from, if there is one."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(RunFileError) as relative:
        wb.open_run("out/a.run.jsonl")
    with pytest.raises(RunFileError) as absolute:
        wb.open_run(here / "a.run.jsonl")
    here.rmdir()
    with pytest.raises(RunFileError) as gone:
        wb.open_run("a.run.jsonl")

    assert str(relative.value) == f"out/a.run.jsonl: no such file (looked in {here})"
    assert str(absolute.value) == f"{here}/a.run.jsonl: no such file"
    assert str(gone.value) == "a.run.jsonl: no such file"


def test_no_permission(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is told of by name."""

    def refuse(path: Path, *how: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # tests may run as root, who may read all
    with pytest.raises(RunFileError, match=r"whole\.run\.jsonl: cannot be read: Permission denied"):
        wb.open_run(whole)


def test_never_overwritten(whole: Path) -> None:
    """A new run does not touch an existing file, and asks no model."""
    data, teller = whole.read_bytes(), Teller()
    with pytest.raises(RunFileError, match="exists; choose another name"):
        wb.run_sync(BOUND["debate"], lm=teller, to=whole)

    assert [] == teller.paths
    assert data == whole.read_bytes()


def test_locked_within_a_process(whole: Path) -> None:
    """A second writer is refused, and the first goes on."""
    first, _ = Log.resume(whole)
    with first:
        for _ in range(3):
            with pytest.raises(RunFileLocked, match="is writing this run"):
                Log.resume(whole)
    Log.resume(whole)[0].close()


def test_locked_by_another_process(tmp_path: Path) -> None:
    """A second process on one file gets RunFileLocked; a reader does not."""
    path = tmp_path / "locked.run.jsonl"
    with Log.create(path) as log:
        log.append([RunStarted(protocol="x", params={})])
        code = f"""
            import workbench as wb
            from workbench.record.log import Log
            print(len(wb.open_run({str(path)!r})))
            try:
                Log.resume({str(path)!r})
            except Exception as error:
                print(type(error).__name__)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            check=True,
        )

    assert "1\nRunFileLocked\n" == done.stdout


def test_a_full_disk(tmp_path: Path) -> None:
    """A full disk is told of, the file stays whole, and resume goes on from it."""
    path = tmp_path / "full.run.jsonl"
    code = f"""
        import resource, signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        import workbench as wb
        from tests.toys import BOUND, Teller, human
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        try:
            wb.run_sync(BOUND["council"], lm=Teller(), human=human, to={str(path)!r})
        except Exception as error:
            print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith(f"RunFileError {path}: could not be written: File too large")
    old = wb.open_run(path)  # a warning would be an error: nothing torn is left
    assert 0 < len(old.answers)
    again = Teller()
    resumed = _resumed(path, again)
    straight = wb.run_sync(BOUND["council"], lm=Teller(), human=human)
    assert straight.digest == resumed.digest
    assert not set(again.paths) & set(old.answers)


def test_a_failed_write_ends_the_log(tmp_path: Path) -> None:
    """After a write that failed nothing more is appended: the file stays what it was."""
    path = tmp_path / "a.run.jsonl"
    log = Log.create(path)
    log.append([RunStarted(protocol="x", params={})])
    data = path.read_bytes()
    shared = "word " * 20
    with pytest.raises(RunFileError, match="/b: cannot be written"):
        log.append([Answered(path="/a", text=shared), Answered(path="/b", text="\ud800")])
    with pytest.raises(RunFileError, match="an earlier write failed; resume"):
        log.append([Answered(path="/c", text=shared)])
    log.close()

    assert data == path.read_bytes()
    assert 1 == len(wb.open_run(path))


def test_a_short_write_is_cut_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a line that got to the disk before it was full is taken off again."""
    path = tmp_path / "a.run.jsonl"
    log = Log.create(path)
    log.append([RunStarted(protocol="x", params={})])
    data = path.read_bytes()
    write = os.write
    sizes = iter([10, 0])

    def full(handle: int, view: memoryview) -> int:
        size = next(sizes)
        if not size:
            raise OSError(28, "No space left on device")
        return write(handle, view[:size])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RunFileError, match="No space left"):
        log.append([Answered(path="/a", text="x")])

    assert data == path.read_bytes()


def test_closed(tmp_path: Path) -> None:
    """A closed log takes nothing, and closing twice is no error."""
    log = Log.create(tmp_path / "a.run.jsonl")
    log.close()
    log.close()
    with pytest.raises(RunFileError, match="is closed"):
        log.append([])


def test_no_open_handles(whole: Path) -> None:
    """Opening, failing to lock and resuming leave no file open."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        log, _ = Log.resume(whole)
        with pytest.raises(RunFileLocked):
            Log.resume(whole)
        log.close()
        wb.wait(wb.resume(whole))

    assert before == len(list(Path("/proc/self/fd").iterdir()))
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > before


def nested(depth: int) -> object:
    """Return lists in lists."""
    value: object = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("place", ["value", "params", "answers", "earlier", "nan", "bits"])
@pytest.mark.parametrize("depth", [66, 120, 190])
def test_a_crafted_file(tmp_path: Path, place: str, depth: int) -> None:
    """What no execution would take in is refused at its line, by whatever opens the file."""
    odd = nested(depth)
    odd = {"nan": float("nan"), "bits": 2**5000}.get(place, odd)
    lineage = None
    if place in ("answers", "earlier"):
        lineage = Lineage(parent="0" * 64, rule="prefix", edits={"answers": {"/a": odd}})
        if place == "earlier":
            lineage = Lineage(parent="1" * 64, rule="prefix", earlier=(lineage,))
    params = {"n": odd} if place == "params" else {}
    first = RunStarted(protocol="toy_council", params=params, lineage=lineage)
    path = tmp_path / "a.run.jsonl"
    encoder = Encoder()
    lines = [encoder.encode(first), encoder.encode(Returned(path="/a", value=odd))]
    path.write_bytes(b"".join(lines[: 1 if place in ("params", "answers", "earlier") else 2]))

    for opens in (read, wb.open_run, wb.verify, wb.replay, Log.resume, wb.Session):
        with pytest.raises(RunFileError, match=r"line [12]: not an? (event|line)"):
            opens(path)
    for goes_on in (wb.resume, wb.fork):
        with pytest.raises(RunFileError, match=r"line [12]: not an? (event|line)"):
            wb.wait(goes_on(path))


def test_a_forked_process_keeps_nobody_out(tmp_path: Path) -> None:
    """What a tool forks has the file open too: that neither keeps nor ends its parent's lock."""
    code = f"""
        import os, sys, time
        from workbench.record.events import RunStarted
        from workbench.record.log import Log
        path = {str(tmp_path / "a.run.jsonl")!r}
        log = Log.create(path)
        log.append([RunStarted(protocol="x", params={{}})])
        wake, told = os.pipe()
        if (child := os.fork()) == 0:
            os.close(told)
            os.read(wake, 1)
            os._exit(0)
        if os.fork() == 0:
            sys.exit(0)  # its finalizers run
        os.wait()
        try:
            Log.resume(path)
        except Exception as error:
            print(type(error).__name__)
        log.close()
        Log.resume(path)[0].close()
        print("resumed")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
    )

    assert ["RunFileLocked", "resumed"] == done.stdout.split(), done.stderr


@pytest.mark.parametrize("number", ["1e999", "-1E+400", "9" * 400 + ".0", "Infinity", "NaN"])
def test_numbers_that_are_not_finite(tmp_path: Path, number: str) -> None:
    """A number that no float can hold is refused however it is written."""
    path = tmp_path / "a.run.jsonl"
    body = b'{"v":2,"event":"returned","path":"/a","value":[%b]' % number.encode()
    start = Encoder().encode(RunStarted(protocol="x", params={}))
    path.write_bytes(start + b'%b,"#":"%08x"}\n' % (body, crc32(body)))

    with pytest.raises(RunFileError, match=r"line 2: not an? (event|line)"):
        wb.open_run(path)


@pytest.mark.parametrize("place", ["seed", "lineage"])
def test_a_seed_of_too_many_bits(tmp_path: Path, place: str) -> None:
    """A seed that no run could be started with is refused when the file is opened."""
    path = tmp_path / "a.run.jsonl"
    seeds = {"seed": 10**30}
    told = seeds if place == "seed" else {"lineage": {"parent": "p", "rule": "prefix", **seeds}}
    path.write_bytes(seal({"v": 2, "event": "run_started", "protocol": "x", "params": {}, **told}))

    with pytest.raises(RunFileError, match=r"line 1.*a seed has at most 63 bits"):
        wb.open_run(path)


def test_names_that_no_file_can_have() -> None:
    """A NUL in a name is refused like any other name that holds no run."""
    for open_ in (wb.open_run, Log.create, Log.resume):
        with pytest.raises(RunFileError, match="names no file"):
            open_("a\0b.run.jsonl")


def test_a_killed_start_blocks_no_name(tmp_path: Path) -> None:
    """A file without a byte is taken over, unless someone has it open, or it is a link."""
    path = tmp_path / "a.run.jsonl"
    path.touch()
    with pytest.raises(RunFileError, match="is empty, so it is not a run; a new one may take its"):
        wb.open_run(path)
    link = tmp_path / "link.run.jsonl"
    link.symlink_to(path)
    with pytest.raises(RunFileError, match="exists"):
        Log.create(link)
    with Log.create(path), pytest.raises(RunFileLocked):
        Log.create(path)
    assert not path.exists()  # nothing was written to it
    path.touch()
    run = wb.run_sync(BOUND["debate"], lm=wb.ScriptedLM(words), to=path)
    assert wb.open_run(path).digest == run.digest
    with pytest.raises(RunFileError, match="exists"):
        Log.create(path)
