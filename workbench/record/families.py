"""Families of models by name, and which families are generations of one lineage."""

from __future__ import annotations

import re

UNKNOWN = "unknown"
"""The family of a model whose name does not tell it."""

_FAMILIES = [
    (re.compile(pattern), family)
    for pattern, family in (
        (r"deepseek", "deepseek"),
        (r"gpt|^o\d+(?:$|[-_.:])|davinci|^codex", "gpt"),
        (r"claude", "claude"),
        (r"gemini", "gemini"),
        (r"gemma", "gemma"),
        (r"smollm\d*", ""),
        (r"qwen\d*(?:\.\d+)?", ""),
        (r"qwq|qvq", "qwen"),
        (r"llama", "llama"),
        (r"mi[xns]+tral|ministral|codestral|devstral|magistral|pixtral", "mistral"),
        (r"(?:^|[-_.])phi(?:$|[-_.\d])", "phi"),
        (r"grok", "grok"),
        (r"command|^c4ai|aya", "command"),
        (r"granite", "granite"),
        (r"kimi", "kimi"),
        (r"glm", "glm"),
        (r"olmo", "olmo"),
    )
]


def family_of(model: str) -> str:
    """Return the lower-case family of the model called `model`.

    Vendor prefixes and fine-tune tags are passed over. A model distilled from one family into
    another counts as the first that it names. A name that tells no family, such as an alias of an
    endpoint, gives ``unknown``: who knows better passes ``family=``.

    Examples
    --------
    >>> [family_of(m) for m in ("gpt-4o-mini", "o3", "meta-llama/Llama-3.1-8B", "Qwen2.5-Coder")]
    ['gpt', 'gpt', 'llama', 'qwen2.5']
    >>> family_of("prod-1")
    'unknown'
    """
    name = model.strip().lower().removeprefix("ft:").rsplit("/", 1)[-1]
    for pattern, family in _FAMILIES:
        if found := pattern.search(name):
            return family or found.group()
    return UNKNOWN


def lineage_of(family: str) -> str:
    """Return what a family has in common with its earlier and later generations.

    Two families of one lineage share architecture and much of what they were trained on. A family
    of one's own naming is a lineage of its own.

    Examples
    --------
    >>> [lineage_of(family) for family in ("qwen2.5", "qwen3", "smollm2", "north", "unknown")]
    ['qwen', 'qwen', 'smollm', 'north', 'unknown']
    """
    known = family_of(family)
    return known.rstrip("0123456789.") if known != UNKNOWN else family.strip().lower()
