"""The benchmark: what is done again and what is not, and what its results may say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import workbench as wb
from workbench.datasets.item import YES_NO, Item
from workbench.errors import LMError, RunFailed, RunFileError
from workbench.experiments.bench import Done
from workbench.experiments.results import RESULTS, Results, busy_s
from workbench.record.events import Answered, Asked, RunStarted
from workbench.record.run import Run

ITEMS = tuple(
    Item(question=f"Question {n}?", options=("a", "b"), answer="A", source=f"x:{n}")
    for n in range(1, 5)
)
Says = Callable[[Asked], Any]


def model(says: Says | None = None, name: str = "scripted") -> wb.ScriptedLM:
    """Return a model that answers A, unless `says` has another answer (or an error)."""

    def reply(asked: Asked) -> Any:
        said = None if says is None else says(asked)
        if isinstance(said, Exception):
            raise said
        if said is None or len(said) == 1:
            said = json.dumps({"answer": said or "A", "explanation": "so"})
        return said

    return wb.ScriptedLM(reply, name=name)


def question_of(asked: Asked) -> int:
    """Return the number of the question that an ask is about."""
    return int(asked.parts[1].text.split("?", maxsplit=1)[0].split()[-1])


def answers_first(asked: Asked) -> bool:
    """Return whether an ask is one of `direct`, which answers before it explains."""
    return next(iter((asked.schema or {})["properties"])) == "answer"


def play(folder: Path, lm: wb.ScriptedLM | None = None, **options: Any) -> Results:
    """Run a benchmark of the four items."""
    options = {"chosen": "direct,vote:n=3", "items": ITEMS, **options}
    chosen, items = options.pop("chosen"), options.pop("items")
    return wb.bench_sync(chosen, items, lm=lm or model(), to=folder, **options)


def test_one_file_a_run(tmp_path: Path) -> None:
    """Every method has a folder with a run for each item, which is a run like any other."""
    found = play(tmp_path / "new" / "out")

    files = sorted((tmp_path / "new" / "out").glob("*/*.run.jsonl"))
    assert 8 == len(files)
    assert all(wb.verify(file) for file in files)
    assert {str(file) for file in files} == set(found.runs.get_column("file"))
    assert RESULTS == dict(found.runs.schema)


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    """A second time nothing is asked and nothing is written."""
    first = play(tmp_path)
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in tmp_path.glob("*/*.jsonl")}
    lm, did = model(), list[Done]()

    again = play(tmp_path, lm, on_done=did.append)

    assert [] == lm.asked
    assert {"kept"} == {one.did for one in did}
    assert before == {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in tmp_path.glob("*/*.jsonl")}
    assert first.runs.equals(again.runs)


def test_more_items_and_methods(tmp_path: Path) -> None:
    """Only what is new is run; the folder remembers all items."""
    play(tmp_path, items=ITEMS[:2], chosen="direct")
    lm = model()

    play(tmp_path, lm, items=ITEMS[1:], chosen="direct,cot")

    assert [3, 4] == sorted(question_of(asked) for asked in lm.asked if answers_first(asked))
    assert 8 == wb.read_bench(tmp_path).runs.height
    assert set(ITEMS) == set(wb.read_items(tmp_path / "items.jsonl"))


def test_moved_items_are_the_same(tmp_path: Path) -> None:
    """Where a line was put into the file, or a label mended, nothing is asked again."""
    play(tmp_path)
    moved = [
        item.model_copy(update={"source": f"x:{n}", "answer": "B"})
        for n, item in enumerate(ITEMS, 10)
    ]

    lm = model()
    found = play(tmp_path, lm, items=moved)

    assert [] == lm.asked
    assert [0, 0] == found.summary["right"].to_list()
    assert {f"x:{n}" for n in range(10, 14)} == set(found.runs.get_column("source"))


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """What was answered before a stop is not asked again."""

    def dies(asked: Asked) -> Exception | None:
        return LMError("down") if "sample_3" in asked.path and question_of(asked) == 2 else None

    did = list[Done]()
    broken = play(tmp_path, model(dies), on_done=did.append)

    (stopped,) = [one for one in did if one.did == "interrupted"]
    assert ("vote:n=3", ITEMS[1]) == (stopped.method, stopped.item)
    assert "down" in stopped.why
    assert ["interrupted"] == broken.runs.filter(pl.col("outcome").is_null())["status"].to_list()
    kept = set(wb.open_run(stopped.path).answers)
    lm = model()
    whole = play(tmp_path, lm)
    assert {"/turn=1/sample_1/answer/try=1", "/turn=1/sample_2/answer/try=1"} >= kept
    assert {a.path for a in lm.asked} == set(wb.open_run(stopped.path).answers) - kept
    assert 0 == whole.summary["unfinished"].sum()


def test_a_model_that_is_down_stops_the_benchmark(tmp_path: Path) -> None:
    """After three runs in a row without an answer the rest is not tried."""
    lm = model(lambda asked: LMError("down"))

    with pytest.raises(RunFailed, match="down"):
        play(tmp_path, lm, chosen="direct")
    assert 3 == len(lm.asked)
    assert 0 == play(tmp_path, chosen="direct").summary["unfinished"].sum()


@wb.protocol("toy_bench")
def toy_bench(question: str, options: tuple[str, ...] = ()) -> Any:
    """Answer as the model does, unless it answers B: then raise."""
    reply = yield from wb.ask("ask", "solver", ["x", f"{question}?"])
    if "B" in reply.text:
        raise ZeroDivisionError
    yield from wb.post("final", wb.FinalAnswer(answer="A", explanation="so", how="toy"))


def test_a_failed_run_is_set_aside_and_tried_again(tmp_path: Path) -> None:
    """A run whose protocol raised does not stop the others, and is kept beside its successor."""
    for count in (1, 2):
        did = list[Done]()
        found = play(tmp_path, model(lambda a: "B"), chosen="toy_bench", on_done=did.append)
        assert ["failed"] * 4 == [one.did for one in did]
        assert ["failed"] * 4 == found.runs["status"].to_list()
        assert (count - 1) * 4 == len(list(tmp_path.glob("*/*.failed-*.run.jsonl")))

    assert [4] == play(tmp_path, chosen="toy_bench").summary["right"].to_list()
    assert 8 == len(list(tmp_path.glob("*/*.failed-*.run.jsonl")))


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    """A file that is no run is kept under another name, and its run is made."""
    play(tmp_path, chosen="direct")
    path = next(tmp_path.glob("direct/*.run.jsonl"))
    path.write_text("no run\n")

    assert 1 == (wb.read_bench(tmp_path).runs["status"] == "damaged").sum()
    assert 0 == play(tmp_path, chosen="direct").summary["unfinished"].sum()
    assert 1 == len(list(tmp_path.glob("direct/*.failed-1.run.jsonl")))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"seed": 1}, "other seed"),
        ({"lm": model(name="another")}, "other models .*another"),
        ({"chosen": [wb.Method("direct", "direct", {"words": 9})]}, "other params .*words: 60"),
        ({"chosen": [wb.Method("direct", "chain_of_thought")]}, "other protocol"),
    ],
)
def test_results_are_not_mixed_up(tmp_path: Path, options: dict[str, Any], what: str) -> None:
    """Runs of another model, seed or parameters are not taken for those that are wanted."""
    play(tmp_path, chosen="direct")
    lm = model()

    with pytest.raises(RunFileError, match=what):
        play(tmp_path, **{"chosen": "direct", "lm": lm, **options})
    assert [] == lm.asked


def test_many_runs_at_once(tmp_path: Path) -> None:
    """As many runs as wanted are under way together, and the results are the same."""
    under_way, most = 0, 0

    async def slow(asked: Asked) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        return json.dumps({"answer": "AB"[question_of(asked) % 2], "explanation": "so"})

    at_once = play(tmp_path / "a", wb.ScriptedLM(slow), chosen="direct,cot", runs_at_once=3)
    assert 3 == most
    one = play(tmp_path / "b", wb.ScriptedLM(slow), chosen="direct,cot")
    kept = ["method", "item", "answer", "outcome"]
    assert one.runs.select(kept).equals(at_once.runs.select(kept))
    with pytest.raises(ValueError, match="starts at 1"):
        play(tmp_path, runs_at_once=0)


def test_runs_under_way_go_on_later(tmp_path: Path) -> None:
    """When the model is down the runs beside are stopped where they are, and go on."""

    async def dies(asked: Asked) -> str:
        if "sample_1" in asked.path:
            await asyncio.sleep(0.01 * question_of(asked))
            raise LMError("down")
        return json.dumps({"answer": "A", "explanation": "so"})

    with pytest.raises(RunFailed, match="down"):
        play(tmp_path, wb.ScriptedLM(dies), chosen="vote:n=3", runs_at_once=4)
    lm = model()
    assert [4] == play(tmp_path, lm, chosen="vote:n=3").summary["right"].to_list()
    assert {"/turn=1/sample_1/answer/try=1"} == {asked.path for asked in lm.asked}


def test_what_cannot_be_run(tmp_path: Path) -> None:
    """Nothing is asked or written for what cannot be a benchmark."""
    with pytest.raises(ValueError, match="there is no item"):
        play(tmp_path / "x", items=[])
    with pytest.raises(ValueError, match="an item is there twice"):
        play(tmp_path / "x", items=[ITEMS[0], ITEMS[0].model_copy(deep=True)])
    with pytest.raises(ValueError, match="no method"):
        play(tmp_path / "x", chosen="")
    with pytest.raises(wb.UnknownProtocol):
        play(tmp_path / "x", chosen="direct,oracle")
    assert not (tmp_path / "x").exists()


def test_a_corpus_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a method searches is part of its parameters: another corpus is another benchmark."""
    monkeypatch.setattr("workbench.knowledge.embedding.MiniLM.installed", lambda: False)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.md").write_text("# A\n\nThe answer is a.\n")
    act = json.dumps({"thought": "t", "action": "search", "query": "answer"})
    lm = model(lambda a: act if "/act/" in a.path else None)
    options = {"chosen": f"react:corpus={library}:steps=1", "items": ITEMS[:1]}

    found = play(tmp_path / "out", lm, **options)
    started = wb.open_run(found.runs["file"][0]).started
    assert wb.Corpus.read(library).passport.sha256 == started.params["passport"]
    (library / "a.md").write_text("# A\n\nThe answer is b.\n")
    with pytest.raises(RunFileError, match=r"other params .*passport"):
        play(tmp_path / "out", lm, **options)


