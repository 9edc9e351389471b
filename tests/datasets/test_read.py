"""Published files: lines in their authors' formats, and the files themselves where they are."""

from __future__ import annotations

import csv
import json
import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.datasets.item import Item
from workbench.datasets.read import read_items
from workbench.errors import DatasetError

TRUTHFUL = (
    "Type,Category,Question,Best Answer,Best Incorrect Answer,Correct Answers,Incorrect Answers,"
    'Source\nAdversarial,Myths,"Do geese, in fact, bark?",They honk,They bark,They honk; No,'
    "They bark; They bark; They mew,https://example.org/geese\n"
)
GPQA = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,"
    "Explanation,Subdomain\nr1,How far?,near,far,farther,farthest,By walking.,Geography\n"
)
MMLU = '"Which, then?",one,two,three,four,C\nWhat?,w,x,"y, z",q,A\n'
STRATEGY = [
    {"qid": "1", "term": "t", "question": "Is it?", "answer": True, "facts": ["It is.", " "]},
    {"qid": "2", "question": "Was it?", "answer": False},
    {"qid": "3", "question": "Will it be?"},
]
OPEN_BOOK = {
    "id": "7-1",
    "question": {
        "stem": "A hen lays",
        "choices": [{"text": "eggs", "label": "A"}, {"text": "bricks", "label": "B"}],
    },
    "fact1": "hens lay eggs",
    "answerKey": "A",
}
INSTRUCTED = {
    "instruction": "Please choose the correct answer to the question: A hen lays\n\nAnswer1: "
    "bricks Answer2: eggs\n\nAnswer format: answer1/answer2",
    "input": "",
    "output": "the correct answer is answer2",
    "answer": "answer2",
}
HALU = {
    "knowledge": "Hens lay eggs.",
    "question": "What do hens lay?",
    "right_answer": "Eggs",
    "hallucinated_answer": "Hens lay bricks.",
}
GSM = {"question": "How many eggs?", "answer": "He has 3*6=<<3*6=18>>18 eggs.\n#### 18"}
AQUA = {
    "question": "How many?",
    "options": ["A)21", "B)21.5", "C)22", "D)A)b", "E)24"],
    "rationale": "Count.",
    "correct": "B",
}


def written(folder: Path, name: str, given: Any) -> Path:
    """Write a text, or JSON (an array for .json, else lines), and return the file."""
    path = folder / name
    if isinstance(given, str):
        path.write_text(given, "utf-8")
    elif name.endswith(".json"):
        path.write_text(json.dumps(given), "utf-8")
    else:
        path.write_text("".join(json.dumps(one) + "\n" for one in given), "utf-8")
    return path


def test_truthfulqa(tmp_path: Path) -> None:
    """The best answer stands among all incorrect ones, each once, in an order of its own."""
    path = written(tmp_path, "TruthfulQA.csv", TRUTHFUL)
    (item,) = read_items(path)

    assert {"They honk", "They bark", "They mew"} == set(item.options)
    assert ("They honk", 3) == (item.gold, len(item.options))
    assert ("https://example.org/geese",) == item.evidence
    assert "TruthfulQA.csv:2" == item.source
    assert (item,) == read_items(path)
    (binary,) = read_items(path, "truthfulqa_binary")
    assert {"They honk", "They bark"} == set(binary.options)


def test_gpqa(tmp_path: Path) -> None:
    """The correct answer stands among the three incorrect ones."""
    (item,) = read_items(written(tmp_path, "gpqa.csv", GPQA))

    assert {"near", "far", "farther", "farthest"} == set(item.options)
    assert ("near", ("By walking.",)) == (item.gold, item.evidence)


def test_mmlu(tmp_path: Path) -> None:
    """A file without a header is read by the place of its cells, in their order."""
    one, two = read_items(written(tmp_path, "trees_val.csv", MMLU))

    assert ("Which, then?", ("one", "two", "three", "four"), "C") == (
        one.question,
        one.options,
        one.answer,
    )
    assert ("y, z", "A", "trees_val.csv:2") == (two.options[2], two.answer, two.source)


def test_odd_line_separators_are_part_of_a_cell(tmp_path: Path) -> None:
    """A cell may hold what Python, but not CSV, takes for the end of a line."""
    (item,) = read_items(written(tmp_path, "a.csv", "Which\u2028then\x85?,a\x0cb,c,d,e,A\n"))

    assert ("Which\u2028then\x85?", "a\x0cb") == (item.question, item.options[0])


