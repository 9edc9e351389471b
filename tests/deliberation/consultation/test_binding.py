"""Outputs are bound to a corpus version, and a changed byte anywhere is found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.deliberation.consultation.scripts import edited, play, write_corpus
from workbench.deliberation.consultation.synthesis import Synthesis
from workbench.errors import RunFileError
from workbench.record.events import Answered, Posted, Returned
from workbench.record.run import Run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the handbook's folder."""
    return write_corpus(tmp_path_factory.mktemp("binding") / "handbook")


@pytest.fixture(scope="module")
def session(corpus: Path) -> Run:
    """Return a session over it."""
    return play(corpus)


@pytest.fixture(scope="module")
def output(session: Run) -> Synthesis:
    """Return what it came to."""
    return wb.synthesis(session)


def whats(*args: Any) -> set[str]:
    """Return the kinds of what does not fit together."""
    return {found.what for found in wb.verify_output(*args)}


def test_everything_fits(corpus: Path, session: Run, output: Synthesis, tmp_path: Path) -> None:
    """Run, output, its file and corpus belong together."""
    file = wb.save_output(output, tmp_path / "x.output.json")

    assert [] == wb.verify_output(session, file, corpus)
    assert [] == wb.verify_output(session, output, wb.Corpus.read(corpus))
    assert wb.read_output(file) == {"digest": output.digest, **output.to_json()}
    with pytest.raises(FileExistsError):
        wb.save_output(output, file)


def test_an_output_is_current_until_the_corpus_changes(output: Synthesis, tmp_path: Path) -> None:
    """After any change, and also when a document is added, it says what it is valid for."""
    folder = write_corpus(tmp_path / "handbook")
    file = wb.save_output(output, tmp_path / "x.output.json")
    version = output.passport[:12]

    assert wb.is_current(output, folder)
    assert f"valid for corpus version {version}, which is current" == str(
        wb.is_current(file, folder)
    )
    (folder / "new.md").write_text("Something new.", encoding="utf-8")
    now = wb.Corpus.read(folder)
    told = wb.is_current(wb.read_output(file), now.passport)
    assert not told
    assert (
        f"valid for corpus version {version}, superseded by version {now.passport.sha256[:12]}"
        == str(told)
    )
    assert str(told) == str(wb.is_current(output, now))
    assert "superseded by a corpus that cannot be read" in str(
        wb.is_current(output, tmp_path / "nowhere")
    )


@pytest.mark.parametrize("name", ["notice.md", "managers.md", "leave.md"])
def test_a_changed_byte_in_the_corpus_is_found(
    session: Run, output: Synthesis, tmp_path: Path, name: str
) -> None:
    """One letter of any document."""
    folder = write_corpus(tmp_path / "handbook")
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_text(text.replace("notice of", "Notice of"), encoding="utf-8")

    assert {"corpus"} == whats(session, output, folder)


def first(text: str) -> str:
    """Return a text with another first letter."""
    return chr(ord(text[0]) ^ 1) + text[1:]


def passage_changed(event: Returned) -> Any:
    """Change a letter of a passage."""
    value = json.loads(json.dumps(event.value))
    value["passages"][0]["text"] = first(value["passages"][0]["text"])
    return value


@pytest.mark.parametrize(
    ("path", "kind", "fields", "what"),
    [
        ("/package", Returned, {"value": passage_changed}, "package"),
        ("/interpreter=1/report/try=1", Answered, {"text": lambda e: e.text + " "}, "output"),
        (
            "/interpreter=1/report/try=1",
            Answered,
            {"text": lambda e: e.text.replace("30 days", "31 days")},
            "report",
        ),
        (
            "/interpreter=2/interpretation",
            Posted,
            {"data": lambda e: json.loads(json.dumps(e.data).replace("60 days", "61 days"))},
            "report",
        ),
        (
            "/synthesis",
            Posted,
            {"data": lambda e: json.loads(json.dumps(e.data).replace("0.44", "0.45"))},
            "synthesis",
        ),
        ("/closing", Returned, {"value": {"sha256": "0" * 64, "error": ""}}, "synthesis"),
    ],
)
def test_a_changed_byte_in_the_run_is_found(
    session: Run, output: Synthesis, path: str, kind: type, fields: dict[str, Any], what: str
) -> None:
    """In package, reply, report or synthesis; what replay cannot see, the output's digest does."""
    changed = edited(session, path, kind, **fields)

    assert changed.digest != session.digest
    assert what in whats(changed, output)
    if what != "output":
        assert what in whats(changed)


def test_another_model_on_record_is_found(session: Run, output: Synthesis) -> None:
    """Replay asks no models, but the output names the run that had them."""
    told = {role: model | {"family": "other"} for role, model in session.started.models.items()}
    changed = Run([replace(session.started, models=told), *session.events[1:]])

    assert "output" in whats(changed, output)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(min_value=0), bit=st.integers(0, 6))
def test_any_changed_byte_of_an_output_is_found(
    session: Run, output: Synthesis, tmp_path: Path, place: int, bit: int
) -> None:
    """Every byte of the file counts, white space too."""
    file = tmp_path / f"{place}-{bit}.output.json"
    if file.exists():
        return
    wb.save_output(output, file)
    data = bytearray(file.read_bytes())
    data[place % len(data)] ^= 1 << bit
    file.write_bytes(data)

    assert "output" in whats(session, file)
    with pytest.raises(RunFileError):
        wb.read_output(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"passport": 3}', "[" * 100_000])
def test_what_is_no_output_is_refused(tmp_path: Path, text: str) -> None:
    """With the file's name."""
    file = tmp_path / "x.output.json"
    file.write_text(text)
    with pytest.raises(RunFileError, match=r"x\.output\.json"):
        wb.read_output(file)
    with pytest.raises(RunFileError):
        wb.is_current(file, tmp_path)


def test_an_output_of_another_session_is_found(corpus: Path, output: Synthesis) -> None:
    """It has its digest, but it is not what this run comes to."""
    other = play(corpus, seed=1)

    assert {"output"} == whats(other, output)


def test_a_changed_title_is_a_changed_corpus(tmp_path: Path) -> None:
    """A page's own title tells which document supersedes which, and stands in no passage."""
    page = "<title>{title}</title><p>Version: {n}</p><p>The notice of staff is {days} days.</p>"
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, n, days in (("a", 1, 30), ("b", 2, 60)):
        text = page.format(title="Notice", n=n, days=days)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    session = play(folder)
    output = wb.synthesis(session)
    assert [] == wb.verify_output(session, output, folder)
    before = wb.Corpus.read(folder)

    other = page.format(title="Another", n=2, days=60)
    (folder / "b.html").write_text(other, encoding="utf-8")
    after = wb.Corpus.read(folder)

    assert before.passages == after.passages
    assert ("b.html",) == before.passport.diff(after.passport).changed
    assert not wb.is_current(output, folder)
    assert {"corpus"} == whats(session, output, folder)
