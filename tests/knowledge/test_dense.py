"""The cache of embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.errors import CorpusError
from workbench.knowledge.dense import embeddings

TEXTS = ["travel costs", "legal terms", "fine weather"]


def test_second_time_is_from_the_cache(encoder: Any, tmp_path: Path) -> None:
    """Texts are encoded once for each passport; the file is named by it."""
    first = embeddings(TEXTS, encoder, passport="p1", folder=tmp_path)
    second = embeddings(TEXTS, encoder, passport="p1", folder=tmp_path)
    embeddings(TEXTS, encoder, passport="p2", folder=tmp_path)

    assert TEXTS * 2 == encoder.encoded
    np.testing.assert_array_equal(first, second)
    assert np.float32 == second.dtype
    assert (3, 64) == second.shape
    assert second.flags.c_contiguous
    assert ["p1-hashing.npy", "p2-hashing.npy"] == sorted(p.name for p in tmp_path.iterdir())


def _save_archive(path: Path) -> None:
    np.savez(path.with_suffix(".npz"), a=np.zeros(3))
    path.with_suffix(".npz").replace(path)


def _save(path: Path, array: Any) -> None:
    np.save(path, array, allow_pickle=True)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(b"PK\x03\x04 not a zip"),
        lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': broken"),
        lambda path: _save(path, np.zeros((2, 64), np.float32)),
        lambda path: _save(path, np.zeros((3, 64), np.float64)),
        lambda path: _save(path, np.full((3, 64), np.nan, np.float32)),
        lambda path: _save(path, np.array([{"pickled": "object"}], dtype=object)),
        _save_archive,
    ],
)
def test_damaged_cache_is_made_again(
    encoder: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Any
) -> None:
    """Torn, foreign, misshapen and pickled files are logged and replaced."""
    first = embeddings(TEXTS, encoder, passport="p", folder=tmp_path)
    path = tmp_path / "p-hashing.npy"
    damage(path)
    again = embeddings(TEXTS, encoder, passport="p", folder=tmp_path)

    np.testing.assert_array_equal(first, again)
    assert TEXTS * 2 == encoder.encoded
    assert "made again" in caplog.text
    np.testing.assert_array_equal(first, np.load(path))


def test_name_of_the_encoder_cannot_leave_the_folder(encoder: Any, tmp_path: Path) -> None:
    """A name with slashes is made harmless, and is still no other encoder's."""
    for encoder.name in ("../org/model v2", ".._org_model_v2", ".._org/model_v2"):
        embeddings(TEXTS, encoder, passport="p", folder=tmp_path / "cache")

    names = sorted(p.name for p in (tmp_path / "cache").iterdir())
    assert 3 == len(names) == len(encoder.encoded) // len(TEXTS)
    assert "p-.._org_model_v2.npy" in names
    assert all(name.startswith("p-.._org_model_v2") for name in names)


def test_folder_that_cannot_be_written(
    encoder: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The embeddings are returned, and the log says why they are not kept."""
    (tmp_path / "file").write_text("")

    assert (3, 64) == embeddings(TEXTS, encoder, passport="p", folder=tmp_path / "file").shape
    assert "not cached" in caplog.text


@pytest.mark.parametrize("rows", [np.zeros((3, 5)), np.zeros((1, 64)), np.full((3, 64), np.inf)])
def test_encoder_that_breaks_its_promise(
    encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: Any
) -> None:
    """Wrong shapes and infinite numbers are refused, and not cached."""
    monkeypatch.setattr(encoder, "encode", lambda texts: rows)
    with pytest.raises(CorpusError, match="encoder 'hashing' gave"):
        embeddings(TEXTS, encoder, passport="p", folder=tmp_path)

    assert [] == list(tmp_path.iterdir())
