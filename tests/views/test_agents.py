"""Who acts in a run, and that an agent has one colour wherever it is shown."""

from __future__ import annotations

import re

from workbench import Posted, Run, RunStarted
from workbench.record.events import Asked
from workbench.views.agents import DARK, LIGHT, agents, hues
from workbench.views.html import run_html
from workbench.views.picture import run_svg

ROLES = [{"name": name, "title": name.title()} for name in ("planner", "treasurer")]


def held(*nominated: str) -> Run:
    """Return a turn in which a chair asks some of the case's roles."""
    events = [
        RunStarted(protocol="p", params={"case": {"roles": ROLES}}),
        Asked(path="/turn=1/goal/ask", role="chair", parts=(), clock=1),
        Posted(
            path="/turn=1/goal",
            kind="GoalSet",
            data={"turn": 1, "goal": "g", "nominated": list(nominated)},
            sources=("/turn=1/goal/ask",),
            clock=2,
        ),
    ]
    for clock, who in enumerate(nominated, 3):
        data = {"turn": 1, "author": who, "contribution": "said"}
        events.append(Posted(path=f"/turn=1/{who}", kind="Proposed", data=data, clock=clock))
    return Run(events)


def coloured(html: str) -> dict[str, str]:
    """Return the colour's number by the name that is written in it."""
    found = re.findall(r'class="wb-(?:who wb-a|f)(\d)"[^>]*>([A-Z][a-z]+)<', html)
    return {who: number for number, who in found}


def test_an_agent_keeps_its_colour_whoever_acts_first() -> None:
    """Declared roles come first in their order, then who acts besides, as the chair."""
    for run in (held("planner", "treasurer"), held("treasurer", "planner"), held("treasurer")):
        assert hues(run, agents(run)) == {"planner": 0, "treasurer": 1, "chair": 2}
    assert agents(held("treasurer", "planner")) == ["chair", "treasurer", "planner"]


def test_page_and_picture_use_the_same_colours() -> None:
    """The picture's lanes and the names over the words agree, the chair's as well."""
    run = held("treasurer", "planner")
    assert coloured(run_svg(run)) == {"Chair": "2", "Planner": "0", "Treasurer": "1"}
    assert coloured(run_html(run)) == {"Chair": "2", "Planner": "0", "Treasurer": "1"}


def test_there_are_as_many_colours_on_dark_paper_as_on_light() -> None:
    """Beyond them, colours come again."""
    many = [f"agent {n}" for n in range(len(LIGHT) + 1)]
    assert len(DARK) == len(LIGHT) == 8
    found = hues(Run([RunStarted(protocol="p", params={})]), many)
    assert (found["agent 0"], found["agent 8"]) == (0, 0)
