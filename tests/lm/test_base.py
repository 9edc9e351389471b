"""Families of models, the switch for live calls, descriptions."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from workbench.errors import LMError
from workbench.lm.base import (
    allow_model_requests,
    check_allowed,
    from_description,
    model_requests_allowed,
)
from workbench.lm.scripted import ScriptedLM


def test_switch_restores_what_was() -> None:
    """As a context, the switch puts back the former setting, also after an error."""
    before = model_requests_allowed()
    with allow_model_requests(allowed=False):
        assert not model_requests_allowed()
        with allow_model_requests(allowed=True):
            check_allowed("m", "/a")
        assert not model_requests_allowed()
    with pytest.raises(LMError), allow_model_requests(allowed=False):
        check_allowed("m", "/a")
    assert model_requests_allowed() is before


def test_descriptions_that_cannot_be_built() -> None:
    """Scripted, unknown and broken descriptions say what to do."""
    with pytest.raises(LMError, match="lm="):
        from_description(ScriptedLM({}).describe())
    with pytest.raises(LMError, match=r"'odd'.*lm="):
        from_description({"kind": "odd"})
    for broken in ({"kind": "openai"}, {"kind": "openai", "model": "m", "colour": 1}):
        with pytest.raises(LMError, match="not usable"):
            from_description(broken)


def test_limits_are_described_and_built_again() -> None:
    """A description without limits is built as ever; with them, they are set again."""
    plain = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    assert "limits" not in from_description(plain).describe()
    limits = {
        "at_once": 4,
        "per_minute": 90,
        "attempts": 2,
        "timeout_s": 9.5,
        "tokens": 1000,
        "usd": 2.5,
        "price": [1.0, 2.0],
    }
    lm = from_description({**plain, "limits": limits})
    assert lm.describe()["limits"] == limits
    assert repr(lm).startswith("Retry(Concurrency(Budget(Rate(Timeout(OpenAILM(")
    assert from_description(json.loads(json.dumps(lm.describe()))).describe() == lm.describe()
    one = from_description({**plain, "limits": {"at_once": 3}})
    assert repr(one).startswith("Concurrency(OpenAILM(")
    for broken in ({"colour": 1}, {"at_once": "4"}, {"at_once": 0}, 7):
        with pytest.raises(LMError, match="not usable"):
            from_description({**plain, "limits": broken})


def test_nothing_heavy_is_imported() -> None:
    """The contract, the limits and the models themselves load no client until they are asked."""
    code = (
        "import sys, workbench.lm.base, workbench.lm.limits, workbench.lm.openai, "
        "workbench.lm.local, workbench.lm.scripted; "
        "print([m for m in ('openai', 'aiohttp', 'httpx2', 'genai_prices', 'xllamacpp', 'tqdm') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
