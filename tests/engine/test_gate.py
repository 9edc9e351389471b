"""The structural gate: a typed value, or an open failure."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
)

import workbench as wb
from workbench.engine.gate import Parsed, Unparsed, ask_json, json_schema, read
from workbench.errors import RunError
from workbench.record.events import Answered

MORE = "WORKBENCH_MALFORMED_JSON"
"""A folder of more cases, if this is set: lines of JSON, each with the text as its `input`."""


class Verdict(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["yes", "no"]
    score: float = Field(ge=0, le=1)
    why: str = Field(default="", max_length=60)


class Loose(BaseModel):
    """Takes any object."""

    model_config = ConfigDict(extra="allow")


class Nested(BaseModel):
    """Holds another type, with a description beside the reference, and a field called title."""

    title: str
    inner: Verdict = Field(description="the verdict")


GOOD = '{"verdict": "yes", "score": 0.5}'
SCHEMA = json.dumps(json_schema(Verdict))


def gated(text: str, finish_reason: str = "stop", *, repair: bool = True) -> Any:
    """Return ``(tier, score)``, or the reason why there is none."""
    found = read(
        Answered(path="/a", text=text, finish_reason=finish_reason), Verdict, repair=repair
    )
    return found if isinstance(found, str) else (found[1], found[0].score)


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        (GOOD, "direct"),
        (f" \n{GOOD}\n", "direct"),
        (f"<think>I think {{}}</think>{GOOD}", "direct"),
        (f"<THINK>{GOOD.replace('0.5', '0.1')}</THINK>\n{GOOD}", "direct"),
        (f"my thought {{}} </think>{GOOD}", "direct"),
        (f"<think>a</think>{GOOD}<think>b", "direct"),
        ('{"verdict": "yes", "score": 0.5, "why": "a <think> tag"}', "direct"),
        (f"Sure! {GOOD} I hope that this helps.", "regex"),
        (f'The 6" pipe: {GOOD}', "regex"),
        (f"Of the set {{a, b}} I take {GOOD}", "regex"),
        (f"Use {{ to open. {GOOD}", "regex"),
        (f"{GOOD}\n{GOOD}", "regex"),
        (f"```json\n{GOOD}\n```", "regex"),
        (f"{SCHEMA}\n{GOOD}", "regex"),
        ('So {"verdict": "yes", "score": 0.5, "why": "a } and a { and \\" in it"} it is', "regex"),
        ('{"verdict": "yes", "score": "0.5"}', "direct"),
        ('```json\n{"verdict": "yes", "score": 0.5, "why": "```py\\nx\\n```"}\n```', "regex"),
        ('{"verdict": "yes", "score": 0.5,}', "repair"),
        ("{'verdict': 'yes', 'score': 0.5}", "repair"),
        ('{verdict: "yes", score: 0.5}', "repair"),
        ('{"verdict": "yes", "score": 0.5, "why": "cut', "repair"),
        ('{"verdict": "yes", "score": 0.5', "repair"),
        ('{"verdict": "yes", "score": 0.5, "why": "two\nlines"}', "direct"),
    ],
)
def test_recovered(text: str, tier: str) -> None:
    """A value is recovered by the first tier that can."""
    assert (tier, 0.5) == gated(text)
    if tier == "repair":
        assert isinstance(gated(text, repair=False), str)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("length", "the reply was cut off at the token limit"),
        ("MAX_TOKENS", "the reply was cut off at the token limit"),
        ("max_tokens", "the reply was cut off at the token limit"),
        ("model_length", "the reply was cut off at the token limit"),
        ("SAFETY", "filtered"),
        ("content-filter", "filtered"),
        ("REFUSAL", "the model refused"),
        ("tool_calls", "the reply ended by 'tool_calls', so it may not be whole"),
        ("x" * 9_000, "the reply ended by 'xxx"),
    ],
)
def test_a_reply_that_did_not_stop_by_itself(reason: str, told: str) -> None:
    """It is no answer, however whole it looks, and however the server spells why it ended."""
    found = gated(GOOD, reason)
    assert isinstance(found, str)
    assert found.startswith(told)
    assert len(found) < 200


@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "eos_token", "stop_sequence"])
def test_a_reply_that_stopped_by_itself(reason: str) -> None:
    """Servers have several words for it."""
    assert ("direct", 0.5) == gated(GOOD, reason)


@pytest.mark.parametrize("unsaid", ["unsaid", "", " "])
def test_a_reply_without_a_finish_reason(unsaid: str) -> None:
    """It is read as it is, and never mended: what was cut off might become a value."""
    assert ("regex", 0.5) == gated(f"Sure: {GOOD}", unsaid)
    assert "the reply holds no JSON object" == gated(GOOD[:-1], unsaid)
    assert ("repair", 0.5) == gated(GOOD[:-1], "stop")


@pytest.mark.parametrize(
    "given",
    [
        '{"score": 0.5, "flag": true or false,}',
        '{"flag": true, "score": 0.1+0.2}',
        '{"flag": true, "score": ~0.3}',
        '{"flag": true, "score": 0.1 or 0.2}',
        '{"flag": true, "score": 0.3 - 0.5}',
        '{"flag": true, "score": 0.3-0.5}',
        '{"flag": true, "score": 1/2}',
        '{"flag": true, "score": >0.3}',
        '{"flag": true, "score": 0.3, 0.4}',
        '{"flag": true, "score": 0.3 (not sure), }',
        '{"flag": true, false, "score": 0.3}',
        '{"flag": !true, "score": 0.3}',
        "{'flag': true, 'score': 0.3 if true else 0.4}",
        '{"flag": true, "score": 0.3, "of": [~1, 2]}',
        '{"flag": true, "score": 0.3, "of": [1 2]}',
        '{"flag": "true" "false", "score": 0.3}',
        '{"flag": true "false", "score": 0.3}',
        '{"flag": \u201ctrue\u201d or \u201cfalse\u201d, "score": 0.3}',
        '{"flag": true\nfalse, "score": 0.3}',
        '{"flag": true, "score": 0.3\n or 0.4}',
        '{"flag": true, "score": 0.3\n+ 0.4}',
        '{"flag": true, "score":\n3\n/\n10}',
        '{"flag": true, "score": "0.3", "0.4"}',
        '{"flag": true, "score": 0.3 "or" 0.4}',
        '{"flag": true, "score": 0.3 [0.4]}',
        '{"flag": true, "score": 0.3 {"x": 0.4}}',
        '{"flag": true, "score" 0.3 0.4}',
        '{"flag": true, "score" 0.3}',
        '{"flag": true, "score": - 0.3,}',
        '{"flag": true, "score": 1 000,}',
        '{"flag": true, "score": 0.3, "of": [1, 2, ...]}',
        '{"of": [1, 2]], "flag": true, "score": 0.3}',
        '{"flag": true, "score": 0.3, "of": [1]], "more": 2}',
        '{"flag": true, "score": 0.3}, "of": [1]}',
        '{"flag": true, "score": 0.3,}, "of": [1]}',
        "{'flag': true, 'score': 0.3}, 'score': 0.9}",
        '{"flag": true, "score": 3]4}',
        '{"flag": true, "score": 3;4}',
        '{"flag": true, "score": 3, "of": [1,050, 2,075]}',
        '{"flag": true, "score": 3, "of": [1\'000]}',
        '{"flag": true, "score": 3, "of": [1;5, 2;5]}',
        '{"flag": true, "score": 3 // or 4: "no"\n, "of": [1]}',
        '{"flag": true, "score": 3, "in": [{"n": 1}, {"n": 2, "of": [1]}',
        '{"flag": true, "score": 0.3, "of": [{"a": 1], "b": 2}',
    ],
)
def test_repair_takes_no_part_of_a_value(given: str) -> None:
    """Of two values or an expression none is chosen: the question is asked again."""
    schema = create_model("Given", flag=(bool, ...), score=(float, ...), of=(list[int], []))
    assert isinstance(read(Answered(path="/a", text=given), schema), str)


@pytest.mark.parametrize(
    "given",
    [
        '{"why": "a", "b"}',
        '{"why": "a" "b"}',
        '{"why": "a"\n"b"}',
        '{"why": not "a"}',
        '{"why": \u201ca\u201d or \u201cb\u201d}',
        '{"why": "" "a"}',
        '{"why": }',
        '{"why":',
        '{"why": "a", "of": {"b":',
        "{why: /a.b/}",
        "{why: use the } sign, never the other}",
        '{"why": "he said "use }" now", "x": 1}',
        '{"why": "a"], "not": "b"}',
        '{"why": "a\n"not": 6,\n"x": 5\n}',
        '{"why": "x "not": "y"}',
        '{"why": "a", "n"ot": "y"}',
        '{"why": "a" #5, "not": "y"}',
        '{"why": "a", "of": ["a", "b, "not": "y"}',
        "{'why': 'the tag <think> is theirs', 'not': 'y'}",
        '{"why": "say "<think>" here", "not": "y"}',
        "{'why': 'yes' or 'no'}",
        "{'why': 'x' if True else 'y'}",
        "{'why': 'x'+'y'}",
        "{why: `x` or `y`}",
        "{'why': 'x' // it's\n, 'not': 'z'}",
        "{'why': 'x', 'of': ['it's ok', 'b']}",
        "{'why': 'x', 'of': ['it's a dog's life', 'b']}",
        "{'why': 'x', 'of': ['the users' data', 'b']}",
        "{'why': 'x', 'of': ['x, 'y', 'z']}",
    ],
)
def test_repair_neither_loses_nor_invents_a_text(given: str) -> None:
    """Of two texts none is chosen, and one that is missing is not an empty one."""
    schema = create_model("Given", why=(str, ...))
    assert isinstance(read(Answered(path="/a", text=given), schema), str)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ('{"score": 0.5 // half\n, "why": "x",}', "x"),
        ('{"score": +.5, # half\n "why": "x"}', "x"),
        ('{/* a or b */ "score": /* c */ 0.5; "why": "x"}', "x"),
        ('{"score": 0.5 "why": "x"}', "x"),
        ("{'score': 0.5, 'why': '3 or 4'}", "3 or 4"),
        ("{'score': 0.5, 'why': 'use } to close. Do not agree.'}", "use } to close. Do not agree."),
        ("{\u201cscore\u201d: 0.5, \u201cwhy\u201d: \u201ca } b\u201d}", "a } b"),
        ('[{"score": 0.5, "why": "x",}]', "x"),
        ("{'score': 0.5, 'why': 'it's so', 'more': ''}", "it's so"),
        ("{'score': 0.5, 'why': 'rock 'n' roll'}", "rock 'n' roll"),
        ('{"score": 0.5, "why": "x", "of": ["a", "b"]', "x"),
        ('{"score": 0.5, "why": "x",}}', "x"),
        ("{score: 0.5, why: about 3 or 4}", "about 3 or 4"),
        ('{"score": 0.5, "why": "he said "3 or 4" times"}', 'he said "3 or 4" times'),
        ('{"score": 0.5, "why": "x", "none": None', "x"),
        ('{"score": 0.5, "why": "x",} I hope (so) that it helps.', "x"),
        ("{'score': '0.5', 'why': 'it\\'s \\u00e9'}", "it's \xe9"),
        (
            '{"score": 0.5, "why": "C:\\\\new\\d http://a.b/?c=1#d",}',
            "C:\\new\\d http://a.b/?c=1#d",
        ),
        ('{"score": 5e-1, "why": "x", "of": {"a": [1, {"b": 2}]}, "more": "cut', "x"),
    ],
)
def test_repair_of_what_is_one_value(given: str, why: str) -> None:
    """Comments, signs, lost commas and quotes are mended as before."""
    schema = create_model("Given", score=(float, ...), why=(str, ...))
    found = read(Answered(path="/a", text=given), schema)
    assert not isinstance(found, str), found
    assert (("repair"), 0.5, why) == (found[1], found[0].score, found[0].why)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        (" \n ", "the reply is empty"),
        ("<think>for ever", "the reply is empty"),
        ("I cannot say.", "the reply holds no JSON object"),
        ("[1, 2]", "valid dictionary"),
        ("null", "valid dictionary"),
        (SCHEMA, "the reply repeats the schema"),
        (f"{GOOD} or {GOOD.replace('0.5', '0.25')}", "2 different values"),
        ('{"verdict": "maybe", "score": 0.5}', "verdict: Input should be 'yes' or 'no'"),
        ('{"verdict": "yes", "score": "a half"}', "score: Input should be a valid number"),
        ('{"verdict": "yes", "score": 5}', "score: Input should be less than or equal to 1"),
        ('{"verdict": "yes", "score": NaN}', ""),
        ('{"verdict": "yes", "score": "NaN"}', "score"),
        ('{"verdict": "yes", "score": 1e999}', "score"),
        ('{"verdict": "yes"}', "score: Field required"),
        ('{"verdict": "yes", "score": 0.5, "more": 1}', "more: Extra inputs are not permitted"),
        ('{"verdict": "yes", "score": 0.5, "why": "\\ud83d"}', "unicode string"),
        ('{"verdict": "yes", "score": 0.5, "\\ud83d": 1}', ""),
        (f'{{"verdict": "yes", "score": 0.5, "{"x" * 10_000}": 1}}', "Extra inputs"),
        ('{"outer": {"verdict": "yes", "score": 0.5}, "cut": "he', "verdict: Field required"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    """What holds no one value is refused, in one line that a model can act on."""
    found = gated(text)

    assert isinstance(found, str)
    assert reason in found
    assert len(found) < 1000
    assert found.encode()


TWICE = '{"verdict": "yes", "score": 0.5, "verdict": "no"}'


@pytest.mark.parametrize(
    "text",
    [
        TWICE,
        f"I say {TWICE}.",
        f"```json\n{TWICE}\n```",
        f"```\nset: {TWICE}\n```",
        f"{TWICE} or {GOOD}",
        f"<think>a</think>{TWICE}",
        TWICE.replace("no", "a <think> tag"),
        '{"verdict": "yes", "score": 0, "score": false}',
        '{"verdict": "yes", "score": 0.5, "more": [{"a": 1, "a": 2}]}',
        '{"verdict": "yes", "score": 0.5, "\\ud83d": 1, "\\ud83d": 2}',
    ],
)
def test_a_key_that_is_there_twice(text: str) -> None:
    """A reply that contradicts itself is asked again; the last value is not taken for meant."""
    found = gated(text)

    assert isinstance(found, str)
    assert "is there twice" in found
    assert found.encode()


def test_a_key_that_is_said_twice() -> None:
    """A repeat of the same value contradicts nothing."""
    assert ("direct", 0.5) == gated('{"verdict": "yes", "score": 0.5, "verdict": "yes"}')


@pytest.mark.parametrize("reason", ["length", "content_filter", "refusal"])
def test_cut_off(reason: str) -> None:
    """A reply that was cut off or filtered is no answer, even if it happens to parse."""
    assert isinstance(gated(GOOD, reason), str)
    assert isinstance(gated('{"verdict": "yes", "score": 0.5, "why": "cut', reason), str)


@given(st.text(alphabet='{}[]"\\:, \n`<>/thinkjson01é\ud800', max_size=60), st.booleans())
def test_never_raises(text: str, repair: bool) -> None:
    """Whatever a reply holds, the gate gives a value or a reason."""
    for schema in (Verdict, Loose):
        assert read(Answered(path="/a", text=text), schema, repair=repair)


CUT = '{"verdict": "yes", "score": 0.5, "why": "'
NO_VALUE = ""
"""Nothing can be read by any tier."""

MALFORMED: dict[str, tuple[str, str]] = {
    "no comma": ('{"verdict": "yes" "score": 0.5}', "repair"),
    "no comma between lines": ('{"verdict": "yes"\n"score": 0.5}', "repair"),
    "two commas": ('{"verdict": "yes",, "score": 0.5}', "repair"),
    "a comma first": ('{, "verdict": "yes", "score": 0.5}', "repair"),
    "a semicolon after": (f"{GOOD};", "regex"),
    "a full stop after": (f"{GOOD}.", "regex"),
    "a brace too many": (f"{GOOD}}}", "regex"),
    "a brace before": (f"{{{GOOD}", "regex"),
    "double braces": (f"{{{GOOD}}}", "regex"),
    "a bracket before": (f"[{GOOD}", "regex"),
    "a list of one": (f"[{GOOD}]", "regex"),
    "a list that was cut": (f"[{GOOD},", "regex"),
    "a name before": (f"answer = {GOOD}", "regex"),
    "a call around": (f"respond({GOOD})", "regex"),
    "a tag around": (f"<json>{GOOD}</json>", "regex"),
    "a byte order mark": (f"\ufeff{GOOD}", "regex"),
    "a quote around": (f"'{GOOD}'", "regex"),
    "a fence that was cut": (f"```json\n{GOOD}", "regex"),
    "a fence of tildes": (f"~~~\n{GOOD}\n~~~", "regex"),
    "a heading before": (f"## Answer\n\n{GOOD}", "regex"),
    "a list item": (f"- {GOOD}", "regex"),
    "comments of two kinds": (
        '{"verdict": "yes", // surely\n "score": 0.5 /* or so */}',
        "repair",
    ),
    "a hash comment": ('{"verdict": "yes", "score": 0.5 # or so\n}', "repair"),
    "words without quotes": ("{verdict: yes, score: 0.5}", "repair"),
    "curly quotes": ("{\u201cverdict\u201d: \u201cyes\u201d, \u201cscore\u201d: 0.5}", "repair"),
    "a quote that is not closed": ('{"verdict": "yes, "score": 0.5}', NO_VALUE),
    "a key that is not closed": ('{"verdict: "yes", "score": 0.5}', NO_VALUE),
    "a quote inside": ('{"verdict": "yes", "score": 0.5, "why": "a "sure" thing"}', "repair"),
    "a decimal point first": ('{"verdict": "yes", "score": .5}', "repair"),
    "a plus sign": ('{"verdict": "yes", "score": +0.5}', "repair"),
    "a decimal comma": ('{"verdict": "yes", "score": 0,5}', NO_VALUE),
    "percent": ('{"verdict": "yes", "score": 50%}', NO_VALUE),
    "an ellipsis": ('{"verdict": "yes", "score": 0.5, ...}', NO_VALUE),
    "equals signs": ('{"verdict" = "yes", "score" = 0.5}', NO_VALUE),
    "arrows": ('{"verdict" => "yes", "score" => 0.5}', NO_VALUE),
    "an escaped object": ('{\\"verdict\\": \\"yes\\", \\"score\\": 0.5}', NO_VALUE),
    "an object in a text": (json.dumps(GOOD), NO_VALUE),
    "cut in a text": (f"{CUT}because", "repair"),
    "cut in an escape": (f"{CUT}because\\", "repair"),
    "cut in a code point": (f"{CUT}because\\u00", "repair"),
    "cut in a key": ('{"verdict": "yes", "sco', NO_VALUE),
    "cut before a value": ('{"verdict": "yes", "score":', NO_VALUE),
    "one brace": ("{", NO_VALUE),
    "a number": ("0.5", NO_VALUE),
    "a text": ('"yes"', NO_VALUE),
    "lines, not JSON": ("verdict: yes\nscore: 0.5", NO_VALUE),
    "XML": ("<verdict>yes</verdict><score>0.5</score>", NO_VALUE),
    "true for a number": ('{"verdict": "yes", "score": true}', NO_VALUE),
    "true for a number, broken": ('{"verdict": "yes", "score": true,}', NO_VALUE),
    "a key twice, broken": ('{"verdict": "yes", "score": 0.5, "verdict": "no",}', NO_VALUE),
    "a key twice, cut": ('{"verdict": "yes", "score": 0.5, "verdict": "no"', NO_VALUE),
    "a bare key twice": ('{verdict: "yes", score: 0.5, verdict: "no"}', NO_VALUE),
}
"""A text, and the tier that reads it."""


@pytest.mark.parametrize(("text", "tier"), MALFORMED.values(), ids=MALFORMED)
def test_malformed(text: str, tier: str) -> None:
    """What is broken is read by the expected tier or not at all, and never raises."""
    for schema in (Verdict, Loose):
        for finish_reason in ("stop", "length"):
            for repair in (True, False):
                reply = Answered(path="/a", text=text, finish_reason=finish_reason)
                assert read(reply, schema, repair=repair)
    found = gated(text)
    if tier == NO_VALUE:
        assert isinstance(found, str)
    else:
        assert (tier, 0.5) == found
    if tier in (NO_VALUE, "repair"):
        assert isinstance(gated(text, repair=False), str)


def test_a_boolean_is_no_number() -> None:
    """True is not 1, however deep; where a boolean or anything is asked for, it is one."""

    class Sure(BaseModel):
        sure: bool
        sums: list[int] = []
        more: Any = None

    def reason(text: str) -> Any:
        return read(Answered(path="/a", text=text), Sure)

    assert not isinstance(reason('{"sure": true, "more": [true]}'), str)
    assert "sums.1: a number is wanted, not true or false" == (
        reason('{"sure": true, "sums": [1, false]}')
    )


class Said(BaseModel):
    """A text, as a whole."""

    text: str


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('```json\n{"text": "a <think>b</think> c"}\n```', "a <think>b</think> c"),
        ('Sure! {"text": "It used <think> tags", "x": 1}', "It used <think> tags"),
        ('<think>{"text": "no"} hm</think> {"text": "</think> ends it"}', "</think> ends it"),
        ('{"text": "a <think>b</think> c",}', "a <think>b</think> c"),
        ('so {"text": "no"</think> {"text": "yes"}', "yes"),
        ('I know {"text": "no"} <think>or</think> not', "no"),
    ],
)
def test_thought_tags_in_strings(text: str, said: str) -> None:
    """A tag inside a string of an object is a part of what was said; elsewhere it is a thought."""
    found = read(Answered(path="/a", text=text), Said)

    assert not isinstance(found, str)
    assert said == found[0].text


@pytest.mark.parametrize(
    "text",
    [
        'For example {"score": 3}. My answer: {"score": 7',
        '{"score": 1, "score": 9,}',
        "{'score': 1, 'score': 9}",
        '{"score": 1,} {"score": 9,}',
        "{'score': 1} or {'score': 9}",
        '{"score": 1,} and [{"score": 9,}]',
        '[{"score": 1,}, {"score": 9,}]',
        '{"score": 1,} Actually: {"score": 9}',
        '{"score": 1}, "score": 9}',
        '{"score": 1} "score": 9}',
        '{"score": 1}200, "why": "x"}',
        "{'score': 1} Correction: {\"score\": 9}",
        '{"score": 9} Correction: {score: 1}',
        '```json\n{"score": 1,}\n```\nWait: {"score": 2,}',
        '{\n  // my verdict\n  "other": "no",\n  "of": [{"score": 1}]\n}',
        '{other":"no", "of":[{"score": 1}]}',
        '"other":"no", "of":[{"score": 1}]}',
        '"score": 9,\n"why": "it said {"score": 1} here"',
        '("score": 9, "why": "said {"score": 1}")',
        '{"score": 9, "why": "it was:\n```json\n{"score": 1}\n```\nwhich is wrong"}',
        "{'score': 9, 'why': 'not ```json\n{\"score\": 1}\n```'}",
        "```json\n{'score': 9}\n```\nor\n```json\n{\"score\": 1}\n```",
        "I say {'score': 9}\nThe format was:\n```json\n{\"score\": 1}\n```",
        '{"score": 9, "why": "cut off he\n```json\n{"score": 1}\n```',
        '{\u201cother\u201d: \u201cno\u201d, "of": [{"score": 1}]}',
        '{my score: 2, "of": [{"score": 1}]}',
        '{score = 2, of = [{"score": 1}]}',
        '{"score": 1}, more: "y"}',
        "{\"score\": 1} 'score': 2",
        '{"score": 1,} and then {"score": 9',
        '```json\n{"score": 1,}\n```\n```json\n{"score": 9,}\n```',
    ],
)
def test_two_objects_of_which_neither_is_taken(text: str) -> None:
    """Two answers are none, also where one breaks off or only repair can read them."""

    class Scored(BaseModel):
        score: int

    for repair in (True, False):
        assert isinstance(read(Answered(path="/a", text=text), Scored, repair=repair), str)


def test_a_validator_that_raises() -> None:
    """What an author's own check raises fails the attempt, and the question is asked again."""

    class Ends(BaseModel):
        low: int = Field(ge=0)
        high: int

        @field_validator("high")
        @classmethod
        def above(cls, high: int, info: ValidationInfo) -> int:
            assert high >= info.data["low"]  # not there where `low` is wrong: a KeyError
            return high

    @wb.protocol("toy_ends")
    def steps():  # noqa: ANN202
        found = yield from ask_json("q", "judge", "Which?", Ends)
        return [found.value.low, found.value.high]

    replies = {"/q/try=1": '{"low": -1, "high": 2}', "/q/try=2": '{"low": 1, "high": 2}'}
    run = wb.run_sync(steps(), lm=wb.ScriptedLM(replies))

    assert [1, 2] == run.result
    assert ["the object: KeyError: 'low'"] == run.facts["/q/gate"].data["errors"]


