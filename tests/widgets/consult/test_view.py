"""A consultation in a real browser: by keys and pointer, marks, a broken session, sizes, looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import workbench_widgets as ww
from tests.deliberation.consultation import scripts
from tests.deliberation.consultation.scripts import NOTICE
from tests.widgets.consult import sessions
from tests.widgets.consult.columns import astray
from tests.widgets.mounted import at, mounted, shot
from workbench.record.run import Run
from workbench.views.consultation.page import consultation_html
from workbench_widgets.consult import payload
from workbench_widgets.consult.source import ConsultSource
from workbench_widgets.shared.source import BUDGET

pytestmark = pytest.mark.browser

Make = Callable[[Path], Run]


def view(page: Page, folder: Path, make: Make, corpus: Path | None = None, **options: Any) -> Run:
    """Open a session."""
    run = make(folder)
    mounted(page, payload, ConsultSource(run, None, corpus), folder, **options)
    page.wait_for_selector(".wbw-consult h3")
    return run


def panel(page: Page) -> str:
    """Return what is told of what is chosen."""
    return page.locator(".wbw-consult-panel").inner_text()


def focused(page: Page) -> str:
    """Return the name of the element that has the focus."""
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )


def test_by_keys_from_passage_to_cell_to_interpreter(page: Page, tmp_path: Path) -> None:
    """Arrows move in the grid, Enter opens; one stop of the Tab key."""
    view(page, tmp_path, sessions.usual)
    grid = page.get_by_role("grid")
    assert 1 == grid.locator("[tabindex='0']").count()
    grid.locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    assert panel(page).startswith("Findings on notice.md#p1 3")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "interpreter 2: 1 divergence" == focused(page)
    page.keyboard.press(" ")
    assert panel(page).startswith("Findings of interpreter 2 on notice.md#p1 1")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    assert focused(page).startswith("interpreter 3, qwen-1b, qwen")
    page.keyboard.press("Enter")
    told = panel(page)
    assert told.startswith("Findings of interpreter 3 2")
    for words in ("P99", "is nothing that it was given", "Ambiguities", "confidence is low"):
        assert words in told
    assert page.errors == []  # type: ignore[attr-defined]


def test_the_graph_by_keys_and_pointer(page: Page, tmp_path: Path) -> None:
    """From node to node; a row opens with its score in parts, classes and ties."""
    run = view(page, tmp_path, sessions.usual)
    page.locator(".wbw-consult-node[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert focused(page).startswith("finding 2.1 of interpreter 2: divergence")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert focused(page).startswith("finding 3.1 of interpreter 3")
    page.keyboard.press("Enter")
    told = panel(page)

    for words in ("Row C1", "overlap share", "0.67", "0.33", "0.44", "divergence, overlap", "2.1"):
        assert words in told
    page.locator(".wbw-consult-panel").get_by_role("button", name="event").last.click()
    assert "/interpreter=3/interpretation" == run.events[at(page)].path  # type: ignore[union-attr]
    page.get_by_role("button", name="3.2 unique").click()
    assert panel(page).startswith("Row 3.2 1")
    assert "Structural confidence" not in panel(page)


def test_a_divergence_report_has_both_readings(page: Page, tmp_path: Path) -> None:
    """Side by side, with type, passage and recommended action."""
    view(page, tmp_path, sessions.versions)
    report = page.get_by_role("article", name="D1: temporal conflict")
    left, right = (box.bounding_box() for box in report.locator("blockquote").all())

    assert "mark the superseded version" in report.inner_text()
    assert left
    assert right
    assert (left["y"], True) == (right["y"], right["x"] > left["x"])
    old = page.get_by_role("rowheader", name="people/annual_leave_2023.md#p1")
    assert "superseded by people/annual_leave_2025.md#p1" in old.inner_text()


def test_undecided_readings_are_not_called_one(page: Page, tmp_path: Path) -> None:
    """Where nobody compared them there is no report, and that is no agreement."""
    said = ["Notice is 30 days."] * 2 + ["The notice period is sixty days."] * 2
    families = ("qwen", "smol") * 2
    lms = scripts.models(*([scripts.told(t, NOTICE)] for t in said), families=families)
    corpus = scripts.write_corpus(tmp_path / "handbook")
    run = scripts.play(corpus, lms, families=families)
    mounted(page, payload, ConsultSource(run, None, None), tmp_path)

    reports = page.get_by_role("region", name="Divergence reports")
    reports.get_by_text("None, but 1 pair of readings is undecided.").wait_for()


def test_a_broken_session_shows_no_topology(page: Page, tmp_path: Path) -> None:
    """The part that broke it is named and leads to its event; there is no class and no score."""
    run = view(page, tmp_path, sessions.broken)
    words = page.locator(".wbw-consult").inner_text()

    assert "INVALID: isolation condition (i) is broken" in words
    assert "None is shown: isolation was broken" in words
    assert (
        0 == page.locator(".wbw-consult-graph, .wbw-consult-report, .wbw-consult-overlap").count()
    )
    assert 2 == page.get_by_text("✗ broken (1)").count()
    assert 3 == page.get_by_text("not shown", exact=True).count()
    page.locator(".wbw-consult-breaches button").click()
    assert "/interpreter=2/report/try=1" == run.events[at(page)].path  # type: ignore[union-attr]


def test_a_superseded_corpus_and_a_lost_reader(page: Page, tmp_path: Path) -> None:
    """Both are said at the head, in words, and at the column."""
    marks = page.locator(".wbw-consult-marks")
    view(page, tmp_path, sessions.usual, corpus=tmp_path / "elsewhere")
    assert "SUPERSEDED: valid for corpus version" in marks.inner_text()
    view(page, tmp_path, sessions.lost)
    assert "2 interpreters, and 3 are the least" in marks.inner_text()
    page.get_by_role("columnheader", name="interpreter 3, qwen-1b, qwen: the reply").click()
    assert "lost: the reply holds no JSON object" in panel(page)


@pytest.mark.parametrize(
    "make", [sessions.empty, sessions.verified, sessions.diverse, sessions.alike]
)
def test_every_kind_of_session(page: Page, tmp_path: Path, make: Make) -> None:
    """Nothing found, a verification, paths of their own, all alike: all of it is shown."""
    view(page, tmp_path, make)
    page.get_by_role("grid").locator("[tabindex='0']").click()

    assert "✓ kept" in page.locator(".wbw-consult-proof").inner_text()
    assert page.locator("[role=alert]").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", [sessions.refused, sessions.spent])
def test_a_session_that_stopped_says_why(page: Page, tmp_path: Path, make: Make) -> None:
    """In the widget, in its face and on the page: what failed, and what it said."""
    run = view(page, tmp_path, make)
    (failed,) = run.failures.values()
    told = f"STOPPED: {failed.error}: {failed.message}"
    assert told in page.locator(".wbw-consult-marks").inner_text()
    assert told in ww.Consultation(run).face()
    assert told[:100] in consultation_html(run)
    shot(page, f"consult-stopped-{failed.error}")


@pytest.mark.parametrize("cut", [1, 3, 6, 9])
def test_an_unfinished_session(page: Page, tmp_path: Path, cut: int) -> None:
    """What there is is shown, and that there is more to come."""
    view(page, tmp_path, lambda folder: sessions.usual(folder).before(cut))
    words = page.locator(".wbw-consult").inner_text()

    assert "INCOMPLETE" in words or "no retrieval package" in words
    assert page.errors == []  # type: ignore[attr-defined]


def test_a_large_session_comes_page_by_page(page: Page, tmp_path: Path) -> None:
    """2,000 findings over 500 passages: what was not shipped is asked for."""
    view(page, tmp_path, sessions.large, budget=BUDGET)
    page.get_by_role("button", name="more of 500 passages").click()
    page.wait_for_function("document.querySelectorAll('.wbw-consult-grid tbody tr').length === 80")
    page.get_by_role("rowheader", name="d079.md#p1").click()
    page.wait_for_selector(".wbw-consult-finding")

    assert "d079.md#p1" in panel(page)
    page.get_by_role("columnheader", name="interpreter 10").click()
    page.locator(".wbw-consult-panel").get_by_role("button", name="Show 20 more").click()
    page.wait_for_function("document.querySelectorAll('.wbw-consult-finding').length === 40")
    page.get_by_role("button", name="more of 505 rows").click()
    page.wait_for_function("document.querySelectorAll('.wbw-consult-graph li').length === 48")
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["usual", "broken", "versions"])
@pytest.mark.parametrize("dark", [False, True])
def test_looks(page: Page, tmp_path: Path, name: str, dark: bool) -> None:
    """Light, dark, 360 pixels wide and large type; nothing is wider than the page."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    kind = "dark" if dark else "light"
    for size, options in ((1280, {}), (360, {}), (1280, {"presenter": True})):
        folder = tmp_path / f"{size}{len(options)}"
        folder.mkdir()
        page.set_viewport_size({"width": size, "height": 900})
        view(page, folder, getattr(sessions, name), **options)
        page.get_by_role("gridcell", name="interpreter 3: ").last.click()
        shot(page, f"consult-{name}-{kind}-{'presenter' if options else size}")

        assert size == page.evaluate("document.documentElement.scrollWidth")


