"""Cases: read by name or folder, refused with the field, held to their passports."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.scripts import CASE, ROLES, agents, turn_of, write_case
from workbench.agents.bilayer import bilayer
from workbench.agents.case import Case, case_folder
from workbench.errors import CaseError, CorpusError, RunFailed
from workbench.knowledge.corpus import Corpus
from workbench.record.events import Asked

SHIPPED = {"aura_hub": 6, "vance_v_innovate": 5}


def changed(**fields: Any) -> dict[str, Any]:
    """Return the small case with some fields changed; None takes a field away."""
    return {k: v for k, v in {**deepcopy(CASE), **fields}.items() if v is not None}


@pytest.mark.parametrize(("name", "rules"), SHIPPED.items())
def test_shipped_cases(name: str, rules: int) -> None:
    """Each shipped case has its rules, three roles and at least eight documents."""
    case = Case.read(name)

    assert rules == len(case.rules)
    assert 3 == len(case.roles)
    assert case.source == name
    counts = [len(Corpus.read(case_folder(name), within=r.corpus).documents) for r in case.roles]
    assert min(counts) >= 1
    assert sum(counts) >= 8
    assert set(case.passports) == {role.corpus for role in case.roles}
    assert {64} == {len(passport) for passport in case.passports.values()}


@pytest.mark.parametrize("name", SHIPPED)
def test_labelled_statements(name: str) -> None:
    """Labelled statements refer to rules of their case, and some keep all of them."""
    known = {rule.id for rule in Case.read(name).rules}
    path = case_folder(name) / "labelled_statements.json"
    labelled = json.loads(path.read_text("utf-8"))

    assert {rule for one in labelled for rule in one["rule_violations"]} <= known
    assert len({one["id"] for one in labelled}) == len(labelled)
    assert any(not one["rule_violations"] for one in labelled)
    assert all(one["text"].strip() for one in labelled)


def test_the_silence_about_lumasphere() -> None:
    """The rival of which the corpus says almost nothing is in exactly two documents."""
    documents = Corpus.read(case_folder("aura_hub")).documents

    named = [d.id for d in documents if "LumaSphere" in d.text and not d.id.endswith("README.md")]

    assert 2 == len(named)


def test_read_by_name_from_a_folder_of_ones_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WORKBENCH_CORPORA comes before the workbench's own cases, and both are known."""
    monkeypatch.setenv("WORKBENCH_CORPORA", str(folder.parent))

    assert "picnic" == Case.read("picnic").source
    with pytest.raises(CaseError) as refused:
        Case.read("picknick")
    assert str(refused.value).startswith("no case 'picknick' (nor ")
    assert str(refused.value).endswith("; there are aura_hub, picnic, vance_v_innovate")


