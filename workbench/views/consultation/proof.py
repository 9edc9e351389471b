"""The isolation proof as a table: each condition of the contract, what was checked, what broke it.

Section 6.1. The checks are those of `isolation`, which rebuilds each reader alone; here is told
what they looked at.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from workbench.deliberation.consultation.isolation import PACKAGE, Breach
from workbench.deliberation.consultation.leaks import owner_of
from workbench.record.events import Answered, Asked, Called
from workbench.views.consultation.account import Account
from workbench.views.markup import plural

CONTRACT = {
    "i": "No output of another is received",
    "ii": "No feedback from the synthesis",
    "iii": "Nothing of others' number or identity",
    "iv": "No output is fed back, or alters the corpus",
    "v": "Any violation invalidates the session",
}

ORIGINS = ("package", "own", "protocol", "elsewhere")

UNSEEN = (
    "What no run records is not checked: whether a server lets one client's cache or account speak "
    "to another, or adds words of its own."
)


class Condition(NamedTuple):
    """A condition of the contract: what it forbids, what was looked at, and what breaks it.

    `shown` is false where nothing is known to break it, but a reader was sent something else than
    is rebuilt: that can have told anything.
    """

    name: str
    forbids: str
    checked: str
    breaches: tuple[Breach, ...]
    shown: bool = True


class Read(NamedTuple):
    """Where the parts of an interpreter's prompts came from, as counts of parts.

    `sources` are the distinct places that they name.
    """

    interpreter: int
    prompts: int
    package: int
    own: int
    protocol: int
    elsewhere: int
    sources: int

    @property
    def parts(self) -> int:
        """All parts."""
        return self.package + self.own + self.protocol + self.elsewhere


def reads(told: Account) -> list[Read]:
    """Return what each interpreter was given to read, part by part."""
    counts: dict[int, Counter[str]] = {}
    prompts: Counter[int] = Counter()
    sources: dict[int, set[str]] = {}
    passages = {row.id for row in told.rows}
    for path, ask in told.run.commands.items():
        reader = owner_of(path)
        if not isinstance(ask, Asked) or reader is None:
            continue
        prompts[reader] += 1
        for part in ask.parts:
            counts.setdefault(reader, Counter())[_origin(part.source, reader, passages)] += 1
            sources.setdefault(reader, set()).update([part.source] if part.source else [])
    return [
        Read(
            reader,
            prompts[reader],
            **{name: counts[reader][name] for name in ORIGINS},
            sources=len(sources[reader]),
        )
        for reader in sorted(counts)
    ]


def _origin(source: str | None, reader: int, passages: set[str]) -> str:
    if source is None:
        return "protocol"
    if source == PACKAGE or source in passages:
        return "package"
    return "own" if source.startswith(f"/interpreter={reader}/") else "elsewhere"


def proof(told: Account) -> list[Condition]:
    """Return the five conditions, each with what was looked at."""
    read = reads(told)
    run = told.run
    events = list(run.commands.values())
    answers = sum(isinstance(answer, Answered) for answer in run.answers.values())
    tools = Counter(event.tool for event in events if isinstance(event, Called))
    facts = [path for path in run.facts if owner_of(path) is not None]
    total = sum(one.parts for one in read)
    package, own, words, other = (sum(getattr(one, name) for one in read) for name in ORIGINS)
    models = {str(m.get("model")) for m in run.started.models.values()}
    families = {one.family for one in told.interpreters}
    named = f"{plural(len(models), 'model')} and {plural(len(families), 'family', 'families')}"
    checked = {
        "i": f"{plural(total, 'part')} of {plural(sum(r.prompts for r in read), 'prompt')}: "
        f"{package:,} of the package, {own:,} of the reader's own path, {words:,} of the "
        f"protocol's words, {other:,} from elsewhere; each against the part that is rebuilt from "
        "the package and the reader's own replies",
        "ii": f"the sources of {plural(total - words, 'part')}; "
        f"{plural(answers, 'reply', 'replies')}, for edits",
        "iii": f"the words of {plural(words, 'part')} and the tags of passages, against those that "
        f"are rebuilt; {plural(len(told.interpreters), 'interpreter')}, {named}",
        "iv": f"{plural(tools.total(), 'tool call')} ({', '.join(sorted(tools)) or 'none'}); "
        f"{plural(len(facts), 'fact')} of interpreters, made again of their own replies",
        "v": f"{plural(len(told.breaches), 'breach', 'breaches')}: the session is "
        + ("invalid" if told.breaches else "valid"),
    }
    sent = any(b.rule == "package" or b.condition != "iv" for b in told.breaches)
    return [
        Condition(
            name,
            forbids,
            checked[name],
            tuple(b for b in told.breaches if name in ("v", b.condition)),
            name == "v" or not sent,
        )
        for name, forbids in CONTRACT.items()
    ]