@pytest.mark.parametrize("size", [360, 1280])
@pytest.mark.parametrize("presenter", [False, True])
def test_no_score_without_its_classes(
    page: Page, tmp_path: Path, size: int, presenter: bool
) -> None:
    """What a row tells is seen in full, beside its nodes, however narrow the view."""
    page.set_viewport_size({"width": size, "height": 900})
    view(page, tmp_path, sessions.usual, presenter=presenter)
    page.wait_for_function("document.querySelector('.wbw-consult-graph').style.length > 0")
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".wbw-consult-row > *")].filter((told) => {
      const [mine, row] = [told, told.closest("li")].map((one) => one.getBoundingClientRect());
      return mine.top < row.top || mine.bottom > row.bottom || mine.right > row.right + 1;
    }).map((told) => told.textContent)"""
    )
    assert cut == []
    assert "divergence, overlap" in page.locator(".wbw-consult-row", has_text="0.44").inner_text()
    apart = page.evaluate(
        """() => [...document.querySelectorAll(".wbw-consult-node")].map((node) => {
      const row = node.getAttribute("aria-label").split(" in row ")[1];
      const told = [...document.querySelectorAll(".wbw-consult-graph li")].find(
        (one) => one.querySelector("strong").textContent === row);
      const [mine, theirs] = [node, told].map((one) => one.getBoundingClientRect());
      const middle = mine.top + mine.height / 2;
      return middle > theirs.top && middle < theirs.bottom;
    })"""
    )
    assert apart
    assert all(apart)
    shot(page, f"consult-score-{size}{'-presenter' if presenter else ''}")


def recorded(page: Page, folder: Path, name: str) -> None:
    """Open a recorded session."""
    run = Path("sample_runs/handbook") / name
    mounted(
        page,
        payload,
        ConsultSource(
            run.with_suffix(".run.jsonl"), run.with_suffix(".comparison.run.jsonl"), None
        ),
        folder,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 480, 1280])
@pytest.mark.parametrize("name", ["annual_leave", "hours", "notice"])
def test_marks_stand_under_their_interpreter(
    page: Page, tmp_path: Path, name: str, width: int, scheme: str
) -> None:
    """Also where the grid is narrow, and its rows are two lines each."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    recorded(page, tmp_path, name)

    assert astray(page) == []
    shot(page, f"consult-{name}-{width}-{scheme}")


