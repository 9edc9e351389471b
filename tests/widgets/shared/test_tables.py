"""What stands in Python and in the front end stands there alike: verdicts, auditors, colours."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from workbench.record import judgement
from workbench.views.agents import DARK, LIGHT
from workbench_widgets.shared.join import read

_HUE = r"{ (?:--hue|fill|stroke): light-dark\((#\w+), (#\w+)\); }"


@pytest.mark.parametrize("name", ["GOOD", "BAD", "UNSURE"])
def test_verdicts(name: str) -> None:
    """A verdict is good, bad or unsure in every view."""
    found = re.search(rf"export const {name} = new Set\((\[.*\])\);", read("shared/verdicts.mjs"))
    assert found is not None
    listed = json.loads(found[1])

    assert len(listed) == len(set(listed))
    assert set(listed) == getattr(judgement, name)


def test_no_verdict_is_two_things() -> None:
    """Nothing is both good and bad."""
    assert not judgement.GOOD & judgement.BAD
    assert not judgement.UNSURE & (judgement.GOOD | judgement.BAD)


def test_auditors() -> None:
    """An auditor has one name wherever one reads it, and each has one."""
    found = re.search(r"export const AUDITORS = {(.*)};", read("shared/verdicts.mjs"))
    assert found is not None

    assert dict(re.findall(r'(\w+): "([^"]+)"', found[1])) == judgement.TITLES
    assert set(judgement.TITLES) == set(judgement.AUDITORS.values())


@pytest.mark.parametrize(
    ("sheet", "classes"), [("theme.css", ["wbw-a"]), ("style.css", ["wb-a", "wb-f", "wb-s"])]
)
def test_colours(sheet: str, classes: list[str]) -> None:
    """An agent has the same colour in the picture, on the page and in the widgets."""
    if sheet == "theme.css":
        text = read("shared/theme.css")
    else:
        text = files("workbench.views").joinpath(sheet).read_text(encoding="utf-8")
    for css in classes:
        found = re.findall(rf"\.{css}(\d) {_HUE}", text)
        assert found == [
            (str(place), *pair) for place, pair in enumerate(zip(LIGHT, DARK, strict=True))
        ]