def mixed(asked: Asked) -> str:
    """Answer 1 rightly, 2 wrongly, 3 unreadably; a vote is always right."""
    if "sample" in asked.path:
        return "A"
    return {1: "A", 2: "B", 3: "no JSON"}.get(question_of(asked), "A")


def test_accuracy_is_of_what_could_be_judged(tmp_path: Path) -> None:
    """Unknown answers are in neither share, and the bounds say what they could make of it."""
    free = Item(question="Question 4?", options=("a", "b"), source="x:4")
    found = play(tmp_path, model(mixed), items=(*ITEMS[:3], free))
    direct, vote = found.summary.to_dicts()

    assert (2, 1, 1, 1, 1, 0) == tuple(
        direct[k] for k in "n right wrong unknown no_gold unfinished".split()
    )
    assert (0.5, 1 / 3, 2 / 3) == (direct["accuracy"], direct["at_least"], direct["at_most"])
    assert (0.0, 1.0) == (direct["lo"], direct["hi"])
    assert "about 50 times in 100" in direct["why"]
    assert (3, 1.0, None) == (vote["n"], vote["accuracy"], vote["lo"])
    assert "no interval: all 3 values are equal" in vote["why"]
    assert ["right", "wrong", "unknown", "no_gold"] == found.runs["outcome"][:4].to_list()
    assert [0, 0, 1, 0] == found.runs["unread"][:4].to_list()