def test_a_case_in_two_places_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case of one's own with a shipped case's name wins, and is not listed twice."""
    write_case(tmp_path / "aura_hub")
    monkeypatch.setenv("WORKBENCH_CORPORA", str(tmp_path))

    assert "picnic" == Case.read("aura_hub").name
    with pytest.raises(CaseError, match=r"there are aura_hub, vance_v_innovate$"):
        Case.read("nope")


def test_read_by_folder(folder: Path) -> None:
    """A case read from a folder has that folder as its source."""
    assert str(folder) == Case.read(folder).source
    assert Case.read(str(folder)) == Case.read(folder)


def test_folder_without_a_case(tmp_path: Path) -> None:
    """A folder without case.json is told to be no case."""
    with pytest.raises(CaseError, match=r"has no case\.json"):
        Case.read(tmp_path)


@pytest.mark.parametrize("source", ["", "../aura_hub/..", "a/b", "x\0y"])
def test_odd_names(source: str) -> None:
    """Odd names are refused as unknown, whatever they hold."""
    with pytest.raises(CaseError):
        Case.read(source)


@pytest.mark.parametrize(
    "text",
    [b"{", b"", b"\xff\xfe", b"[" * 100_000, b'{"name": "a", "name": "b"}'],
    ids=["cut", "empty", "not utf-8", "deep", "a key twice"],
)
def test_broken_json(folder: Path, text: bytes) -> None:
    """A case.json that is not JSON, or would lose one of two values, names the file."""
    (folder / "case.json").write_bytes(text)

    with pytest.raises(CaseError, match=r"case\.json: cannot be read: "):
        Case.read(folder)


def test_a_list_is_no_case(folder: Path) -> None:
    """JSON of another shape is refused as a case."""
    (folder / "case.json").write_text("[]")

    with pytest.raises(CaseError, match="the case"):
        Case.read(folder)


RULE, ROLE = CASE["rules"][0], CASE["roles"][0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (changed(rules=None), "rules: Field required"),
        (changed(roles=None), "roles: Field required"),
        (changed(phases=None), "phases: Field required"),
        (changed(name=None), "name: Field required"),
        (changed(brief=" "), "brief: String should have at least 1 character"),
        (changed(rules=[]), "rules: Tuple should have at least 1 item"),
        (changed(roles=[]), "roles: Tuple should have at least 1 item"),
        (changed(phases=[]), "phases: Tuple should have at least 1 item"),
        (changed(phases=["Plan", " "]), r"phases\.1: String should have at least 1 character"),
        (changed(rules=[RULE, RULE]), "the rule R1 is there twice"),
        (changed(roles=[ROLE, ROLE]), "the role analyst is there twice"),
        (changed(phases=["Plan", "Plan"]), "the phase Plan is there twice"),
        (changed(colour="red"), "colour: Extra inputs are not permitted"),
        (changed(rules=[{**RULE, "id": "r1"}]), r"rules\.0\.id: String should match"),
        (changed(rules=[{**RULE, "text": ""}]), r"rules\.0\.text: String should have"),
        (changed(roles=[{**ROLE, "name": "An Analyst"}]), r"roles\.0\.name: String should match"),
        (changed(roles=[{**ROLE, "name": "a/b"}]), r"roles\.0\.name: String should match"),
        (changed(roles=[{**ROLE, "name": "meta_agent"}]), "meta_agent leads the team"),
        (changed(roles=[{**ROLE, "hat": "red"}]), r"roles\.0\.hat: Extra inputs"),
    ],
)
def test_malformed_cases(folder: Path, given: dict[str, Any], told: str) -> None:
    """A missing, empty, repeated, unknown or ill-named field is named in the message."""
    write_case(folder, given, documents=False)

    with pytest.raises(CaseError, match=rf"case\.json: .*{told}"):
        Case.read(folder)


@pytest.mark.parametrize("corpus", ["nowhere", "../picnic/analyst", "/etc", "."])
def test_corpus_outside_or_missing(folder: Path, corpus: str) -> None:
    """A role's corpus is a folder inside the case; anything else is refused."""
    write_case(folder, changed(roles=[{**ROLE, "corpus": corpus}]))

    with pytest.raises(CorpusError):
        Case.read(folder)


def test_role_by_name(case: Case) -> None:
    """A role is found by name, and an unknown one tells the known."""
    assert "Buyer" == case.role("buyer").title
    with pytest.raises(KeyError, match="no role 'cook'; there are analyst, buyer, critic"):
        case.role("cook")


def test_case_survives_a_runs_params(case: Case, tmp_path: Path) -> None:
    """A case comes out of a run's file equal to what went in, and makes the same parameters."""
    run = wb.run_sync(bilayer(case, turns=1), lm=agents(), to=tmp_path / "a.run.jsonl")

    stored = wb.open_run(tmp_path / "a.run.jsonl").started.params["case"]

    assert case == Case.model_validate(stored)
    assert bilayer(Case.model_validate(stored), turns=1).params == run.started.params


def killed_after_turn_one(folder: Path, to: Path) -> None:
    """Leave a run of two turns whose model failed in the second, before its searches."""

    def dies(asked: Asked) -> None:
        if turn_of(asked) == 2 and asked.schema and asked.schema["title"] == "Queries":
            raise RuntimeError("no more")

    with pytest.raises(RunFailed):
        wb.run_sync(bilayer(Case.read(folder), turns=2), lm=agents(dies), to=to)


