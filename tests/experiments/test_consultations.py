"""Consultations of a labelled corpus: what is run again, what readers see, and what scores say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.errors import DatasetError, LMError, NonConformant, RunFailed, RunFileError
from workbench.experiments.consultation_scores import SCORES, ConsultationScores
from workbench.experiments.consultations import Consulted
from workbench.knowledge.embedding import MiniLM
from workbench.knowledge.labels import LabelledQuestion
from workbench.record.events import Asked
from workbench.stats.proportion import proportion

DOCUMENTS = {
    "notice.md": "# Notice\n\nThe notice of staff is 30 days.",
    "managers.md": "# Managers\n\nThe probation of managers, who lead staff, is 60 days.",
    "old.md": "Version: 1\n\n# Parking\n\nParking costs 4 pounds a day.",
    "new.md": "Version: 2\nReplaces: old.md\n\n# Parking\n\nParking costs 6 pounds a day.",
    "rooms.md": "# Rooms\n\nTeams meet biweekly.",
}
NOTICE, PROBATION, OLD, NEW, ROOMS = (
    f"{name}.md#p{n}"
    for name, n in (("notice", 1), ("managers", 1), ("old", 1), ("new", 1), ("rooms", 1))
)
CANARY = "a vermilion kestrel"
LABELS: list[dict[str, Any]] = [
    {
        "id": "A1",
        "question": "How long is the notice of staff?",
        "class": "overlap",
        "evidence": [{"passage": NOTICE, "quote": "30 days"}],
    },
    {
        "id": "A2",
        "question": "How long is the probation of managers?",
        "class": "unique",
        "evidence": [{"passage": PROBATION, "quote": "60 days"}],
    },
    {
        "id": "A3",
        "question": "What does parking cost a day?",
        "class": "divergence",
        "type": "temporal_conflict",
        "evidence": [
            {"passage": NEW, "quote": "6 pounds"},
            {"passage": OLD, "quote": "4 pounds"},
        ],
    },
    {
        "id": "A4",
        "question": "How often do teams meet?",
        "class": "divergence",
        "type": "corpus_ambiguity",
        "evidence": [{"passage": ROOMS, "quote": "biweekly"}],
    },
    {"id": "A5", "question": "May a dog come along?", "class": "absent", "evidence": []},
]


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLM, "installed", staticmethod(lambda: False))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Give a small corpus with questions and labels."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, "utf-8")
    asked = [{"id": one["id"], "question": one["question"]} for one in LABELS]
    labels = [
        {
            **{key: value for key, value in one.items() if key != "question"},
            "answers": [CANARY],
            "why": CANARY,
        }
        for one in LABELS
    ]
    for name, lines in (("questions", asked), ("labels", labels)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def two(**options: float) -> list[wb.ScriptedLM]:
    """Return readers of two families."""
    return [wb.rule_reader("north", **options), wb.rule_reader("south", **options)]


def play(corpus: Path, to: Path, lms: Any = None, **options: Any) -> ConsultationScores:
    """Run the benchmark."""
    return wb.bench_consultation_sync(corpus, lms or two(), to=to, **options)


def reporting(*findings: tuple[str, str], family: str = "north") -> wb.ScriptedLM:
    """Return a reader that has one conclusion on each of these passages, whatever is asked."""

    def report(asked: Asked) -> str:
        shown = {p.source: p.text.split()[1] for p in asked.parts if p.text.startswith("<passage")}
        return json.dumps(
            {
                "findings": [
                    {
                        "sub_query": "Q1",
                        "passages": [shown[passage]],
                        "conclusion": conclusion,
                        "confidence": "high",
                        "ambiguities": [],
                        "alternatives": [],
                    }
                    for passage, conclusion in findings
                    if passage in shown
                ]
            }
        )

    return wb.ScriptedLM(report, name=family, family=family)


def row(found: ConsultationScores, id: str) -> dict[str, Any]:
    """Return a question's row."""
    return next(one for one in found.questions.to_dicts() if one["id"] == id)


def test_one_file_a_question(corpus: Path, tmp_path: Path) -> None:
    """Each is a session like any other, isolated and conformant, in the corpus's order."""
    found = play(corpus, tmp_path / "new" / "out")

    files = sorted((tmp_path / "new" / "out").glob("*.run.jsonl"))
    assert ["A1", "A2", "A3", "A4", "A5"] == found.questions["id"].to_list()
    assert [str(file) for file in files] == found.questions["file"].to_list()
    assert all(wb.verify(file) and wb.isolation(wb.open_run(file)).is_empty() for file in files)
    assert found.questions["conformant"].all()
    assert SCORES == dict(found.questions.schema)


def test_what_is_right(corpus: Path, tmp_path: Path) -> None:
    """Three readers that quote: a plain fact, a superseded version, and nothing to find."""
    found = play(corpus, tmp_path / "out")

    told = {one["id"]: (one["found"], one["outcome"]) for one in found.questions.to_dicts()}
    assert ("overlap", "right") == told["A1"]
    assert ("overlap", "apart") == told["A2"]  # that all see it is no error of theirs
    assert ("divergence", "right") == told["A3"]
    assert ("overlap", "wrong") == told["A4"]  # nobody saw the other reading
    assert ("absent", "right") == told["A5"]
    assert ("temporal_conflict", True) == (
        row(found, "A3")["types"],
        row(found, "A3")["type_right"],
    )
    assert row(found, "A4")["flagged"]