def test_costs(tmp_path: Path) -> None:
    """Calls, tokens and seconds are means over complete runs."""
    found = play(tmp_path)
    direct, vote = found.summary.to_dicts()

    assert (1.0, 3.0) == (direct["calls"], vote["calls"])
    runs = [wb.open_run(file) for file in found.runs["file"][:4]]
    assert sum(r.usage.tokens_in + r.usage.tokens_out for r in runs) / 4 == direct["tokens"]
    assert 0 < direct["seconds"] < 5


def test_pairs_against_a_baseline(tmp_path: Path) -> None:
    """Only items that both methods answered readably are compared, in the order of pairs."""
    items = [
        Item(question=f"Question {n}?", options=YES_NO, answer="yes", kind="boolean", source=f"{n}")
        for n in range(1, 13)
    ]

    def says(asked: Asked) -> str:
        n = question_of(asked)
        if n == 12:
            return "no JSON"
        return "B" if answers_first(asked) and n <= 8 else "A"

    found = play(tmp_path, model(says), items=items, chosen="direct,cot")
    compared = found.compare("direct")
    (row,) = compared.frame.to_dicts()

    assert (11, 8, 0) == (row["n"], row["only_method"], row["only_baseline"])
    assert (8 / 11, 2 / 2**8) == pytest.approx((row["difference"], row["p"]))
    assert row["p"] == row["p_holm"]
    assert row["lo"] < 8 / 11 < row["hi"]
    assert (12, "") == (row["shared"], row["why"])
    assert row["tokens_ratio"] > 1
    assert "cot against direct" in str(compared)
    assert "+72.7" in str(compared)
    with pytest.raises(ValueError, match="no method 'maven'; there are direct, cot"):
        found.compare("maven")


