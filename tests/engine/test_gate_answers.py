"""The gate on replies that say more than one thing: of two answers none is taken, the one is."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from workbench.engine.gate import read
from workbench.engine.percent import Percent
from workbench.record.events import Answered


class Verdict(BaseModel):
    """What is asked for."""

    verdict: Literal["pass", "fail"]
    score: int = Field(ge=0, le=10)
    why: str = ""
    tags: list[str] = []


class Reply(BaseModel):
    """A free answer."""

    explanation: str
    answer: str


RIGHT = {"verdict": "pass", "score": 7}
GOOD = json.dumps(RIGHT)
BAD = '{"verdict": "FAIL", "score": 2}'


def gated(text: str, schema: type[BaseModel] = Verdict, *, repair: bool = True) -> Any:
    """Return the value as a dict, or the reason why there is none."""
    found = read(Answered(path="/a", text=text), schema, repair=repair)
    return found if isinstance(found, str) else found[0].model_dump(exclude_unset=True)


def python(value: object) -> str:
    """Return a value with single quotes."""
    return repr(value)


def bare(value: object) -> str:
    """Return an object with names without quotes."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{name}: {json.dumps(one)}" for name, one in value.items()) + "}"


def curly(value: object) -> str:
    """Return a value with typographic quotes."""
    pieces = json.dumps(value).split('"')
    return "".join(p + q for p, q in zip(pieces, "\u201c\u201d" * len(pieces), strict=False))[:-1]


FORMS = [json.dumps, lambda v: json.dumps(v, indent=1), python, bare, curly]
WRAPPED = (
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```",
    "[{}]",
    "<answer>{}</answer>",
    "<tool_call>\n{}\n</tool_call>",
    "**Answer:** {}",
    "respond({})",
    "- {}",
    "`{}`",
)
BETWEEN = ("\n", " ", "\n\nOn second thought that is wrong:\n\n", " Correction: ", ", ", "\n---\n")
UNFIT: list[Any] = [
    {"verdict": "FAIL", "score": 2},
    {"verdict": "fail", "score": 11},
    {"verdict": "fail"},
    {"Verdict": "fail", "Score": 2},
    {"answer": {"verdict": "fail", "score": 2}},
    {"name": "judge", "arguments": {"verdict": "fail", "score": 2}},
    {"name": "judge", "arguments": json.dumps({"verdict": "fail", "score": 2})},
    [{"verdict": "fail", "score": "low"}],
    {"verdict": None, "score": 2},
]


@given(
    *(st.sampled_from(some) for some in (UNFIT, FORMS, FORMS, WRAPPED, WRAPPED, BETWEEN)),
    st.booleans(),
    st.booleans(),
)
def test_an_answer_beside_one_that_does_not_fit(
    other: Any,
    form: Any,
    form_of_other: Any,
    wrapped: str,
    other_wrapped: str,
    between: str,
    other_first: bool,
    repair: bool,
) -> None:
    """A correction with a wrong field corrects as well as one without: neither is taken."""
    two = [wrapped.replace("{}", form(RIGHT)), other_wrapped.replace("{}", form_of_other(other))]
    text = between.join(reversed(two) if other_first else two)

    assert isinstance(gated(text, repair=repair), str), text


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD}\nCorrection:\nverdict: fail\nscore: 2",
        f"```yaml\nverdict: fail\n```\n{GOOD}",
        f"{GOOD}\n**Verdict:** fail",
        f'I set "score": 2 because it fails.\n```json\n{GOOD}\n```',
        f"[{GOOD}, {BAD}]",
        '[{"verdict": "pass", "score": 7,}, {"verdict": "FAIL", "score": 2}]',
        "{'verdict': 'pass', 'score': 7}\n\nFinal\n\n{'verdict': 'FAIL', 'score': 2}",
        f'{{"first": {GOOD}, "final": {BAD}}}',
        f'{GOOD[:-1]}, "correction": {BAD}}}',
        f'{GOOD[:-1]}, "Verdict": "fail"}}',
        f"{GOOD}\n{{score = 2}}",
        f"<thought>Maybe {GOOD}? No.</thought>\nFAIL, 2 of 10",
        f"[THINK]Maybe {GOOD}? No.[/THINK]{BAD}",
        f"\u25c1think\u25b7Maybe {GOOD}\u25c1/think\u25b7verdict: fail",
        f'<think lang="en">Maybe {GOOD}</think>{BAD}',
        f"<|channel|>analysis<|message|>{GOOD}?<|end|><|channel|>final<|message|>{BAD}",
        f'{{"type": "object", "properties": {BAD}}}\n{GOOD}',
        "{}\n" * 64 + f"{GOOD}\n{BAD}",
    ],
)
def test_what_denies_an_answer(text: str) -> None:
    """It is in a line, a list, an object around both, or what was thought before it was said."""
    for repair in (True, False):
        assert isinstance(gated(text, repair=repair), str)


ASIDE = [
    r"We use $\sum_{i=1}^{n} i = n(n+1)/2$, so with n = 4 it is 10.",
    r"Let $A=\{x : x>0\}$.",
    r"$\left\{ x : 1 \right.$",
    "for (i=0;i<4;i++) { s = s + i; }",
    'print(f"{score:.2f}")',
    ".a { color: red }",
    "Use {{name}} here.",
    "```python\nd = {'a': 1, 'b': x}\n```",
    '```js\nconst a = {x: 1, "y": z};\n```',
    '- "verdict": the call\n- "why": the reason',
    'I set "score": 7 because it passes.',
    "**Score:** 7",
    "As no `<think>` block was asked for:",
    'The input was {"item": 3, "of": [1]}.',
    f"As said: {GOOD}",
    '{"score": 7} it is.',
    f'{{"answer": {GOOD}}}',
]


@pytest.mark.parametrize("aside", ASIDE)
@pytest.mark.parametrize("wrapped", ["{}", "```json\n{}\n```"])
def test_one_answer_in_prose(aside: str, wrapped: str) -> None:
    """Mathematics, code, other objects and what says the same again are not in its way."""
    given = wrapped.replace("{}", GOOD)

    for text in (f"{aside}\n\n{given}", f"{given}\n\n{aside}"):
        for repair in (True, False):
            assert RIGHT == gated(text, repair=repair), text


@pytest.mark.parametrize(
    "thought",
    [
        "<thought>{}</thought>",
        "[THINK]{}[/THINK]",
        "\u25c1think\u25b7{}\u25c1/think\u25b7",
        '<think lang="en">{}</think>',
        "`<think>`{}`</think>`",
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    ],
)
def test_thoughts_in_other_marks(thought: str) -> None:
    """What a model thinks is no answer, in whatever marks its maker puts it."""
    draft = thought.replace("{}", 'Maybe {"verdict": "fail", "score": 1}?')

    assert RIGHT == gated(draft + GOOD)
    assert isinstance(gated(draft), str)


def test_a_word_of_the_answer() -> None:
    """A line that says a part of the answer does not deny it."""
    given = '{"explanation": "5 * 2", "answer": "10 apples"}'

    assert "10 apples" == gated(f"Answer: 10\n\n{given}", Reply)["answer"]
    assert isinstance(gated(f"Answer: 12\n\n{given}", Reply), str)


def test_a_lone_brace_after_a_fence() -> None:
    """A fence ends what is in it."""
    found = read(Answered(path="/a", text=f"```json\n{GOOD}\n```\nThe }} ends it."), Verdict)

    assert "fence" == found[1]


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ('{"explanation": \u201cSo.\u201d, "answer": \u201cParis\u201d}', "Paris"),
        ("{answer: \u201cParis\u201d, explanation: \u201cSo.\u201d}", "Paris"),
        ('{"answer": \u2018Paris\u2019, "explanation": \u2018It\u2019s so.\u2019}', "Paris"),
        ('{"explanation": "So.", "answer": \u201cthe "City"\u201d}', 'the "City"'),
        ('```json\n{"explanation": "So.", "answer": "Paris\n```\nI hope it helps!', "Paris"),
        ('{"explanation": "So.", "answer": "it is \\"no\\"",}', 'it is "no"'),
        ("{'explanation': 'So.', 'answer': 'use } here'}", "use } here"),
    ],
)
def test_texts_that_are_mended(given: str, answer: str) -> None:
    """A text that is wholly in quotes of any kind is what is in them."""
    assert answer == gated(given, Reply)["answer"]