def test_a_divergence_elsewhere_is_none_there(corpus: Path, tmp_path: Path) -> None:
    """The class of the session and the class at the labelled passage are told apart."""
    lms = [
        reporting((NOTICE, "The notice is 30 days."), (PROBATION, "The notice is 60 days.")),
        reporting(
            (NOTICE, "Notice: 30 days."), (PROBATION, "The notice is 90 days."), family="south"
        ),
    ]
    found = row(play(corpus, tmp_path / "out", lms, passages=9), "A1")

    assert ("divergence", "overlap", "wrong") == (found["found"], found["there"], found["outcome"])
    assert found["cited"]


def test_two_readers_on_two_passages_are_apart(corpus: Path, tmp_path: Path) -> None:
    """They have no passage in common to diverge on: neither a hit nor a miss."""
    labels = corpus / "labels.jsonl"
    text = labels.read_text("utf-8").replace('"temporal_conflict"', '"logical_contradiction"')
    labels.write_text(text, "utf-8")
    for name in ("old", "new"):
        plain = "# Parking\n\n" + DOCUMENTS[f"{name}.md"].rpartition("\n\n")[2]
        (corpus / f"{name}.md").write_text(plain + f"\n\nSee {name}.", "utf-8")
    lms = [
        reporting((OLD, "It costs 4 pounds.")),
        reporting((NEW, "It costs 6 pounds."), family="south"),
    ]
    found = play(corpus, tmp_path / "out", lms, n=3)

    assert "apart" == row(found, "A3")["outcome"]
    assert 1 == found.summary.filter(type="logical_contradiction")["apart"].item()


def test_what_is_done_is_not_done_again(corpus: Path, tmp_path: Path) -> None:
    """A second time nothing is asked, and the scores are the same."""
    first = play(corpus, tmp_path / "out")
    lms, did = two(), list[Consulted]()

    again = play(corpus, tmp_path / "out", lms, on_done=did.append)

    assert [] == [asked for lm in lms for asked in lm.asked]
    assert ["kept"] * 5 == [one.did for one in did]
    assert first.questions.equals(again.questions)


def test_one_that_was_stopped_goes_on(corpus: Path, tmp_path: Path) -> None:
    """An interpreter's endpoint fails in the middle: what was answered is not asked again."""
    down = wb.ScriptedLM(lambda _: LMError("down"), name="rules", family="south")
    with pytest.raises(RunFailed):
        play(corpus, tmp_path / "out", [two()[0], down])
    assert {"interrupted", "missing"} == set(
        wb.score_consultations(corpus, tmp_path / "out", ["A1", "A2", "A3", "A4"])
        .questions["status"]
        .to_list()
    )
    lms, did = two(), list[Consulted]()

    found = play(corpus, tmp_path / "out", lms, on_done=did.append)

    assert ["resumed"] * 3 + ["ran"] * 2 == [one.did for one in did]
    assert 2 * 2 == len(lms[0].asked)  # of the two sessions that had not begun
    assert {"complete"} == set(found.questions["status"])


def test_readers_never_see_the_labels(corpus: Path, tmp_path: Path) -> None:
    """No prompt, package or run file has a word of them, and runs need no labels at all."""
    lms = two()
    play(corpus, tmp_path / "with", lms)
    prompts = [part.text for lm in lms for asked in lm.asked for part in asked.parts]
    (corpus / "labels.jsonl").unlink()
    with pytest.raises(DatasetError, match="labels"):  # from the score, once all is run
        play(corpus, tmp_path / "without")

    assert prompts
    assert not any(CANARY in text for text in prompts)
    for file in (tmp_path / "with").glob("*.jsonl"):
        assert CANARY not in file.read_text("utf-8")
        assert wb.open_run(file).digest == wb.open_run(tmp_path / "without" / file.name).digest


def test_labels_are_no_document(corpus: Path) -> None:
    """A corpus does not read them as documents, under whatever question."""
    read = wb.Corpus.read(corpus)

    assert set(DOCUMENTS) == {document.id for document in read.documents}
    assert {"labels.jsonl", "questions.jsonl"} <= set(read.skipped)


def test_the_handbook_s_labels_are_not_read_either() -> None:
    """Of the real one as well: neither its labels nor the page that explains its traps."""
    folder = Path(__file__).parents[2] / "corpora" / "handbook"
    whole = "\n".join(passage.text for passage in wb.Corpus.read(folder).passages)

    labels: tuple[LabelledQuestion, ...] = wb.read_labels(folder)
    assert not [label.id for label in labels if label.why in whole]
    assert "The traps" not in whole


