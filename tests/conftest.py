"""What all tests share: no paid call, no network, a fixed environment."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import workbench as wb

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `from tests.toys import ...`

settings.register_profile(
    "fast", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", settings.get_profile("fast"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def guarded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forbid live calls and sockets to other machines; take keys and proxies out of reach."""
    for name in list(os.environ):
        if name.startswith("OPENAI_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    connect = socket.socket.connect

    def near(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if not str(host).startswith(_LOOPBACK):
            raise AssertionError(f"a test opened a socket to {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", near)
    with wb.allow_model_requests(request.node.get_closest_marker("local") is not None):
        yield
