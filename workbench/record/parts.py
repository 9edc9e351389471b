"""A prompt is a tuple of parts, and every part says where its text came from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Part(NamedTuple):
    """A piece of a prompt.

    Attributes
    ----------
    text : str
        The words, exactly as the model reads them.
    source : str or None
        The path of the event that the words came from (``/turn=1/finance_analyst/proposal``), a
        passage id (``finance_analyst/budget.md#p3``), or None for the protocol's own words.
    speaker : str
        The chat role under which the part is sent: ``system``, ``user`` or ``assistant``.
        Neighbouring parts of one speaker form one message.
    """

    text: str
    source: str | None = None
    speaker: str = "user"


def as_parts(prompt: str | Part | Iterable[str | Part]) -> tuple[Part, ...]:
    """Return `prompt` as a tuple of parts; bare strings become the protocol's own words."""
    if isinstance(prompt, str):
        return (Part(prompt),)
    if isinstance(prompt, Part):
        return (prompt,)
    parts = tuple(p if isinstance(p, Part) else Part(p) for p in prompt)
    for part in parts:
        if not isinstance(part.text, str):
            raise TypeError(f"a part's text is a str, not {type(part.text).__name__}")
    return parts


def messages(parts: Iterable[Part]) -> list[dict[str, str]]:
    """Join `parts` into chat messages, one for each stretch of parts with the same speaker.

    Returns
    -------
    list of dict
        ``{"role": speaker, "content": text}``; parts of one message are joined by a blank line.
    """
    out: list[dict[str, str]] = []
    texts: list[str] = []
    speaker = None
    for part in parts:
        if part.speaker != speaker:
            if speaker is not None:
                out.append({"role": speaker, "content": "\n\n".join(texts)})
            speaker, texts = part.speaker, []
        texts.append(part.text)
    if speaker is not None:
        out.append({"role": speaker, "content": "\n\n".join(texts)})
    return out
