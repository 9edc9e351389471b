"""The identity of a corpus."""

from __future__ import annotations

import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import CorpusError
from workbench.knowledge.documents import Document, sha256_of
from workbench.knowledge.passport import Passport, PassportDiff

TEXTS = st.dictionaries(
    st.text("abc/.", min_size=1, max_size=6), st.text(min_size=1, max_size=20), min_size=1
)


def passport(texts: dict[str, str], splitter: str = "s/1") -> Passport:
    """Issue a passport for texts under ids."""
    documents = [
        Document(id=id, title="", text=text, sha256=sha256_of(text)) for id, text in texts.items()
    ]
    return Passport.of(documents, passages=len(documents), splitter=splitter)


@given(TEXTS, st.randoms(use_true_random=False))
def test_order_does_not_matter(texts: dict[str, str], chance: random.Random) -> None:
    """The same documents in another order have the same passport."""
    items = list(texts.items())
    chance.shuffle(items)

    assert passport(texts) == passport(dict(items))
    assert hash(passport(texts)) == hash(passport(dict(items)))


@given(TEXTS, st.data())
def test_one_changed_byte_changes_it(texts: dict[str, str], data: st.DataObject) -> None:
    """One byte of one document gives another passport, and the diff names the document."""
    id = data.draw(st.sampled_from(sorted(texts)))
    content = bytearray(texts[id].encode())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1
    changed = {**texts, id: content.decode("latin-1")}

    assert passport(texts).sha256 != passport(changed).sha256
    assert PassportDiff(added=(), removed=(), changed=(id,)) == passport(texts).diff(
        passport(changed)
    )


@given(TEXTS)
def test_renaming_changes_it(texts: dict[str, str]) -> None:
    """A renamed document is one removed and one added."""
    old = min(texts)
    renamed = {("new" if id == old else id): text for id, text in texts.items()}
    diff = passport(texts).diff(passport(renamed))

    assert passport(texts).sha256 != passport(renamed).sha256
    assert PassportDiff(added=("new",), removed=(old,), changed=()) == diff


def test_splitter_changes_it() -> None:
    """Another way to split is another corpus; no document differs."""
    one, two = passport({"a": "x"}), passport({"a": "x"}, splitter="s/2")

    assert one.sha256 != two.sha256
    assert not one.diff(two)


def test_texts_do_not_run_into_each_other() -> None:
    """Moving a boundary between id and content is noticed."""
    assert passport({"a": "b", "c": "d"}).sha256 != passport({"a": "d", "c": "b"}).sha256


def test_the_digest_is_pinned() -> None:
    """Recorded runs hold passports: the rule cannot change by accident."""
    assert (
        "d64b586fb2396db6e15d85b2bcb60fec3ba21d1d97d3e2bf4f0d54b34b25e073"
        == passport({"finance_analyst/budget.md": "Travel costs grew.\n"}).sha256
    )


@pytest.mark.parametrize("same", [{"a": "x"}, {"a": "x", "b": "y"}])
def test_no_difference_is_false(same: dict[str, str]) -> None:
    """Equal corpora have an empty diff."""
    assert not passport(same).diff(passport(dict(same)))


def test_it_cannot_be_changed() -> None:
    """No digest in it can be replaced, and a copy of it is equal to it."""
    told = passport({"a": "x"})
    with pytest.raises(TypeError):
        told.documents["a"] = "0"  # type: ignore[index]

    assert told == copy.deepcopy(told)


@given(TEXTS)
def test_json(texts: dict[str, str]) -> None:
    """A passport is written and read; one changed digest is found."""
    told = passport(texts)
    plain = json.loads(json.dumps(told.to_json()))

    assert told == Passport.from_json(plain)
    plain["documents"][min(texts)] = "0" * 64
    with pytest.raises(CorpusError, match="damaged passport"):
        Passport.from_json(plain)


@pytest.mark.parametrize("told", [None, [], {}, {"documents": 1}, "x"])
def test_what_is_no_passport(told: object) -> None:
    """Other JSON is refused."""
    with pytest.raises(CorpusError, match="not a passport"):
        Passport.from_json(told)
