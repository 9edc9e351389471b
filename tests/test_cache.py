"""Where derived data is kept and how it is written."""

from pathlib import Path

import pytest

from workbench import cache


def test_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`WORKBENCH_CACHE` wins."""
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "here"))

    assert tmp_path / "here" == cache.cache_folder()


def test_default_is_under_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An unset or empty variable means the platform's cache."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_CACHE", "")

    assert tmp_path / ".cache" / "mas-workbench" == cache.cache_folder()


def test_write_makes_folders_and_replaces(tmp_path: Path) -> None:
    """The folder is made and the old file replaced, with nothing left beside it."""
    path = tmp_path / "a" / "b.bin"
    cache.write_atomically(path, b"one")
    cache.write_atomically(path, b"two")

    assert b"two" == path.read_bytes()
    assert [path] == list(path.parent.iterdir())


def test_others_may_read_what_is_written(tmp_path: Path) -> None:
    """A written file has the rights that any new file has."""
    cache.write_atomically(tmp_path / "written", b"one")
    (tmp_path / "plain").touch()

    written, plain = ((tmp_path / name).stat().st_mode for name in ("written", "plain"))
    assert plain == written


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half way leaves the old bytes and no temporary file."""
    path = tmp_path / "b.bin"
    cache.write_atomically(path, b"one")

    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        cache.write_atomically(path, b"two")

    assert b"one" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())
