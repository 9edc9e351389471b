"""Search by words alone: these tests are not about embeddings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.knowledge.embedding import MiniLM


@pytest.fixture(scope="module", autouse=True)
def _lexical() -> Iterator[None]:
    """Have no encoder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "installed", staticmethod(lambda: False))
        yield