LONG = ("deepseek-r1-distill", "meta-llama-3.1", "mistral-nemo")


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (414, "dark"), (500, "light")])
@pytest.mark.parametrize("many", [3, 5, 7, 10, 12])
def test_readings_can_be_read_beside_many_columns(
    page: Page, tmp_path: Path, many: int, width: int, scheme: str
) -> None:
    """Whatever the families are called: readings have a line, and marks their own column."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    families = tuple(LONG[n % 3] for n in range(many))
    said = [[scripts.told(f"The notice is {30 + 30 * (n % 2)} days.", NOTICE)] for n in range(many)]
    lms = scripts.models(*said, families=families)
    run = scripts.play(scripts.write_corpus(tmp_path / "handbook"), lms, families=families)
    mounted(page, payload, ConsultSource(run, None, None), tmp_path)

    assert astray(page, least=3) == []
    boxes = page.locator(".wbw-consult-state").evaluate_all(
        "(all) => all.map((one) => "
        "[one.offsetWidth, one.offsetHeight, one.closest('tr').offsetHeight])"
    )
    assert len(boxes) == 3
    for wide, tall, row in boxes:
        assert wide >= width - 70
        assert tall <= 50
        assert row <= 160
    high = page.locator(".wbw-consult-grid thead th").evaluate_all(
        "(all) => all.map((one) => one.querySelector('.wbw-who')?.getClientRects().length ?? 1)"
    )
    assert set(high) == {1}
    held = page.locator(".wbw-consult-held:has(.wbw-consult-grid)")
    assert held.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    page.get_by_role("columnheader", name=f"interpreter {many}, ").click()
    assert panel(page).startswith(f"Findings of interpreter {many} 1")
    shot(page, f"consult-{many}-long-{width}-{scheme}")


@pytest.mark.parametrize("width", [360, 1280])
def test_no_tie_is_cut_off(page: Page, tmp_path: Path, width: int) -> None:
    """Lines bent beyond the columns, and their signs, are within the drawing, beside the words."""
    page.set_viewport_size({"width": width, "height": 900})
    recorded(page, tmp_path, "annual_leave")
    page.wait_for_selector(".wbw-consult-sign")
    outside, room = page.locator(".wbw-consult-graph").evaluate(
        """(graph) => {
      const box = graph.querySelector("svg").getBoundingClientRect();
      const all = [...graph.querySelectorAll(":scope > svg :is(path, text)")];
      const out = all.map((one) => one.getBoundingClientRect())
        .filter(({ left, right }) => left < box.left || right > box.right + 0.5);
      return [out.length, graph.querySelector("ol").getBoundingClientRect().left - box.right];
    }"""
    )

    assert outside == 0
    assert room >= 5


def test_in_the_explorer(page: Page, tmp_path: Path) -> None:
    """A consultation's explorer opens on it, and a finding moves the stepper."""
    path = ww.handout(sessions.usual(tmp_path), tmp_path / "run.html")
    page.goto(path.as_uri())
    tab = page.get_by_role("tab", name="Consultation")

    assert "true" == tab.get_attribute("aria-selected")
    page.get_by_role("rowheader", name="notice.md#p1").click()
    page.locator(".wbw-consult-panel").get_by_role("button", name="event").first.click()
    assert "Interpreted" in page.locator(".wbw-step").inner_text()
    shot(page, "consult-explorer")
    assert page.errors == []  # type: ignore[attr-defined]