def test_strategyqa(tmp_path: Path) -> None:
    """True and false are yes and no; where there is neither there is no gold answer."""
    items = read_items(written(tmp_path, "dev.json", STRATEGY))

    assert ["yes", "no", None] == [item.answer for item in items]
    assert {"boolean"} == {item.kind for item in items}
    assert [("It is.",), (), ()] == [item.evidence for item in items]


@pytest.mark.parametrize(("record", "letter"), [(OPEN_BOOK, "A"), (INSTRUCTED, "B")])
def test_openbookqa(tmp_path: Path, record: dict[str, Any], letter: str) -> None:
    """Its authors' lines, and those of LLM-Adapters, give the same question."""
    (item,) = read_items(written(tmp_path, "test.jsonl", [record]))

    assert ("A hen lays", "eggs", letter) == (item.question, item.gold, item.answer)


def test_halueval(tmp_path: Path) -> None:
    """The right answer stands against the hallucinated one, or one of them is to be judged."""
    path = written(tmp_path, "qa_data.json", json.dumps(HALU) + "\n")
    (item,) = read_items(path)
    (judged,) = read_items(path, "halueval_detection")

    assert ({"Eggs", "Hens lay bricks."}, "Eggs") == (set(item.options), item.gold)
    assert ("Hens lay eggs.",) == item.evidence == judged.evidence
    assert ("bricks" in judged.question) == (judged.answer == "yes")


def test_gsm8k(tmp_path: Path) -> None:
    """The number is what stands after the mark, and the solution is evidence."""
    (item,) = read_items(written(tmp_path, "test.jsonl", [GSM]))

    assert ("18", "number", ()) == (item.answer, item.kind, item.options)
    assert item.evidence[0].startswith("He has")


def test_aqua(tmp_path: Path) -> None:
    """The letters of the options are taken off once."""
    (item,) = read_items(written(tmp_path, "test.json", json.dumps(AQUA)))

    assert ("21", "21.5", "22", "A)b", "24") == item.options
    assert ("B", "21.5") == (item.answer, item.gold)


def test_items_are_read_as_they_are_written(tmp_path: Path) -> None:
    """What the workbench writes it reads back, sources included."""
    items = (
        Item(question="Which?", options=("a", "b"), answer="A", source="x:1"),
        Item(question="Où?\u2028là", answer="ici", accepted=("là",), evidence=("e",), source="x:2"),
        Item(question="How many?", answer="3", kind="number", source="x:3"),
    )
    path = written(tmp_path, "a.jsonl", "".join(i.model_dump_json() + "\n" for i in items))

    assert items == read_items(path)


@pytest.mark.parametrize(
    ("name", "given", "form", "why"),
    [
        ("a.csv", "", None, "holds no record"),
        ("a.jsonl", "\n\n", None, "holds no record"),
        ("a.jsonl", "{", None, "a.jsonl:1: not JSON"),
        ("a.jsonl", [GSM, [1]], None, "a.jsonl:2: a JSON object is wanted"),
        ("a.json", "[", None, "a.json: not JSON"),
        ("a.jsonl", [{"colour": "red"}], None, "no known format has the fields colour"),
        ("a.csv", "Question,Colour\nWhich?,red\n", None, "no known format"),
        ("a.csv", TRUTHFUL + "x,y\n", None, "a.csv:3: 2 cells, and the header has 8"),
        ("a.csv", MMLU + "x,y\n", None, "a.csv:3: 2 cells, and the first row has 6"),
        ("a.csv", MMLU.replace(",C\n", ",E\n"), None, "a.csv:1: .*'E' is not one of A, B, C, D"),
        ("a.csv", TRUTHFUL.replace("They honk,They bark,", ",They bark,"), None, "Best Answer"),
        ("a.csv", 'a,"b', None, "not CSV"),
        ("a.jsonl", [GSM, {"question": "?", "answer": "18"}], None, "a.jsonl:2: .*no number after"),
        ("a.jsonl", [{**GSM, "answer": "#### many"}], None, "a.jsonl:1: .*not one number"),
        ("a.jsonl", [{**AQUA, "options": "A)1"}], None, "options: a list of texts"),
        ("a.jsonl", [{**AQUA, "options": ["A)1"]}], None, "a.jsonl:1: "),
        ("a.jsonl", [{**HALU, "right_answer": ""}], None, "right_answer: a text is wanted"),
        ("a.jsonl", [{**INSTRUCTED, "answer": "answer3"}], None, "there is no option 3"),
        ("a.jsonl", [{**INSTRUCTED, "instruction": "Choose"}], None, "no question with Answer1"),
        ("a.jsonl", [{"qid": "1", "question": "?", "answer": "True"}], None, "true or false"),
        ("a.jsonl", [HALU], "gsm8k", "a.jsonl:1: has no answer"),
        ("a.jsonl", [GSM], "squad", "no format 'squad'; there are truthfulqa"),
    ],
)
def test_refusals(tmp_path: Path, name: str, given: Any, form: str | None, why: str) -> None:
    """A file that does not fit is refused with the place; nothing is left out in silence."""
    with pytest.raises(DatasetError, match=why):
        read_items(written(tmp_path, name, given), form)


