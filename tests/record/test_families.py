"""Families by the names of models, and their lineages."""

from __future__ import annotations

import pytest

from workbench.record.families import family_of, lineage_of


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
        ("unknown", "zephyr-7b-beta prod-1 alias-2 my-model-a ?"),
    ],
)
def test_families(family: str, models: str) -> None:
    """Names of vendors, sizes and fine-tunes do not change the family."""
    assert {family_of(model) for model in models.split()} == {family}


@pytest.mark.parametrize(
    ("lineage", "families"),
    [
        ("qwen", "qwen qwen2.5 Qwen3 qwen2.5-coder"),
        ("smollm", "smollm smollm2"),
        ("llama", "llama llama3.1 Llama-3"),
        ("north", "north North"),
        ("rules2", "rules2"),
        ("unknown", "unknown"),
    ],
)
def test_lineages(lineage: str, families: str) -> None:
    """Generations of one line are one lineage; a name of one's own stays what it is."""
    assert {lineage_of(family) for family in families.split()} == {lineage}
