"""`workbench passport`: a corpus's passport, its versions, and what changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside a corpus with two versions and a copy."""
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "corpus"
    root.mkdir()
    for name, text in {
        "a_v1.md": "# A\n\nNotice is given four weeks ahead.",
        "a_v2.md": "# A\n\nNotice is given eight weeks ahead.",
        "b.md": "# B\n\nReplaces: nothing.md\n\nText is here.",
        "c.md": "# B\n\nReplaces: nothing.md\n\nText is here.",
    }.items():
        (root / name).write_text(text, "utf-8")
    return root


def test_what_a_corpus_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Versions, copies and problems are told."""
    assert 0 == main(["passport", "corpus"])
    said = capsys.readouterr().out.splitlines()

    assert said[0].startswith("passport ")
    assert "4 documents, 4 passages" == said[1]
    assert "a_v2.md supersedes a_v1.md (name)" in said
    assert "one content: b.md, c.md" in said
    assert any(line.startswith("problem: b.md says that it supersedes") for line in said)


def test_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The passport itself, and what was left out of it, by a name that a terminal may be shown."""
    (folder / "picture\x1b[31m.png").write_bytes(b"\x89PNG")
    assert 0 == main(["passport", "corpus"])
    said = capsys.readouterr().out
    assert 0 == main(["passport", "corpus", "--json"])
    told = json.loads(capsys.readouterr().out)

    assert "\x1b" not in said
    assert "left out: picture" in said
    assert f"passport {told['sha256']}\n" in said
    assert ["a_v1.md", "a_v2.md", "b.md", "c.md"] == sorted(told["documents"])
    assert (4, ["picture\x1b[31m.png"]) == (told["passages"], list(told["skipped"]))


def test_what_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A passport that was written is compared, and exit code 1 says that it is superseded."""
    assert 0 == main(["passport", "corpus", "--out", "then.json"])
    assert 0 == main(["passport", "corpus", "--against", "then.json"])
    assert "what is bound to it is current" in capsys.readouterr().out
    (folder / "a_v2.md").write_text("# A\n\nNotice is given nine weeks ahead.", "utf-8")
    assert 1 == main(["passport", "corpus", "--against", "then.json", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (["a_v2.md"], False) == (told["against"]["changed"], told["against"]["same"])
    assert 1 == main(["passport", "corpus", "--against", "then.json"])
    assert "superseded: what is bound to it\nchanged: a_v2.md" in capsys.readouterr().out


def test_against_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Passages are told as well."""
    other = folder.parent / "other"
    other.mkdir()
    (other / "b.md").write_text("Another text.", "utf-8")

    assert 1 == main(["passport", "corpus", "--against", "other"])
    assert "no longer reads as it did: b.md#p1" in capsys.readouterr().out


def test_structure_and_coherence(capsys: pytest.CaptureFixture[str]) -> None:
    """Claims and what does not hold together, as text and JSON."""
    assert 0 == main(["passport", "corpus", "--coherence"])
    assert "superseded (numbers)" in capsys.readouterr().out
    assert 0 == main(["passport", "corpus", "--structure", "--json"])
    assert 4 == len(json.loads(capsys.readouterr().out)["structure"]["claims"])


def test_coherence_as_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The map with the passport on it; an earlier page is replaced, as a report is."""
    for _ in range(2):
        assert 0 == main(["passport", "corpus", "--coherence", "--html", "pages/map.html"])
    said = capsys.readouterr().out
    page = (folder.parent / "pages" / "map.html").read_text("utf-8")
    assert 0 == main(["passport", "corpus", "--coherence", "--html", "map.html", "--json"])
    told = json.loads(capsys.readouterr().out)

    assert "written: pages/map.html" in said
    assert page.startswith("<!DOCTYPE html>")
    assert f"passport {told['sha256']}" in page
    assert "a_v2.md supersedes a_v1.md (name)" in page
    assert "Notice is given eight weeks ahead." in page
    assert "map.html" == told["html"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--html", "map.html"], 2, "--html goes with --coherence"),
        (["--html", "map.html", "--structure"], 2, "--html goes with --coherence"),
        (["--coherence", "--html", "corpus/map.html"], 2, "in the corpus it would be"),
        (["--coherence", "--html", "a.json", "--out", "a.json"], 2, "the place of a passport"),
        (["--coherence", "--html", "a.run.jsonl"], 4, "is for runs"),
    ],
)
def test_where_no_page_is_written(
    words: list[str], code: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused in one sentence, and nothing is written."""
    assert code == main(["passport", "corpus", *words])
    told = capsys.readouterr().err

    assert said in told
    assert 1 == len(told.splitlines())
    assert ["corpus"] == [path.name for path in folder.parent.iterdir()]
    assert 4 == len(list(folder.iterdir()))


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("{}", 4, "not a passport"),
        ("[" * 100_000, 4, "not a passport"),
        ("\x00", 4, "not a passport"),
        (None, 4, "No such file"),
    ],
)
def test_what_is_no_passport(
    text: str | None, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused by name."""
    if text is not None:
        Path("then.json").write_text(text, "utf-8")

    assert code == main(["passport", "corpus", "--against", "then.json"])
    assert said in capsys.readouterr().err


def test_a_damaged_passport_and_one_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """A changed byte is found; an earlier passport is not written over."""
    main(["passport", "corpus", "--out", "then.json"])
    assert 2 == main(["passport", "corpus", "--out", "then.json"])
    then = Path("then.json")
    told = json.loads(then.read_text("utf-8"))
    told["documents"]["b.md"] = "0" * 64
    then.write_text(json.dumps(told), "utf-8")

    assert 4 == main(["passport", "corpus", "--against", "then.json"])
    assert "a damaged passport" in capsys.readouterr().err