def test_in_jupyter_lab(notebook: Callable[..., Page]) -> None:
    """In a real notebook, with a kernel."""
    page = notebook(
        "import sys; sys.path.insert(0, " + repr(str(Path(__file__).parents[3])) + ")\n"
        "from pathlib import Path\nimport tempfile\n"
        "from workbench.knowledge.embedding import MiniLM\n"
        "MiniLM.installed = staticmethod(lambda: False)\n"
        "from tests.widgets.consult import sessions\n"
        "import workbench_widgets as ww\n"
        "ww.Consultation(sessions.versions(Path(tempfile.mkdtemp())))",
        name="consult.ipynb",
    )
    page.wait_for_selector(".wbw-consult-graph", timeout=60_000)
    page.get_by_role("columnheader", name="interpreter 3").click()

    assert panel(page).startswith("Findings of interpreter 3 2")
    shot(page, "consult-lab")


@pytest.mark.parametrize(("name", "several"), [("usual", True), ("alike", False)])
def test_findings_of_several_classes_are_told(
    page: Page, tmp_path: Path, name: str, several: bool
) -> None:
    """Where the classes add up to more than the findings, the head says why."""
    run = getattr(sessions, name)(tmp_path / "made")
    mounted(page, payload, ConsultSource(run, None, None), tmp_path)
    head = page.locator(".wbw-consult-head")
    head.get_by_text("interpreters reported").wait_for()

    assert ("some are of several classes" in head.inner_text()) == several
