"""Events to lines and back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import RunFileError
from workbench.record.codec import BadLine, Decoder, Encoder, NewerLine, seal, unseal
from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Consulted,
    Event,
    Failed,
    Lineage,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
    Said,
    Sampling,
)
from workbench.record.parts import Part

text = st.text(max_size=80) | st.sampled_from(
    ["", "@", "@@", "\x00\x1f", "\u2028\u2029\x85", "\n\r", "é" * 48, "x" * 47, "x" * 48, "x" * 49]
)
texts = st.lists(text, max_size=3).map(tuple)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
keys = st.sampled_from(["@", "@@", "event", "is", "v", "#", ""]) | text
json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(keys, json, max_size=3)
parts = st.builds(Part, text, st.none() | text, st.sampled_from(["system", "user", "assistant"]))
prompts = st.lists(parts, max_size=4).map(tuple)
counts = st.none() | st.integers(0, 9)
reals = st.none() | st.floats(0, 9)
samplings = st.builds(
    Sampling,
    temperature=reals,
    top_p=reals,
    max_tokens=counts,
    seed=counts,
    stop=texts,
    extra=objects,
)
paths = text.map("/".__add__)
asks = st.builds(
    Asked,
    path=paths,
    clock=st.integers(0, 9),
    role=st.sampled_from(["a", "b", ""]),
    parts=prompts,
    sampling=samplings,
    schema=st.none() | objects,
)
events: st.SearchStrategy[Event] = st.one_of(
    asks,
    st.builds(
        RunStarted,
        protocol=text,
        params=objects,
        seed=st.integers(-(2**63) + 1, 2**63 - 1),
        models=st.dictionaries(text, objects, max_size=2),
        package=text,
        subject=st.none() | text,
        lineage=st.none()
        | st.builds(
            Lineage, parent=text, rule=st.sampled_from(["prefix", "unchanged"]), edits=objects
        ),
        at=reals,
    ),
    st.builds(Called, path=paths, clock=st.integers(0, 9), tool=text, args=objects),
    st.builds(Consulted, path=paths, clock=st.integers(0, 9), prompt=text, options=texts),
    st.builds(Posted, path=paths, clock=st.integers(0, 9), kind=text, data=objects, sources=texts),
    st.builds(
        RunEnded,
        clock=st.integers(0, 9),
        status=st.sampled_from(["complete", "failed"]),
        result=json,
        error=st.none() | text,
    ),
    st.builds(
        Answered,
        path=paths,
        text=text,
        finish_reason=text,
        model=st.none() | text,
        tokens_in=counts,
        cost_usd=reals,
        latency_s=reals,
        attempts=st.integers(1, 9),
        at=reals,
        origin=st.none() | text,
    ),
    st.builds(Failed, path=paths, error=text, message=text, attempts=st.integers(1, 9)),
    st.builds(Returned, path=paths, value=json),
    st.builds(Said, path=paths, text=text),
)


def _decoded(decoder: Decoder, data: bytes) -> list[Event]:
    assert data.endswith(b"\n")
    found = [decoder.decode(line) for line in data[:-1].split(b"\n")]
    return [event for event in found if event is not None]


@given(st.lists(events, max_size=6))
def test_round_trip(made: list[Event]) -> None:
    """Any events come back equal, with their metadata."""
    encoder, decoder = Encoder(), Decoder()
    back = [e for event in made for e in _decoded(decoder, encoder.encode(event))]

    assert made == back
    assert [repr(event) for event in made] == [repr(event) for event in back]


@given(st.lists(events, max_size=5), st.lists(events, max_size=5))
def test_continued(before: list[Event], after: list[Event]) -> None:
    """An encoder that a decoder hands on writes the lines that the first encoder would have."""
    encoder, decoder = Encoder(), Decoder()
    for event in before:
        _decoded(decoder, encoder.encode(event))
    continued = decoder.encoder()

    assert [encoder.encode(e) for e in after] == [continued.encode(e) for e in after]


@given(st.lists(events, max_size=8))
def test_pool(made: list[Event]) -> None:
    """No text is stored twice."""
    encoder = Encoder()
    lines = b"".join(map(encoder.encode, made))
    stored = re.findall(rb'\{"@":"([0-9a-f]{24})","is":', lines)

    assert len(made) == lines.count(b"\n")
    assert sorted(set(stored)) == sorted(stored)


def test_texts_of_format_1() -> None:
    """A line that holds a text alone, as format 1 has it, is read, also before lines of today."""
    text = "the words of a text that is long enough to be stored once"
    decoder = Decoder()
    old = seal({"v": 1, "text": "an id", "is": text})[:-1]
    said = seal({"v": 1, "event": "said", "path": "/a", "text": {"@": "an id"}})[:-1]

    assert decoder.decode(old) is None
    assert Said(path="/a", text=text) == decoder.decode(said)
    assert b'"is"' not in (line := decoder.encoder().encode(Said(path="/b", text=text)))
    assert Said(path="/b", text=text) == decoder.decode(line[:-1])


@given(st.lists(prompts, max_size=6))
def test_growing_prompts(made: list[tuple[Part, ...]]) -> None:
    """Prompts that begin with the last one of their role, or do not, come back equal."""
    encoder, decoder = Encoder(), Decoder()
    grown: tuple[Part, ...] = ()
    for number, more in enumerate(made):
        grown = grown + more if number % 3 else more
        asked = Asked(path=f"/{number}", clock=0, role="r", parts=grown)

        assert [asked] == _decoded(decoder, encoder.encode(asked))


def test_parts_are_shared() -> None:
    """Two asks that hold one part hold it once in memory."""
    encoder, decoder = Encoder(), Decoder()
    part = Part("word " * 20)
    asks = [Asked(path=f"/{role}", clock=0, role=role, parts=(part,)) for role in "ab"]
    first, second = (_decoded(decoder, encoder.encode(asked))[0] for asked in asks)

    assert isinstance(first, Asked)
    assert isinstance(second, Asked)
    assert first.parts[0] is second.parts[0]


@pytest.mark.parametrize("rounds", [8, 32, 128])
def test_bytes_a_call_stay_constant(rounds: int) -> None:
    """A call whose history has grown costs no more bytes than an early one."""
    encoder = Encoder()
    history: tuple[Part, ...] = ()
    sizes = []
    for number in range(rounds):
        history += (Part(f"{number:04} " + "word " * 40, f"/{number:04}"),)
        asked = Asked(path=f"/{number:04}", clock=1000 + number, role="r", parts=history)
        sizes.append(len(encoder.encode(asked)))

    assert max(sizes[1:]) - min(sizes[1:]) <= 3


@pytest.mark.parametrize("made", ["short \ud800", "long " * 20 + "\udfff"])
@pytest.mark.parametrize("place", ["text", "value", "part", "key"])
def test_lone_surrogates(made: str, place: str) -> None:
    """A text that has no form in UTF-8 is refused with the event's path."""
    event: dict[str, Any] = {
        "text": Answered(path="/here", text=made),
        "value": Returned(path="/here", value=[made]),
        "key": Returned(path="/here", value={made: 1}),
        "part": Asked(path="/here", clock=0, role="r", parts=(Part(made),)),
    }
    with pytest.raises(RunFileError, match="/here: cannot be written"):
        Encoder().encode(event[place])


