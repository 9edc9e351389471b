"""The words that the bi-layer agents are given, as parts with their sources.

The order of a prompt is: what all agents share (the case and its rules, then the history), then
what is one agent's own (its charge, the goal, its evidence, the instruction). Servers that cache
prefixes can so reuse the long beginning for every agent of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.agents.case import Case, Role, Rule
from workbench.record.events import Returned
from workbench.record.parts import Part


@dataclass(slots=True)
class History:
    """What has been said so far (H_t): the parts of each turn, and the rules in force."""

    rules: list[Rule]
    rule_paths: dict[str, str] = field(default_factory=dict)
    turns: list[list[Part]] = field(default_factory=list)

    def parts(self, last: int | None) -> list[Part]:
        """Return the parts of the last `last` turns (None: all of them)."""
        kept = self.turns if last is None else self.turns[max(0, len(self.turns) - last) :]
        return [part for turn in kept for part in turn]


def shared(case: Case, history: History, last: int | None) -> list[Part]:
    """Return the beginning that all prompts of a turn have in common."""
    team = "\n".join(f"- {role.title} ({role.name})" for role in case.roles)
    rules = "\n".join(f"{rule.id}. {rule.text}" for rule in case.rules)
    opening = (
        f"{case.title}\n\n{case.brief}\n\nThe team:\n{team}\n\n"
        f"The work follows {case.framework}, in the phases {', '.join(case.phases)}.\n\n"
        f"Rules that hold for every contribution:\n{rules}"
    )
    added = [
        Part(f"Rule added: {rule.id}. {rule.text}", history.rule_paths[rule.id], "system")
        for rule in history.rules
        if rule.id in history.rule_paths
    ]
    return [Part(opening, None, "system"), *added, *history.parts(last)]


def set_goal(phase: str, turn: int, turns: int, case: Case) -> list[Part]:
    """Return the Meta-Agent's instruction to set the goal of a turn."""
    names = ", ".join(role.name for role in case.roles)
    return [
        Part(
            f"You lead the team and write no contribution yourself. This is turn {turn} of at most "
            f"{turns}; the team is in the phase {phase}.\n\n"
            "Set the goal of this turn in one sentence: a single question that the nominated "
            "specialists must settle now. Not the whole assignment, and no goal that was set "
            f"before. Nominate from {names}; normally all of them. "
            "Leave set_constraint empty unless the discussion has shown that a new binding rule is "
            "needed.\n\nAnswer with one JSON object with the keys goal, phase, nominated and "
            "set_constraint."
        )
    ]


def ratify(phase: str, proposals: Iterable[Part]) -> list[Part]:
    """Return the Meta-Agent's instruction to decide on the proposals of a turn."""
    return [
        *proposals,
        Part(
            "You lead the team. Do these proposals together meet the goal of the turn?\n"
            "- refine: they do not yet; the phase goes on\n"
            f"- advance: they do, and the phase {phase} is finished\n"
            "- conclude: the whole assignment is finished\n\n"
            "Answer with one JSON object with the keys reason (one sentence) and decision."
        ),
    ]


def specialist(role: Role, goal: Part) -> list[Part]:
    """Return who a specialist is, and the goal of the turn."""
    return [Part(f"You are the {role.title}. {role.charge}"), goal]


def queries(most: int) -> Part:
    """Return the instruction to choose searches."""
    some = "one search query" if most == 1 else f"up to {most} search queries"
    return Part(
        f"Before you contribute you may search your own documents. Give {some} of three to ten "
        "words for the facts or figures that you need most. Give none if you need none.\n\n"
        "Answer with one JSON object with the key queries."
    )


def evidence(found: Iterable[tuple[str, Returned]]) -> list[Part]:
    """Return the passages that searches found, each with its id as source; each passage once."""
    parts = []
    seen = set()
    for query, answer in found:
        if not answer.value:
            parts.append(Part(f"Your search for “{query}” found nothing.", answer.path))
        for hit in answer.value:
            passage = str(hit["passage"])
            if passage not in seen:
                seen.add(passage)
                parts.append(Part(f"[{passage}] {str(hit['text']).strip()}", passage))
    return parts


def propose(role: Role, peers: Sequence[Role], words: int) -> Part:
    """Return the instruction to predict the peers' contributions and then make one's own."""
    own = (
        f"your contribution to the goal as the {role.title} in at most {words} words: what you "
        "hold and why, with figures and names from your passages and the passage that each comes "
        "from, and what is still unknown. Say what you found, not what you will do, and do not "
        "repeat the others"
    )
    if not peers:
        return Part(f"Write {own}.\n\nAnswer with one JSON object with the key contribution.")
    names = ", ".join(f"{peer.name} ({peer.title})" for peer in peers)
    return Part(
        f"First predict, for each of {names}, in one sentence, the position that this peer will "
        f"take on the goal: you cannot see it yet. Only then write {own}.\n\n"
        "Answer with one JSON object with the keys predictions (an object with a sentence for each "
        "peer) and contribution, in this order."
    )
