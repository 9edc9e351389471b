"""Encoders."""

from __future__ import annotations

import builtins
import importlib.metadata
import importlib.util
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import MissingExtra
from workbench.knowledge import embedding
from workbench.knowledge.embedding import Encoder, MiniLM, cosine

VECTORS = st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4)


@given(VECTORS, VECTORS)
def test_cosine_is_symmetric_and_bounded(a: list[float], b: list[float]) -> None:
    """Any two vectors have a cosine in [0, 1], the same both ways."""
    assert 0.0 <= cosine(a, b) == cosine(b, a) <= 1.0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 0], [2, 0], 1.0),
        ([1, 0], [1, 1], 2**-0.5),
        ([1, 0], [0, 1], 0.0),
        ([1, 0], [-1, 0], 0.0),
        ([1, 0], [0, 0], 0.0),
    ],
)
def test_cosine_examples(a: list[float], b: list[float], expected: float) -> None:
    """Negative values are 0, and so is the cosine with a zero vector."""
    assert expected == pytest.approx(cosine(a, b))


@pytest.mark.parametrize(("a", "b"), [([1], [1, 2]), ([[1]], [[1]]), (1, 1)])
def test_cosine_needs_two_vectors(a: Any, b: Any) -> None:
    """Matrices, scalars and vectors of two lengths are refused."""
    with pytest.raises(ValueError, match="two vectors of one length"):
        cosine(a, b)


@pytest.mark.parametrize(("count", "terminal"), [(1, True), (1000, True), (1000, False)])
def test_progress_is_shown_on_a_terminal(
    count: int, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar is drawn for a whole corpus on a terminal: not for a query, and not into a file."""
    shown: list[bool] = []

    class Library:
        def encode(self, texts: list[str], *, show_progress_bar: bool, **_: Any) -> Any:
            shown.append(show_progress_bar)
            return np.zeros((len(texts), 384))

    monkeypatch.setattr(MiniLM, "_model", Library())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    MiniLM().encode(["a text"] * count)

    assert [count > 1 and terminal] == shown


def test_encoders_have_the_protocol(encoder: Any) -> None:
    """MiniLM and the tests' encoder are encoders."""
    assert isinstance(MiniLM(), Encoder)
    assert isinstance(encoder, Encoder)


def test_import_is_light() -> None:
    """No module of this block loads torch, bm25s, bs4 or pypdf at import."""
    modules = "blocks canonical corpus dense documents embedding lexical passages"
    code = "\n".join(
        [
            "import importlib, sys",
            f"for name in '{modules} passport retrieval tool'.split():",
            "    importlib.import_module('workbench.knowledge.' + name)",
            "heavy = {'torch', 'sentence_transformers', 'transformers', 'bm25s', 'bs4', 'pypdf'}",
            "assert not heavy & set(sys.modules), heavy & set(sys.modules)",
        ]
    )
    root = Path(embedding.__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True, timeout=60)


@pytest.mark.parametrize("missing", ["library", "wheel"])
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Without the library or the model, the error names the extra."""

    def no_wheel(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(MiniLM, "_model", None)
    if missing == "library":
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    else:
        monkeypatch.setattr(importlib.metadata, "distribution", no_wheel)

    assert not MiniLM.installed()
    with pytest.raises(MissingExtra, match=r"mas-workbench\[embed\]"):
        MiniLM().encode(["x"])


def test_nothing_to_encode_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No texts give an empty matrix of the right width."""
    monkeypatch.setattr(embedding, "_load", builtins.exit)

    assert (0, 384) == MiniLM().encode([]).shape


@pytest.mark.embed
def test_minilm(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """The real model: unit vectors, sensible neighbours, one instance, no network, no chatter."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("the encoder opened a socket")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(MiniLM, "_model", None)
    texts = ["Spending on trips rose.", "Travel costs grew.", "The cat sleeps.", "", "x" * 100_000]
    vectors: list[Any] = []
    threads = [
        threading.Thread(target=lambda: vectors.append(MiniLM().encode(texts))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, two, three = vectors

    assert ((5, 384), np.float32) == (one.shape, one.dtype)
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)
    assert cosine(one[0], one[1]) > 0.5 > cosine(one[0], one[2])
    assert ("", "") == tuple(capfd.readouterr())