@pytest.mark.parametrize(
    "given",
    [
        '{"explanation": "So.", "answer": \u201che said \u201cno\u201d twice\u201d}',
        '{"explanation": "So.", "answer": "Paris\u201d}',
        "{'explanation': 'So.', 'answer': 'say 'tis so'}",
        "{'explanation': 'So.', 'answer': 'in the '90s'}",
        '<answer>{"explanation": "So.", "answer": "Paris</answer>',
        '{"explanation": "So.", "answer": "Paris<|im_end|>',
        '{"explanation": "So.", "answer": "Paris\n\nI hope this helps!',
        '{"explanation": "So.", "answer": "end }\u201d',
        '{"explanation": "So.", "answer": `end }`}',
        '{"explanation": "So.", "answer": "x", "of": {"a": x y }, }',
        '{"explanation": "So.", "answer": a\nb, }',
    ],
)
def test_texts_without_a_sure_end(given: str) -> None:
    """Where a quote is missing or one too many, the question is asked again."""
    assert isinstance(gated(given, Reply), str)


@pytest.mark.parametrize(
    "given",
    [
        '{"verdict": "pass", "score": 0.',
        '{"verdict": "pass", "score": 1e',
        '{"verdict": "pass", "score": "1_0"}',
        '{"verdict": "pass", "score": 7, "tags": [#a,\n #b,\n "c"]}',
        '{"verdict": "pass", "score": 7, "tags": [\na\nb\n]}',
        '{"verdict": "pass", "score": 7, "tags": [\u201ca\u201d, \u201cb \u201cc\u201d d\u201d]}',
    ],
)
def test_numbers_and_lists_that_are_not_sure(given: str) -> None:
    """A number that breaks off or is spelled as no JSON is none, and no item of a list is lost."""
    assert isinstance(gated(given), str)


def test_a_list_in_typographic_quotes() -> None:
    """Each of its texts is what is in its quotes."""
    given = '{"verdict": "pass", "score": 7, "tags": [\u2018a\u2019, \u201cb\u201d]}'

    assert [*RIGHT.items(), ("tags", ["a", "b"])] == list(gated(given).items())


class Sure(BaseModel):
    """A text and how sure it is."""

    answer: str
    sure: Percent


@pytest.mark.parametrize(
    ("reply", "taken"),
    [
        ('{"answer": "x", "sure": 1.0}', False),
        ('{"answer": "x", "sure": "1.0"}', False),
        ('{"answer": "x", "sure": 1}', True),
        ('{"answer": "x", "sure": 85.0}', True),
        (r'{"answer": "$\frac{1}{2}$", "sure": 85}', False),
        (r'{"answer": "$\\frac{1}{2}$", "sure": 85}', True),
        (r'So: {"answer": "$\beta$", "sure": 85}', False),
    ],
)
def test_what_may_be_of_two_scales_or_latex(reply: str, taken: bool) -> None:
    """One in decimals is all or nothing; a form feed before a letter was LaTeX."""
    assert taken is isinstance(gated(reply, Sure, repair=False), dict)
