"""What a widget shows where no front end draws it."""

from __future__ import annotations

from typing import Any


def faced(bundle: Any, faces: dict[str, str]) -> Any:
    """Return what a widget's ``_repr_mimebundle_`` gives, with static faces by their type."""
    if isinstance(bundle, tuple):
        return {**bundle[0], **faces}, bundle[1]
    return {**(bundle or {}), **faces}