def test_what_is_refused_in_a_comparison(tmp_path: Path) -> None:
    """Methods that never differ have no p and no interval, and the reason is told."""
    compared = play(tmp_path).compare("direct")
    (row,) = compared.frame.to_dicts()

    assert (None, None, None) == (row["p"], row["p_holm"], row["lo"])
    assert "no test: both are right, or both wrong, in all 4 pairs" in row["why"]
    assert "no interval" in str(compared)


def test_p_is_adjusted_for_the_number_of_methods(tmp_path: Path) -> None:
    """With two methods against the baseline, p is Holm's."""

    def says(asked: Asked) -> str:
        return "B" if answers_first(asked) else "A"

    items = [*ITEMS, *(i.model_copy(update={"source": f"y:{n}"}) for n, i in enumerate(ITEMS))]
    found = play(tmp_path, model(says), items=items, chosen="direct,cot,vote:n=1")

    rows = found.compare("direct").frame.to_dicts()
    assert [2 / 2**8] * 2 == [row["p"] for row in rows]
    assert [4 / 2**8] * 2 == [row["p_holm"] for row in rows]


def test_routes_are_counted(tmp_path: Path) -> None:
    """Of MAVEN it is told how many runs took which path."""

    def routes(asked: Asked) -> Any:
        from workbench.testing import imagined

        return imagined(asked)

    found = play(tmp_path, wb.ScriptedLM(routes), chosen="direct,maven")

    direct, maven = found.summary.to_dicts()
    assert 0 == direct["fast"] + direct["full"]
    assert 4 == maven["fast"] + maven["full"]


def test_a_folder_is_read_without_its_model(tmp_path: Path) -> None:
    """Results are of the files alone, finished or not; a label is kept where it is given."""
    found = play(tmp_path)
    next(tmp_path.glob("direct/*.run.jsonl")).unlink()

    again = wb.read_bench(tmp_path, "direct,vote:n=3")
    assert 1 == (again.runs["status"] == "missing").sum()
    assert found.summary["right"][1] == again.summary["right"][1]
    assert ["direct", "vote:n=3"] == wb.read_bench(tmp_path).summary["method"].to_list()
    with pytest.raises(wb.DatasetError, match="cannot be read"):
        wb.read_bench(tmp_path / "nothing")
    (tmp_path / "methods.json").write_text("[]")
    with pytest.raises(wb.DatasetError, match="not the methods"):
        wb.read_bench(tmp_path)


def test_a_judge_takes_what_a_benchmark_made(tmp_path: Path) -> None:
    """The runs of the methods go straight to the quality judge."""
    found = play(tmp_path)

    bound = wb.quality({method: found.open(method) for method in ("direct", "vote:n=3")})
    assert 4 == len(bound.params["panels"])


def test_faces(tmp_path: Path) -> None:
    """Results are told as text and as escaped HTML, and an unfinished benchmark too."""
    label = "direct:words=60"
    found = play(tmp_path, chosen=[wb.Method("<b>", "direct"), wb.Method.parse(label)])
    bundle = found._repr_mimebundle_()

    assert "<b>" not in bundle["text/html"].replace("&lt;b&gt;", "")
    assert "Intervals that overlap are not a test" in bundle["text/plain"]
    assert "Results(8 of 8 runs are complete)" == repr(found)
    compared = found.compare(label)
    assert "&lt;b&gt; against" in compared._repr_mimebundle_()["text/html"]
    assert "Comparisons(1 methods)" == repr(compared)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "items.jsonl").write_text(ITEMS[0].model_dump_json() + "\n")
    assert "unfinished" in str(wb.read_bench(tmp_path / "empty", "direct"))


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(10.0, 2.0)], 2.0),
        ([(10.0, 2.0), (10.5, 2.0)], 2.5),
        ([(10.0, 4.0), (9.0, 1.0)], 4.0),
        ([(10.0, 2.0), (1000.0, 3.0)], 5.0),
        ([(10.0, 2.0), (10.0, None)], None),
        ([], None),
    ],
)
def test_seconds(spans: list[tuple[float, float | None]], expected: float | None) -> None:
    """Calls at the same time count once, and a pause between calls does not count."""
    answers = [
        Answered(path=f"/{n}", text="", model="m", at=at, latency_s=latency)
        for n, (at, latency) in enumerate(spans)
    ]

    assert expected == busy_s(Run([RunStarted(protocol="toy", params={}), *answers]))
