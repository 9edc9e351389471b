"""From intuitions to a draft: Planner, MultiProposer and Synthesizer (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.deliberation.answers import counted
from workbench.deliberation.maven import prompts
from workbench.deliberation.maven.blackboard import Blackboard
from workbench.deliberation.maven.facts import (
    Drafted,
    DraftMade,
    Ended,
    Judged,
    Lens,
    Planned,
)
from workbench.deliberation.maven.schemas import Plan, draft_type
from workbench.deliberation.maven.workspace import Placed
from workbench.engine.commands import Steps, all_of
from workbench.engine.gate import Parsed
from workbench.record.parts import Part

LENSES: tuple[Lens, ...] = ("general", "critical", "data")


def plan_and_draft(
    board: Blackboard, *, iteration: int, lenses: Sequence[Lens], after: Placed[Judged] | None
) -> Steps[Ended | None]:
    """Make a plan and a draft along it; return the name of the failure, if it fails.

    Parameters
    ----------
    lenses : sequence of str
        Of the MultiProposer; with none the Synthesizer drafts alone, from the plan and R.
    after : Placed[Judged] or None
        The Replan that asks for it: the Planner then reads the Judge's feedback in place of R, as
        in Algorithm 1, and the drafts still read R.
    """
    plan = yield from _plan(board, iteration=iteration, after=after)
    if plan is None:
        return "no_plan"
    draft = yield from _synthesize(board, plan, iteration=iteration, lenses=lenses)
    return None if draft else "no_draft"


def _plan(
    board: Blackboard, *, iteration: int, after: Placed[Judged] | None
) -> Steps[Placed[Planned] | None]:
    given = board.now.intuitions
    if after is not None:
        read = [prompts.feedback(after)]
    else:
        read = prompts.intuitions(given, board.query)
        if board.spread is not None:
            read.append(prompts.spread(board.spread, board.query))
    got = yield from board.ask(
        "planner/plan",
        "planner",
        [*read, prompts.planner(replan=after is not None, intuitive=bool(given))],
        Plan,
        iteration=iteration,
        what="plan",
        instead="the run ends (no_plan)",
    )
    if not isinstance(got, Parsed):
        return None
    answers = set(counted([one.fact.answer for one in given]))
    fact = Planned(
        iteration=iteration,
        steps=tuple(got.value.steps),
        contradictions=tuple(got.value.contradictions),
        verifications=tuple(got.value.verifications),
        overlooked=after is None and len(answers) > 1 and not got.value.contradictions,
    )
    return Placed((yield from board.put("planner/planned", fact, [got.path])), fact)


def _synthesize(
    board: Blackboard, plan: Placed[Planned], *, iteration: int, lenses: Sequence[Lens]
) -> Steps[bool]:
    query = board.query
    grounds = [*prompts.intuitions(board.now.intuitions, query), prompts.plan(plan)]
    drafts: list[Placed[Drafted]] = []
    if lenses:
        made = yield from all_of(
            "multi_proposer",
            {
                f"lens={lens}": _propose(board, grounds, lens, iteration=iteration)
                for lens in lenses
            },
        )
        drafts = [one for one in made.values() if one is not None]
        if not drafts:
            return False
        grounds = [prompts.plan(plan), *prompts.drafts(drafts, query)]
    got = yield from board.ask(
        "synthesizer/synthesis",
        "synthesizer",
        [*grounds, prompts.synthesizer(query, board.words, lenses=bool(lenses))],
        draft_type(len(query.options), board.words),
        iteration=iteration,
        what="draft",
        instead="the first lens's draft stands in" if drafts else "the run ends (no_draft)",
    )
    author, text, answer, source = "synthesizer", "", "", ""
    if isinstance(got, Parsed):
        text, answer, source = got.value.text, got.value.answer, got.path
    elif drafts:
        first = drafts[0]
        author, source = first.fact.author, first.path
        text, answer = first.fact.text, first.fact.answer
    else:
        return False
    fact = DraftMade(
        iteration=iteration, number=board.drafts, author=author, text=text, answer=answer
    )
    yield from board.put("synthesizer/draft", fact, [source])
    return True


def _propose(
    board: Blackboard, grounds: Sequence[Part], lens: Lens, *, iteration: int
) -> Steps[Placed[Drafted] | None]:
    query = board.query
    got = yield from board.ask(
        "draft",
        "multi_proposer",
        [*grounds, prompts.multi_proposer(lens, query, board.words)],
        draft_type(len(query.options), board.words),
        iteration=iteration,
        what=f"{lens} draft",
        instead="the other lenses go on",
    )
    if not isinstance(got, Parsed):
        return None
    fact = Drafted(iteration=iteration, lens=lens, text=got.value.text, answer=got.value.answer)
    return Placed((yield from board.put("drafted", fact, [got.path])), fact)
