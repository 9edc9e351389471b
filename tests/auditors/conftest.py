"""What the tests of auditors share: the small case of the agents' tests, and search by words."""

from __future__ import annotations

from tests.agents.conftest import case, folder, lexical

__all__ = ["case", "folder", "lexical"]
