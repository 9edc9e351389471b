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
    family_of,
    from_description,
    model_requests_allowed,
)
from workbench.lm.scripted import ScriptedLM


@pytest.mark.parametrize(
    ("family", "models"),
    [
        (
            "gpt",
            "gpt-4o-mini gpt-5 chatgpt-4o-latest o1 o3-mini o4-mini:x gpt-oss-20b ft:gpt-4o:org",
        ),
        ("claude", "claude-sonnet-4 us.anthropic.claude-3-5-haiku anthropic/claude-opus-4"),
        ("gemini", "gemini-2.5-pro models/gemini-2.0-flash"),
        ("gemma", "gemma2:9b google/gemma-3-4b-it"),
        ("llama", "llama3.1 meta-llama/Llama-3.3-70B-Instruct codellama:7b"),
        ("qwen2.5", "qwen2.5-coder-1.5b Qwen/Qwen2.5-7B-Instruct qwen2.5:3b"),
        ("qwen3", "qwen3:8b Qwen/Qwen3-32B"),
        ("qwen", "qwen-max qwq-32b"),
        ("mistral", "mistral-large-latest mixtral:8x7b ministral-8b codestral open-mistral-nemo"),
        ("deepseek", "deepseek-chat deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
        ("smollm2", "smollm2 HuggingFaceTB/SmolLM2-135M-Instruct.Q4_1"),
        ("phi", "phi4 microsoft/Phi-3.5-mini-instruct"),
        ("zephyr", "zephyr-7b-beta"),
        ("unknown", "?"),
    ],
)
def test_families(family: str, models: str) -> None:
    """Names of vendors, sizes and fine-tunes do not change the family."""
    assert {family_of(model) for model in models.split()} == {family}


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
