"""Search by words alone, and put findings into reports: these tests are about views."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.widgets.consult import sessions
from workbench.knowledge.embedding import MiniLM


@pytest.fixture(scope="module", autouse=True)
def _lexical() -> Iterator[None]:
    """Have no encoder, and reports of any length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "installed", staticmethod(lambda: False))
        sessions.put_in(patch)
        yield
