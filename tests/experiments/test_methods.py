"""Methods by short names, with parameters of their own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.datasets.item import Item
from workbench.engine.protocol import BUILT_IN
from workbench.errors import ProtocolError, UnknownProtocol
from workbench.experiments.methods import METHODS, Method, methods

ITEM = Item(question="Which?", options=("a", "b"), answer="A")


def test_every_short_name_is_a_protocol() -> None:
    """Each stands for a protocol of the workbench that takes a question and options."""
    assert set(METHODS.values()) <= set(BUILT_IN)
    for name in METHODS:
        given = f"{name}:corpus=x" if name == "react" else name
        bound = Method.parse(given).bound(ITEM)
        assert ("Which?", ["a", "b"]) == (bound.params["question"], bound.params["options"])


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("vote", {}),
        ("vote:n=3", {"n": 3}),
        ("vote:n=3:temperature=0.2", {"n": 3, "temperature": 0.2}),
        ("vote: n=3", {"n": 3}),
        ("react:corpus=C:\\docs:steps=1", {"corpus": "C:\\docs", "steps": 1}),
        ("maven:router=false", {"router": False}),
        ("x:y=", {"y": ""}),
    ],
)
def test_parameters(text: str, params: dict[str, Any]) -> None:
    """Values are JSON, or else texts as they stand."""
    assert params == Method.parse(text).params
    assert text == Method.parse(text).label


def test_a_list() -> None:
    """A list is split where a name follows a comma."""
    made = methods("direct,vote:n=3,react:corpus=a,1")

    assert ["direct", "vote:n=3", "react:corpus=a,1"] == [one.label for one in made]
    assert made == methods(made)
    assert made == methods(" direct, vote:n=3, react:corpus=a,1 ")
    assert made == methods([one.label for one in made])


@pytest.mark.parametrize("given", ["", " ", "direct,direct", [], "vote:n=1:n=2", ":n=1"])
def test_refusals(given: Any) -> None:
    """No method, one that is there twice, and a parameter that is given twice are refused."""
    with pytest.raises(ValueError, match=r"no method|twice"):
        methods(given)


def test_what_cannot_be_bound() -> None:
    """A protocol that is not there, and a parameter that it does not take, are told."""
    with pytest.raises(UnknownProtocol, match="no protocol 'oracle'"):
        Method.parse("oracle").bound(ITEM)
    with pytest.raises(ProtocolError, match=r"direct:turns=2: .*turns"):
        Method.parse("direct:turns=2").bound(ITEM)
    with pytest.raises(ProtocolError, match=r"react: .*corpus"):
        Method.parse("react").bound(ITEM)
    with pytest.raises(ProtocolError, match="greater than or equal to 1"):
        Method.parse("vote:n=0").bound(ITEM)


@given(st.text(min_size=1, max_size=90))
def test_every_label_gives_a_name_for_a_folder(label: str) -> None:
    """Folders have plain names, and two labels never share one."""
    folder = Method(label, "direct").folder

    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-")
    assert folder not in {".", ".."}
    assert folder == label or folder != Method(label + "!", "direct").folder
