"""What the tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Search by words alone, and keep caches out of the home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
        patch.setenv("WORKBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
