"""How much of their prompts recorded runs had a server read anew: cached tokens, from the files.

Nothing is run. For each protocol, over its runs in `sample_runs`: the share of prompt tokens that
the server said it took from its cache, and the share of each prompt that begins as an earlier one
did, by characters. The latter is the most that a server with one endless cache could have taken; a
cache for each of a few slots takes less, and one that outlives the run, or counts the template of
the chat, may take more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import row
from row import Row

if TYPE_CHECKING:
    from workbench.record.run import Run

FOLDER = Path(__file__).parents[1] / "sample_runs"


class Read(NamedTuple):
    """What a server read for one call: tokens, and characters that an earlier prompt began with."""

    role: str
    tokens: int
    cached: int
    chars: int
    shared: int


def measure(*, quick: bool) -> list[Row]:
    """Return the shares of each protocol, run by run, and of MAVEN role by role."""
    import workbench as wb

    found: defaultdict[str, list[list[Read]]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*/*.run.jsonl")):
        run = wb.open_run(path)
        if reads := list(reads_of(run)):
            found[run.started.protocol].append(reads)
    rows = []
    for name, runs in sorted(found.items()):
        some = runs[:2] if quick else runs
        rows += [_cached(name, some), _shared(name, some)]
        if name == "maven":
            by_role: defaultdict[str, list[Read]] = defaultdict(list)
            for read in (read for reads in some for read in reads):
                by_role[read.role].append(read)
            rows += [_cached(f"{name}, {role}", [reads]) for role, reads in by_role.items()]
    return rows


def reads_of(run: Run) -> Iterator[Read]:
    """Yield what was read for each call of which the server told, in causal order."""
    from workbench.record.events import Answered, Asked

    before: list[str] = []
    for asked in run.by_path():
        answer = run.answers.get(asked.path) if isinstance(asked, Asked) else None
        if isinstance(asked, Asked) and isinstance(answer, Answered):
            prompt = run.prompt(asked.path)
            shared = max((_common(prompt, other) for other in before), default=0)
            before.append(prompt)
            if answer.tokens_in and answer.tokens_cached is not None and answer.origin is None:
                counted = answer.tokens_in, answer.tokens_cached
                yield Read(asked.role, *counted, len(prompt), shared)


def _common(one: str, other: str) -> int:
    least = min(len(one), len(other))
    return next((n for n in range(least) if one[n] != other[n]), least)


def _cached(what: str, runs: list[list[Read]]) -> Row:
    shares = [100 * sum(r.cached for r in reads) / sum(r.tokens for r in reads) for reads in runs]
    return row.of(f"{what}: prompt tokens from the server's cache", shares, "%")


def _shared(what: str, runs: list[list[Read]]) -> Row:
    shares = [100 * sum(r.shared for r in reads) / sum(r.chars for r in reads) for reads in runs]
    return row.of(f"{what}: prompts begin as an earlier one", shares, "%")
