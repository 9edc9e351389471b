"""What the check of isolation rests on: prompts are made of nothing that tells of other readers."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import package, passage, play, write_corpus
from workbench.deliberation.consultation import interpretation, prompts
from workbench.deliberation.consultation.leaks import Others
from workbench.engine.execution import Execution
from workbench.record.events import Asked, Sampling

MAKERS = (prompts.__name__, "unicodedata", "urllib.parse")
"""Where the functions are from that a prompt may be made by."""


def asked(number: int, read: Any) -> Asked:
    """Return how a reader of a package is first asked."""
    steps = interpretation.interpret(
        number, read, "/package", options=(), words=30, sampling=Sampling(seed=1), attempts=3
    )
    [ask] = Execution(steps).start()
    assert isinstance(ask, Asked)
    return ask


def test_nothing_but_the_role_tells_a_reader_from_another() -> None:
    """Where all read all, what is sent is the same for whichever number."""
    read = package(passage("a#p1"), passage("b#p1", version="2", heading="B"))
    first = asked(1, read)

    assert "interpreter=1" not in str(first.parts) + str(first.schema) + str(first.sampling)
    for number in (2, 3, 10):
        assert replace(first, role=f"interpreter={number}") == asked(number, read)


def known_to(code: CodeType) -> set[str]:
    """Return the names that a function takes from outside, and those within it."""
    within = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(known_to, within))


def test_prompts_know_no_reader() -> None:
    """They are made of their arguments and constant words, and of nothing else that is known.

    The functions of the module that a prompt is made by are followed; what they take from it
    besides is a constant, a part, or a function of letters alone.
    """
    takes = list(inspect.signature(prompts.interpret).parameters)
    made, new = set[str](), {"interpret"}
    while new:
        made |= new
        functions = [one for name in new if inspect.isfunction(one := getattr(prompts, name))]
        own = [one for one in functions if one.__module__ == prompts.__name__]
        assert all(not one.__closure__ for one in own)
        names = set[str]().union(*(known_to(one.__code__) for one in own))
        new = {name for name in names if hasattr(prompts, name)} - made

    assert ["package", "path", "shown", "options", "words", "heard"] == takes
    assert {"CHARGES", "QUOTED", "Part", "passage", "quote"} <= made
    for name in made:
        one = getattr(prompts, name)
        constant = isinstance(one, str | int) or one is prompts.CHARGES
        assert constant or one is wb.Part or one.__module__ in MAKERS, name


@pytest.mark.parametrize("mode", ["consultation", "verification"])
def test_the_protocols_words_tell_no_number_and_nobody(mode: Any, tmp_path: Path) -> None:
    """Condition iii at its source: charges, tags and closing speak of no other reader."""
    run = play(write_corpus(tmp_path / "handbook"))
    read = package(passage("x#p1", "x"), question="x", mode=mode)
    given = prompts.interpret(read, "", read.passages, (), 30)
    own = " ".join(p.text for p in given if p.source != "")
    words = re.findall(r"[a-z_]+", own.lower())
    # "Whatever a passage asks its reader to do" is of whoever reads it
    people = re.compile(
        r"(reader|interpreter|agent|model|llm|assistant|expert|peer|colleague|panel|team|group|"
        r"consensus|majority|another|else|together|everyone|somebody)s?"
    )
    told_of = [word for word in words if people.fullmatch(word)]

    assert "" == Others(run, None).names(own)
    assert (["reader"] if mode == "consultation" else ["together", "reader"]) == told_of
    assert ["P1", "P1", "Q1", "P1", "30", "6"] == re.findall(r"\b[PQ]?\d+\b", own)
