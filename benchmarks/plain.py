"""The other side: `AsyncOpenAI().chat.completions.create` and `asyncio.gather`, and nothing else.

This file must not import the workbench: it is measured in processes of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import AsyncOpenAI

SPECIALISTS = ("product_manager", "marketing_lead", "finance_analyst")
MODEL = "mock"
KEY = "sk-mock"
ROUNDS = 8

SYSTEM = "You are one of a team that plans a launch. Be brief, and name the source of each figure."
BRIEF = "The team is to settle price, channel and date of a launch within 400,000 dollars."

Message = dict[str, str]


def task(speaker: str, turn: int) -> str:
    """Return the instruction that ends a prompt; the mock server answers by it."""
    return f"It is your turn, round={turn} speaker={speaker}"


def told(count: int) -> str:
    """Return the chat role of the `count`-th message; roles alternate, so messages stay apart."""
    return "assistant" if count % 2 == 0 else "user"


def chat(history: list[str], speaker: str, turn: int, *, merged: bool) -> list[Message]:
    """Return a call's messages: one for each thing said, or all in one as the bi-layer prompts."""
    if merged:
        words = "\n\n".join([BRIEF, *history, task(speaker, turn)])
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": words}]
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": BRIEF},
        *({"role": told(n), "content": text} for n, text in enumerate(history)),
        {"role": "system", "content": task(speaker, turn)},
    ]


async def rounds(
    client: AsyncOpenAI,
    n: int = ROUNDS,
    *,
    merged: bool = False,
    seen: list[list[Message]] | None = None,
) -> list[str]:
    """Make `n` rounds of 1 + 3 parallel calls over a growing history."""

    async def say(speaker: str, turn: int) -> str:
        messages: Any = chat(history, speaker, turn, merged=merged)
        if seen is not None:
            seen.append(messages)
        reply = await client.chat.completions.create(
            model=MODEL, messages=messages, temperature=0.7, seed=7
        )
        return reply.choices[0].message.content or ""

    history: list[str] = []
    for turn in range(1, n + 1):
        history.append(await say("lead", turn))
        history += await asyncio.gather(*(say(name, turn) for name in SPECIALISTS))
    return history


Body = dict[str, Any]
Turn = tuple[Body, list[list[Body]], Body]
"""The bodies of a bi-layer turn: goal, each specialist's calls in their order, ratification."""


async def in_waves(client: AsyncOpenAI, waves: list[list[Body]]) -> None:
    """Make the calls of a run wave by wave; the bodies are there beforehand."""
    for bodies in waves:
        await asyncio.gather(*(client.chat.completions.create(**body) for body in bodies))


async def deliberation(client: AsyncOpenAI, turns: list[Turn]) -> None:
    """Make the calls of a bi-layer run; the bodies, replies included, are there beforehand."""

    async def specialist(bodies: list[Body]) -> None:
        for body in bodies:
            await client.chat.completions.create(**body)

    for goal, specialists, ratification in turns:
        await client.chat.completions.create(**goal)
        await asyncio.gather(*map(specialist, specialists))
        await client.chat.completions.create(**ratification)