@pytest.mark.parametrize("source", ["x" * 5000, "x/" * 5000, "a\0b"])
def test_names_that_no_file_has(source: str) -> None:
    """What the system takes for no name is no case."""
    with pytest.raises(CaseError, match=r"too long|no case"):
        Case.read(source)


def test_changed_document_is_refused_on_resume(folder: Path, tmp_path: Path) -> None:
    """A document changed after the run began stops the resume, with both passports told."""
    file = tmp_path / "a.run.jsonl"
    killed_after_turn_one(folder, file)
    before = Case.read(folder).passports["buyer"]
    (folder / "buyer" / "notes.md").write_text("The buyer counts 400 dollars.")
    after = Case.read(folder).passports["buyer"]

    with pytest.raises(RunFailed) as refused:
        wb.wait(wb.resume(file, lm=agents()))

    assert isinstance(refused.value.__cause__, CorpusError)
    assert before[:12] in str(refused.value)
    assert after[:12] in str(refused.value)
    assert "/turn=2/buyer/search=1" in str(refused.value)


@pytest.mark.parametrize("go_on", ["resume", "fork", "session", "rerun"])
def test_a_case_that_is_elsewhere(
    go_on: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case read by a relative path is looked for before anything is sent, also by the run."""
    monkeypatch.chdir(folder.parent)
    file = tmp_path / "runs" / "a.run.jsonl"
    file.parent.mkdir()
    killed_after_turn_one(Path(folder.name), file)
    monkeypatch.chdir(file.parent)
    lm, to = agents(), file.parent / "b.run.jsonl"

    def again() -> wb.Run:
        match go_on:
            case "resume":
                return wb.wait(wb.resume(file, lm=lm))
            case "fork":
                return wb.wait(wb.fork(file, lm=lm, to=to))
            case "rerun":
                return wb.wait(wb.rerun(file, lm=lm, to=to))
        session = wb.Session(file, lm=lm)
        session.play()
        return session.run

    before = file.read_bytes()
    with pytest.raises(CaseError, match="no case 'picnic'") as refused:
        again()
    assert str(file.parent / folder.name) in str(refused.value)
    assert before == file.read_bytes()
    assert not to.exists()
    folder.rename(file.parent / folder.name)
    monkeypatch.chdir(tmp_path)

    assert "complete" == again().status


def test_resume_goes_on_when_the_document_is_restored(folder: Path, tmp_path: Path) -> None:
    """A resume that was refused for a changed document goes on once it is as it was."""
    file, path = tmp_path / "a.run.jsonl", folder / "buyer" / "notes.md"
    killed_after_turn_one(folder, file)
    text = path.read_text()
    path.write_text("changed")
    with pytest.raises(RunFailed):
        wb.wait(wb.resume(file, lm=agents()))
    path.write_text(text)

    assert "complete" == wb.wait(wb.resume(file, lm=agents())).status


def test_a_new_run_reads_changed_documents(folder: Path) -> None:
    """A new run in the same process searches the documents as they are now."""
    wb.run_sync(bilayer(Case.read(folder), turns=1), lm=agents())
    (folder / "buyer" / "notes.md").write_text("Bread and cheese cost 77 dollars now.")

    run = wb.run_sync(bilayer(Case.read(folder), turns=1), lm=agents())

    found = run.answers["/turn=1/buyer/search=1"]
    assert isinstance(found, wb.Returned)
    assert "77 dollars" in found.value[0]["text"]


def test_search_of_an_unknown_corpus(case: Case) -> None:
    """The search tool names what there is when it is asked for an unknown corpus."""
    search = case.world()["search"]

    with pytest.raises(CorpusError, match="analyst, buyer, critic"):
        wb.wait(search(query="bread", corpus="cook"))  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["bread", "\0\x1b[31m", "\u202e", "?" * 120, "日本"])
def test_search_with_odd_queries(case: Case, query: str) -> None:
    """Whatever an agent searches for, the tool returns a list of passages."""
    hits = wb.wait(case.world()["search"](query=query, corpus=ROLES[0]))  # type: ignore[arg-type]

    assert isinstance(hits, list)