def test_an_item_that_stands_twice(tmp_path: Path) -> None:
    """It is read once, and that is told: a comparison of pairs would count it twice."""
    with pytest.warns(UserWarning, match=r"a.jsonl:3: the same item as in 1; it is left out"):
        items = read_items(written(tmp_path, "a.jsonl", [GSM, {**GSM, "question": "And?"}, GSM]))
    assert ["a.jsonl:1", "a.jsonl:2"] == [item.source for item in items]


@pytest.mark.parametrize("between", [[], [{**GSM, "question": "And?"}]])
def test_a_question_with_two_answers(tmp_path: Path, between: list[Any]) -> None:
    """It cannot be scored, and is refused with both lines."""
    other = {**GSM, "answer": "#### 19"}
    line = len(between) + 2
    why = rf"b.jsonl:{line}: the question of 1 with another gold answer \('19', there '18'\)"
    with pytest.raises(DatasetError, match=why):
        read_items(written(tmp_path, "b.jsonl", [GSM, *between, other]))


def test_no_file(tmp_path: Path) -> None:
    """A missing file, a folder and a file of bytes are refused alike."""
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\xff")

    for path in (tmp_path / "no.csv", tmp_path, tmp_path / "bytes.jsonl"):
        with pytest.raises(DatasetError, match="cannot be read"):
            read_items(path)


def test_no_letter_is_favoured(tmp_path: Path) -> None:
    """Shuffled options put the right one in each place about as often."""
    records = [{**HALU, "question": f"What do {n} hens lay?"} for n in range(400)]
    items = read_items(written(tmp_path, "a.jsonl", records))

    assert 160 < Counter(item.answer for item in items)["A"] < 240


DATA = os.environ.get("WORKBENCH_DATA")
PUBLISHED = [
    ("truthfulqa/TruthfulQA.csv", None, "choice"),
    ("truthfulqa/TruthfulQA.csv", "truthfulqa_binary", "choice"),
    ("strategyqa/dev.json", None, "boolean"),
    ("openbookqa/test.json", None, "choice"),
    ("halueval/qa_one-turn_data.jsonl", None, "choice"),
    ("halueval/qa_multi-turn_data.jsonl", "halueval_detection", "boolean"),
    ("gsm8k/test.jsonl", None, "number"),
    ("aqua/test.json", None, "choice"),
]


@pytest.mark.skipif(DATA is None, reason="WORKBENCH_DATA names no folder of published files")
@pytest.mark.parametrize(("name", "form", "kind"), PUBLISHED)
def test_published_files(name: str, form: str | None, kind: str) -> None:
    """Every record of the authors' own files becomes an item with a gold answer."""
    items = read_items(Path(DATA or "") / name, form)

    assert {kind} == {item.kind for item in items}
    assert len(items) > 100
    assert all(item.answer for item in items)


@pytest.mark.skipif(DATA is None, reason="WORKBENCH_DATA names no folder of published files")
def test_published_mmlu() -> None:
    """All of MMLU's subjects are read whole, but for a row that stands twice in one."""
    files = sorted((Path(DATA or "") / "mmlu").glob("*/*.csv"))

    assert files
    for file in files:
        with file.open(encoding="utf-8", newline="") as rows:
            told = [tuple(row) for row in csv.reader(rows) if row]
        with warnings.catch_warnings(record=True) as twice:
            warnings.simplefilter("always")
            items = read_items(file)
        assert (len(set(told)), len(told) - len(set(told))) == (len(items), len(twice))