def test_a_comparer_has_runs_of_its_own(corpus: Path, tmp_path: Path) -> None:
    """It decides what rules leave open, and what it cost is counted."""
    lms = [
        reporting((ROOMS, "The chair decides it alone.")),
        reporting((ROOMS, "A vote of members settles it."), family="south"),
        reporting(family="east"),
    ]
    alone = play(corpus, tmp_path / "out", lms)
    judge = wb.ScriptedLM(lambda _: '{"reason": "Other ways.", "relation": "contradictory"}')

    found = play(corpus, tmp_path / "out", lms, comparer=judge)
    again = play(corpus, tmp_path / "out", lms, comparer=wb.ScriptedLM(lambda _: LMError("no")))

    assert ("unclassified", 1) == tuple(row(alone, "A4")[n] for n in ("there", "undecided"))
    assert ("divergence", "right") == tuple(row(found, "A4")[n] for n in ("found", "outcome"))
    assert row(found, "A4")["calls"] > row(alone, "A4")["calls"]
    assert found.questions.equals(again.questions)


def test_other_models_are_not_mixed_in(corpus: Path, tmp_path: Path) -> None:
    """A folder is of one set of models, options and one state of the corpus."""
    play(corpus, tmp_path / "out")
    for options in ({"words": 9}, {"seed": 1}, {"lms": [wb.rule_reader("east"), two()[1]]}):
        with pytest.raises(RunFileError, match="was made with other"):
            play(corpus, tmp_path / "out", **options)


def test_sessions_of_another_state_are_not_judged(corpus: Path, tmp_path: Path) -> None:
    """The labels are of the corpus as it is; what was read before is told as superseded."""
    play(corpus, tmp_path / "out")
    (corpus / "more.md").write_text("# More\n\nThere is more.", "utf-8")

    found = wb.score_consultations(corpus, tmp_path / "out")

    assert {"superseded"} == set(found.questions["status"])
    assert 5 == found.summary.filter(expected="all")["unfinished"].item()
    assert "5 superseded" in str(found)


def test_a_broken_file_is_told(corpus: Path, tmp_path: Path) -> None:
    """Scores of what there is: a damaged file and a missing one are counted, not judged."""
    play(corpus, tmp_path / "out")
    (tmp_path / "out" / "A1.run.jsonl").write_text("nothing", "utf-8")
    (tmp_path / "out" / "A2.run.jsonl").unlink()

    found = wb.score_consultations(corpus, tmp_path / "out", ["A1", "A2", "A3"])

    assert ["damaged", "missing", "complete"] == found.questions["status"].to_list()
    assert (1, 2) == found.summary.filter(expected="all").select("n", "unfinished").row(0)


def test_a_leak_makes_a_session_unjudged(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that was not isolated has no topology, so that nothing can be right in it."""
    from workbench.deliberation.consultation import synthesis as module
    from workbench.deliberation.consultation.isolation import Breach

    play(corpus, tmp_path / "out")
    breach = Breach("i", "reads_other", 2, "/interpreter=2/report/try=1", 7, "", "a leak")
    monkeypatch.setattr(module, "breaches", lambda run: [breach])

    found = wb.score_consultations(corpus, tmp_path / "out")

    assert {"invalid"} == set(found.questions["status"])
    assert {None} == set(found.questions["outcome"])


def test_nonconformant_sessions_say_so(corpus: Path, tmp_path: Path) -> None:
    """One family is refused, or runs with a mark in the notes."""
    one = [wb.rule_reader("north")]
    with pytest.raises(NonConformant):
        play(corpus, tmp_path / "out", one)
    found = play(corpus, tmp_path / "out", one, allow_nonconformant=True)

    assert found.notes[0].startswith("NON-CONFORMANT: 5")


def test_the_tables(corpus: Path, tmp_path: Path) -> None:
    """Each share has its n and interval, each class a row of the confusion, cost its parts."""
    found = play(corpus, tmp_path / "out")
    summary = {(r["expected"], r["type"]): r for r in found.summary.to_dicts()}
    confusion = {(r["expected"], r["type"]): r for r in found.confusion.to_dicts()}

    assert (4, 3, 1) == tuple(summary["all", None][name] for name in ("n", "right", "apart"))
    told = proportion(3, 4)
    assert (told.low, told.high) == (summary["all", None]["lo"], summary["all", None]["hi"])
    assert 1 == confusion["divergence", "temporal_conflict"]["divergence"]
    assert 1 == confusion["divergence", "temporal_conflict"]["temporal_conflict"]
    assert ("divergence", None) not in confusion
    assert (15, 0) == (found.cost["calls"], found.cost["tokens_cached"] or 0)
    text = str(found)
    for word in ("temporal_conflict", "Clopper-Pearson", "Cost of 5 sessions: 15 calls"):
        assert word in text
    assert "<script" not in found._repr_mimebundle_()["text/html"]
    assert "4 of 5" not in repr(found)


def test_wrong_arguments(corpus: Path, tmp_path: Path) -> None:
    """Nothing is asked."""
    with pytest.raises(ValueError, match="no question"):
        play(corpus, tmp_path, questions=())
    with pytest.raises(ValueError, match="runs_at_once"):
        play(corpus, tmp_path, runs_at_once=0)
