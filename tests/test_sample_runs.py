"""Every recorded run opens, follows from its answers, and can be seen in every view."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.record.run import Run
from workbench.views.html import run_html
from workbench.views.picture import run_svg
from workbench.views.report import report_html
from workbench.views.terminal import full, story

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "sample_runs").rglob("*.run.jsonl"))
NAMES = [file.name for file in FILES]


@pytest.fixture(params=FILES, ids=NAMES)
def run(request: pytest.FixtureRequest) -> Run:
    """Return a recorded run."""
    return wb.open_run(request.param)


def test_there_are_some() -> None:
    """Each case has a run and its audit, and a page that says how they were made."""
    folders = {file.parent for file in FILES}

    assert {"aura_hub", "conditions", "vance_v_innovate"} <= {folder.name for folder in folders}
    for folder in folders:
        assert (folder / "README.md").is_file()


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_verified(file: Path) -> None:
    """A recorded run follows from its answers, to the last event."""
    assert wb.verify(file)


def test_real_and_whole(run: Run) -> None:
    """A recorded run was answered by the embedded model and came to its end."""
    assert "complete" == run.status
    assert {"local"} == {model["kind"] for model in run.started.models.values()}
    is_idle = run.started.protocol == "comparison" and not run.started.params["pairs"]
    assert is_idle or run.usage.tokens_out > 0


def test_views(run: Run) -> None:
    """Every view shows every recorded run, with nothing from outside."""
    subject = run.started.subject
    pages = [run_html(run), run_svg(run)]
    if subject is None:
        audits = (a for a in map(wb.open_run, FILES) if a.started.subject == run.digest)
        pages.append(report_html(run, next(audits, None)))
    for page in pages:
        assert "<script" not in page
        assert 'src="http' not in page
    assert list(story(run))
    assert all(full(run, path) for path in run.commands)
    assert wb.tables(run).runs.height == 1
    assert not wb.diff(run, run)


def test_audits_name_their_subject() -> None:
    """The subject of each audit is one of the recorded runs, unchanged since."""
    runs = [wb.open_run(file) for file in FILES]
    digests = {run.digest for run in runs if run.started.subject is None}

    about = ("audit", "comparison")
    assert digests >= {run.started.subject for run in runs if run.started.protocol in about}


def test_calibrations_are_of_the_labelled_statements(run: Run) -> None:
    """What a recorded calibration judged is what the case's statements say today."""
    if run.started.protocol != "calibration":
        pytest.skip("not a calibration")
    assert run.path is not None
    labels = wb.read_statements(run.path.parent.name)

    found = wb.diagnostic_accuracy(run, labels).statements

    assert len(labels) == found.n + found.unknown


def test_first_passages_are_in_the_corpus(run: Run) -> None:
    """What a recorded search found is what the case's documents hold today."""
    if run.started.protocol != "bilayer":
        pytest.skip("an audit searches nothing")
    case = wb.Case.read(run.started.params["case"]["name"])

    assert run.started.params["case"]["passports"] == case.passports


def test_consultations_are_isolated_and_bound(run: Run) -> None:
    """A recorded consultation kept the contract, and is what its output says, of today's corpus."""
    if run.started.protocol != "consultation":
        pytest.skip("no consultation")
    assert run.path is not None
    stem, corpus = run.path.name.removesuffix(".run.jsonl"), ROOT / "corpora" / "handbook"
    file = run.path.with_name(f"{stem}.output.json")
    compared = run.path.with_name(f"{stem}.comparison.run.jsonl")
    comparison = wb.open_run(compared) if compared.exists() else None
    alike = run.path.parent.name == "alike"  # one family, on purpose

    made = wb.synthesis(run, comparison)
    output = file if file.exists() else made

    assert wb.isolation(run).is_empty()
    assert (True, alike) == (made.valid, bool(made.nonconformant))
    assert 2 - alike == len(set(made.families.values()))
    assert [] == wb.verify_output(run, output, corpus, comparison)
    assert wb.is_current(output, corpus)