@pytest.mark.parametrize(
    "obj",
    [
        {"v": 1, "event": "answered"},
        {"v": 1, "event": "no such"},
        {"v": 1, "text": ["unhashable"], "is": "x"},
        {"v": 1, "text": "id", "is": 5},
        {"v": 1, "event": "said", "path": "/a", "text": {"@": "nowhere"}},
        {"v": 1, "event": "asked", "path": "/a", "clock": 0, "role": "r", "parts": 5},
        {
            "v": 1,
            "event": "asked",
            "path": "/a",
            "clock": 0,
            "role": "r",
            "parts": {"keep": 1, "add": []},
        },
        {
            "v": 1,
            "event": "asked",
            "path": "/a",
            "clock": 0,
            "role": "r",
            "parts": {"keep": -1, "add": []},
        },
        {
            "v": 1,
            "event": "asked",
            "path": "/a",
            "clock": 0,
            "role": "r",
            "parts": {"keep": 0, "add": [[5, None, "user"]]},
        },
        {},
    ],
)
def test_sound_lines_that_are_no_events(obj: dict[str, Any]) -> None:
    """A line whose checksum fits and that means nothing is a BadLine, whatever it holds."""
    body = seal({**obj, "x": 1})[:-1] if not obj else seal(obj)[:-1]
    with pytest.raises(BadLine):
        Decoder().decode(body)


@pytest.mark.parametrize(
    "schema",
    [
        "[" * 100_000,
        '{"a":' * 100 + "1" + "}" * 100,
        '{"a":' * 20_000 + "1" + "}" * 20_000,
        '{"a": NaN}',
        '{"a": "\\ud83d"}',
        "[[1]]",
        "",
    ],
)
@pytest.mark.parametrize("pooled", [True, False])
def test_schemas_that_are_none(schema: str, pooled: bool) -> None:
    """A schema that no run could hold is a BadLine, however deep it is."""
    decoder = Decoder()
    decoder.decode(seal({"v": 1, "text": "id", "is": schema})[:-1])
    asked = {"v": 1, "event": "asked", "path": "/a", "clock": 0, "role": "r", "sampling": {}}
    line = seal(
        {**asked, "parts": {"keep": 0, "add": []}, "schema": {"@": "id"} if pooled else schema}
    )
    with pytest.raises(BadLine):
        decoder.decode(line[:-1])


def test_newer_line() -> None:
    """A line of a newer format says so and what to do."""
    with pytest.raises(NewerLine, match=r"format 3.*upgrade"):
        unseal(seal({"v": 3, "event": "dreamt"})[:-1])


@pytest.mark.parametrize("version", [0, -1, "2", 1.5, True, None, "9" * 999])
def test_what_is_no_format(version: object) -> None:
    """No upgrade reads a format that never was."""
    with pytest.raises(BadLine, match=r"which is not a format: they are 1 to 2$") as caught:
        unseal(seal({"v": version, "event": "dreamt"})[:-1])
    assert len(str(caught.value)) < 120


def test_metadata_takes_no_part_in_equality() -> None:
    """Time, latency, attempts and origin do not make two answers different."""
    answer = Answered(path="/a", text="x")

    assert answer == replace(answer, at=1.0, latency_s=2.0, attempts=3, origin="y")