@pytest.mark.parametrize("kind", [set[int], frozenset[str], list[set[int]], set[int] | None])
def test_sets_are_refused(kind: Any) -> None:
    """A schema with a set, which is in another order in each process, is refused when asked."""
    with pytest.raises(TypeError, match=r"Odd has a set in it.*Use a list"):
        json_schema(create_model("Odd", inner=create_model("Inner", found=(kind, ...))))


@contextmanager
def bounded() -> Iterator[None]:
    """End what would not end in hours; what is right is done in a fraction of a second."""

    def stop(*_: object) -> None:
        raise AssertionError(f"not done after {GIVEN_S} s of this process's own time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVEN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_more_malformed_cases() -> None:
    """On every case of a folder of one's own the gate neither raises nor goes on without end."""
    folder = os.environ.get(MORE)
    if not folder:
        pytest.skip(f"{MORE} is not set: it may name a folder of more malformed cases")
    files = sorted(Path(folder).glob("*.jsonl"))
    assert files, f"{MORE}: {folder} holds no .jsonl file"
    for file in files:
        for line in file.read_text().splitlines():
            text = str(json.loads(line)["input"])
            for finish_reason in ("stop", "length"):
                for repair in (True, False):
                    for schema in (Verdict, Loose):
                        reply = Answered(path="/a", text=text, finish_reason=finish_reason)
                        with bounded():
                            assert read(reply, schema, repair=repair)


MANY = 1_000_000
GIVEN_S = 60


@pytest.mark.parametrize(
    "text",
    [
        *(piece * (MANY // len(piece)) for piece in ("{", '"', '\\"', "[", '{"a":', "{}", "{ ")),
        *(piece * (MANY // len(piece)) for piece in ("<think>", "</think>", "<think>x</think>")),
        *(piece * (MANY // len(piece)) for piece in ("```", "```\n", "```json\n{", '{"a": 1}')),
        *(piece * (MANY // len(piece)) for piece in ('{"a<think></think>":', '{"a":<think>')),
        '{"a<think></think>":' * (MANY // 20) + "<think>",
        "```" + " " * MANY,
        "{" + " " * MANY,
        '{"' + '\\"' * (MANY // 2),
        '{"a": ' * (MANY // 12) + "1" + "}" * (MANY // 12),
        '{"a": ' + "9" * MANY + "}",
        "".join(f'{{"score": {i}}}' for i in range(MANY // 16)),
        "{" * 60 + "a b " * 4000,
        '{"a":"' + 'b"c ' * 2000,
        "{" + '"' * 8000,
        '{"a": ' * 12 + '"b" "' * 1500,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_pathological(text: str) -> None:
    """A megabyte of anything is read to its end, as it is not by steps that grow by the square."""
    for schema in (Verdict, Loose):
        with bounded():
            read(Answered(path="/a", text=text), schema)


def run_of(replies: list[str], **options: Any) -> wb.Run:
    """Run one gated question on given replies."""

    @wb.protocol("toy_gate")
    def steps():  # noqa: ANN202
        found = yield from ask_json("q", "judge", "Well?", Verdict, **options)
        if isinstance(found, Parsed):
            return [found.tier, found.value.score, found.path, found.tokens]
        assert isinstance(found, Unparsed)
        return [None, list(found.errors), found.path, found.tokens]

    lm = wb.ScriptedLM({f"/q/try={i}": reply for i, reply in enumerate(replies, 1)})
    return wb.run_sync(steps(), lm=lm)


def test_re_asking() -> None:
    """The failed reply and the error are read by the next attempt, as data with a source."""
    run = run_of(["not yet", "still not", GOOD])

    assert ["direct", 0.5, "/q/try=3"] == run.result[:3]
    asked = run["/q/try=2"]
    assert isinstance(asked, wb.Asked)
    assert [("Well?", None), ("not yet", "/q/try=1")] == [
        (p.text, p.source) for p in asked.parts[:2]
    ]
    assert "That reply could not be used: the reply holds no JSON object" in asked.parts[2].text
    assert 3 == len(run["/q/try=3"].parts)  # type: ignore[union-attr]
    assert {
        "role": "judge",
        "schema_name": "Verdict",
        "tier": "direct",
        "attempts": 3,
        "errors": ["the reply holds no JSON object"] * 2,
    } == run.facts["/q/gate"].data
    assert run.usage.tokens_in + run.usage.tokens_out == run.result[3]


def test_unparsed() -> None:
    """After the last attempt the outcome is Unparsed, with one error for each."""
    run = run_of(["", "no", '{"verdict": "yes"}'])

    assert None is run.result[0]
    assert ["the reply is empty", "the reply holds no JSON object", "score: Field required"] == (
        run.result[1]
    )
    assert "/q/try=3" == run.result[2]
    assert None is run.facts["/q/gate"].data["tier"]
    assert "(nothing)" in run.prompt("/q/try=2")


def test_repair_off() -> None:
    """Without repair a trailing comma is asked about again."""
    reply = GOOD.replace("}", ",}")

    assert "repair" == run_of([reply]).result[0]
    assert None is run_of([reply], repair=False, attempts=1).result[0]


def test_no_attempts() -> None:
    """At least one attempt is needed."""
    with pytest.raises(RunError, match="attempts must be at least 1"):
        run_of([], attempts=0)


def test_schema() -> None:
    """References are put in place, what stands beside them is kept, and so is a field `title`."""
    schema = json_schema(Nested)

    assert ["title", "inner"] == list(schema["properties"])
    assert "the verdict" == schema["properties"]["inner"]["description"]
    assert "score" in schema["properties"]["inner"]["properties"]
    assert "$" not in json.dumps(schema)


class Endless(BaseModel):
    """Refers to itself."""

    inner: Endless | None = None


def test_a_schema_that_refers_to_itself() -> None:
    """A recursive type is refused by name."""
    with pytest.raises(TypeError, match="Endless refers to itself"):
        json_schema(Endless)
