"""The graph in a real browser: step, see what fed an event, open the words, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import pytest
from playwright.sync_api import Page

import workbench as wb
from tests.toys import debate, words
from tests.widgets.graph.test_layout import sampled
from tests.widgets.graph.test_picture import hostile_graph
from tests.widgets.hostile import hostile_run
from tests.widgets.mounted import go, mounted, shot, stops_in_words
from workbench_widgets import GraphView
from workbench_widgets.graph import payload
from workbench_widgets.shared.source import Source

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "sample_runs/vance_v_innovate/vance_v_innovate.run.jsonl"
VIEW: Any = SimpleNamespace(
    MAKERS=payload.MAKERS, first=payload.first, STYLES=("graph",), MOUNT="graphView"
)


@pytest.mark.parametrize("options", [{}, {"presenter": True}])
@pytest.mark.parametrize("name", ["maven/ice", "vance_v_innovate/vance_v_innovate"])
def test_the_word_over_a_card_is_whole(
    page: Page, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    """Whoever acts now, also in the top row."""
    page.set_viewport_size({"width": 1300, "height": 900})
    run = wb.open_run(ROOT / f"sample_runs/{name}.run.jsonl")
    mounted(page, VIEW, Source(run), tmp_path, **options)
    page.wait_for_selector(".wbw-graph-now", state="attached")
    cut = page.evaluate(
        """() => {
      const top = document.querySelector(".wbw-graph-figure").getBoundingClientRect().top;
      return [...document.querySelectorAll(".wbw-graph-now")].filter(
        (now) => now.getBoundingClientRect().top < top).length;
    }"""
    )
    assert cut == 0
    go(page, next(at for at, event in enumerate(run.events) if event.event == "answered"))
    shot(page, f"graph-now-{name.split('/')[1]}{'-presenter' * bool(options)}")


def overlapping(page: Page) -> int:
    """Return how many pairs of cards or words lie over one another, as they are drawn."""
    found: int = page.evaluate(
        """() => {
      const drawn = document.querySelectorAll(".wbw-graph-card, .wbw-graph-told");
      const boxes = [...drawn].map((one) => one.getBoundingClientRect());
      const meet = (a, b, low, high) => a[low] < b[high] - 1 && b[low] < a[high] - 1;
      let n = 0;
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        n += meet(a, b, "left", "right") && meet(a, b, "top", "bottom");
      }));
      return n;
    }"""
    )
    return found


def clipped(page: Page) -> int:
    """Return how many titles and notes leave their card."""
    found: int = page.evaluate(
        """() => {
      const right = (node, what) => node.querySelector(what).getBoundingClientRect().right;
      const nodes = [...document.querySelectorAll(".wbw-graph-node")];
      return nodes.filter((node) => [".wbw-graph-title", ".wbw-graph-note"].some(
        (words) => right(node, words) > right(node, ".wbw-graph-card"))).length;
    }"""
    )
    return found


def test_step_and_open(page: Page, tmp_path: Path) -> None:
    """What is lit and what is thick follow the cursor; words open by mouse and by keys."""
    mounted(page, VIEW, Source(wb.open_run(SAMPLE)), tmp_path, at=0)
    assert page.locator("svg [data-edge]:not(.wbw-graph-off)").count() == 0
    go(page, 4)
    page.locator(".wbw-graph-status").get_by_text("nominated Associate").wait_for()
    assert page.locator(".wbw-graph-nominated[data-edge]:not(.wbw-graph-off)").count() == 3
    go(page, 67)
    lit = page.locator(".wbw-graph-lit")
    assert lit.get_attribute("aria-label") == "Meta agent: 1 call · 960 tokens, acts now"
    assert page.locator(".wbw-graph-fed:not(.wbw-graph-off)").count() == 4
    shot(page, "graph-light")
    page.get_by_role("button", name="Run so far").click()
    assert lit.get_attribute("aria-label").startswith("Meta agent: 3 calls")
    lit.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    panel = page.locator(".wbw-graph-panel")
    panel.get_by_role("heading", name="Case Strategist").wait_for()
    panel.get_by_role("button", name="Meta agent answered").click()
    panel.get_by_text("2 times so far").wait_for()
    assert panel.locator("li").count() == 2
    panel.get_by_role("button", name="arrived at event 26").click()
    assert page.evaluate("window.store.get('at')") == 25
    page.emulate_media(color_scheme="dark")
    shot(page, "graph-dark")
    page.get_by_role("button", name="Step forward").click()
    assert page.evaluate("window.store.get('at')") == 26
    page.evaluate("window.store.set('order', 'path')")
    page.get_by_role("button", name="Step back").click()
    page.locator(".wbw-rail-note").get_by_text("of 72").wait_for()
    page.evaluate("window.cleanup()")
    assert page.locator(".wbw-graph").count() == 0
    assert page.errors == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "width"), [("360", 360), ("presenter", 1280)])
def test_narrow_and_large(page: Page, tmp_path: Path, name: str, width: int) -> None:
    """Two cards side by side at 360 px; large letters for a room."""
    page.set_viewport_size({"width": width, "height": 800})
    mounted(page, VIEW, Source(wb.open_run(SAMPLE)), tmp_path, at=67)
    if name == "presenter":
        page.evaluate("document.getElementById('here').classList.add('wbw-presenter')")
    page.locator(".wbw-graph-lit").wait_for()
    page.wait_for_timeout(200)
    shot(page, f"graph-{name}")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert overlapping(page) == 0
    assert clipped(page) == 0


@pytest.mark.parametrize("count", [2, 12, 60])
def test_graphs_of_agents(page: Page, tmp_path: Path, count: int) -> None:
    """From 2 to 60 nodes nothing overlaps as it is drawn."""
    mounted(page, VIEW, payload.GraphSource(sampled(count, 5), "A sampled graph"), tmp_path)
    page.get_by_text(f"{count} agents").wait_for()
    shot(page, f"graph-nodes-{count}")

    assert page.locator(".wbw-graph-node").count() == count
    assert overlapping(page) == 0
    assert clipped(page) == 0


def test_a_role_that_is_the_name_of_another(page: Page, tmp_path: Path) -> None:
    """Card, status, panel and tooltip of a node say the same, also where names read alike."""
    graph = nx.DiGraph()
    for name, role in (("a", "b"), ("b", "c"), (1, "one"), ("1", "other")):
        graph.add_node(name, role=role)
    graph.add_edge("a", "b")
    graph.add_edge(1, "1")
    mounted(page, VIEW, payload.GraphSource(graph, "Roles"), tmp_path)
    for node, role in enumerate(("b", "c", "one", "other")):
        card = page.locator(f"[data-node='{node}']")
        card.hover()
        assert page.locator(".wbw-graph-status").inner_text().startswith(f"{role}: ")
        card.click()
        assert card.locator(".wbw-graph-title").text_content() == role
        assert page.locator(".wbw-graph-panel h4").inner_text() == role
    tips = page.locator(".wbw-graph-edge title").all_text_contents()
    assert [tip.partition(":")[0] for tip in tips] == ["b → c", "one → other"]
    assert page.errors == []  # type: ignore[attr-defined]


def test_sixty_who_all_read_each_other(page: Page, tmp_path: Path) -> None:
    """3,600 edges are drawn, fainter, and one agent's stand out."""
    run = wb.run_sync(debate(n=60, turns=2), lm=wb.ScriptedLM(words))
    mounted(page, VIEW, Source(run), tmp_path, at=len(run) - 3)
    page.locator(".wbw-graph-dense").wait_for()
    page.locator("[data-node='7']").click()
    shot(page, "graph-dense")

    assert page.locator(".wbw-graph-near:not(.wbw-graph-off)").count() == 119
    assert overlapping(page) == 0


def test_a_thousand_agents(page: Page, tmp_path: Path) -> None:
    """The page says what is drawn of them, steps, and draws what is around any other."""
    graph = nx.DiGraph()
    graph.add_nodes_from(f"a{n}" for n in range(1000))
    for n in range(5000):
        graph.add_edge(f"a{n % 1000}", f"a{(n * 7 + n // 1000 + 1) % 1000}")
    source = payload.GraphSource(graph, "A thousand agents")
    mounted(page, VIEW, source, tmp_path, budget=200_000)
    told = page.locator(".wbw-graph-part p")
    told.wait_for()
    assert told.inner_text().startswith("Drawn are 100 of 1,000 agents, those with the most edges")
    assert page.locator(".wbw-graph-node").count() == 100
    shot(page, "graph-thousand")

    page.get_by_label("Draw").select_option("777")
    page.get_by_text("a777 and those of its neighbours").wait_for()
    near = set(graph.predecessors("a777")) | set(graph.successors("a777")) | {"a777"}
    drawn = page.locator(".wbw-graph-title").all_text_contents()
    assert set(drawn) == near
    page.locator("[data-node='0']").click()
    other = drawn[0]
    page.get_by_role("button", name="Draw what is around it").click()
    page.get_by_text(f"{other} and those of its neighbours").wait_for()
    assert page.errors == []  # type: ignore[attr-defined]


def test_a_crowd_that_is_stepped(page: Page, tmp_path: Path) -> None:
    """Who acts is told also where it is not drawn; words of a drawn edge are those of that edge."""
    run = wb.run_sync(debate(n=120, turns=2), lm=wb.ScriptedLM(words))
    source = Source(run)
    drawn = payload.shapes(source, "wide")
    assert len(drawn["agents"]) < 120
    hidden = next(n for n in range(120) if n not in drawn["agents"])
    acts = next(at for at in reversed(range(len(run))) if payload.flow(source).actors[at] == hidden)
    mounted(page, VIEW, source, tmp_path, at=acts, budget=200_000)
    page.locator(".wbw-graph-status", has_text="which is not drawn, acts").wait_for()

    go(page, len(run) - 3)
    page.locator("[data-node='3']").click()
    page.locator(".wbw-graph-sides button").first.click()
    head = page.locator(".wbw-graph-panel h4")
    reader = head.inner_text().partition(" read ")[0]
    page.locator(".wbw-graph-words li").first.wait_for()
    jump = page.get_by_role("button", name="arrived at event").first.inner_text()
    event = run.events[int(jump.rpartition(" ")[2].replace(",", "")) - 1]
    assert source.title(str(event.role)) == reader  # type: ignore[union-attr]
    assert page.errors == []  # type: ignore[attr-defined]


def test_hostile_words(page: Page, tmp_path: Path) -> None:
    """Whatever agents are called and say: no script runs, no request leaves."""
    run, audit = hostile_run()
    for source in (Source(run, audit), payload.GraphSource(hostile_graph(), "<b>x</b>")):
        mounted(page, VIEW, source, tmp_path)
        for at in range(0, len(run), 37):
            go(page, at)
        page.locator("[data-node='0']").click()
        page.locator(".wbw-graph-panel li button").first.click()
        page.wait_for_timeout(100)
        assert page.evaluate("window.pwned") is None
        assert page.locator("[role=alert]").count() == 0
    shot(page, "graph-hostile")

    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


def test_odd_runs(page: Page, tmp_path: Path) -> None:
    """An empty run says why there is nothing."""
    empty = wb.Run([wb.open_run(SAMPLE).started])
    mounted(page, VIEW, Source(empty), tmp_path)

    page.get_by_text("No agent has acted in this run. The run is interrupted").wait_for()


@pytest.mark.parametrize("order", ["happened", "path"])
def test_a_run_that_stopped_says_so(page: Page, tmp_path: Path, order: str) -> None:
    """At its last event, with the error; not before, and not in a run that is complete."""
    stops_in_words(page, VIEW, wb.open_run(SAMPLE), tmp_path, order=order)


def test_the_page_of_pyvis_draws_from_a_file(page: Page, tmp_path: Path) -> None:
    """It draws on its canvas, and asks for nothing, whatever the titles say."""
    for name, view in (
        ("plain", GraphView(wb.open_run(SAMPLE))),
        ("bad", GraphView(hostile_graph())),
    ):
        page.goto(view.pyvis(tmp_path / f"{name}.html").as_uri())
        page.locator("#mynetwork canvas").wait_for()
        page.wait_for_timeout(300)
        drawn = page.evaluate(
            """() => {
          const canvas = document.querySelector("#mynetwork canvas");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          let n = 0;
          for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n += 1;
          return n;
        }"""
        )
        assert drawn > 2000
        assert page.evaluate("window.pwned") is None
        shot(page, f"graph-pyvis-{name}")

    assert page.left == []  # type: ignore[attr-defined]
    assert page.errors == []  # type: ignore[attr-defined]


def test_jupyter_lab(notebook: Callable[..., Page]) -> None:
    """The graph and the board of one run move together in a notebook."""
    opened = notebook(
        f"""import workbench as wb
from workbench_widgets import Board, GraphView
run = wb.open_run({str(SAMPLE)!r})
GraphView(run)""",
        "Board(run)",
        name="graph.ipynb",
    )
    opened.wait_for_selector(".wbw-graph-node", timeout=60_000)
    opened.wait_for_selector(".wbw-board-section", timeout=60_000)
    for _ in range(4):
        opened.locator(".wbw-graph").get_by_role("button", name="Step forward").click()
    opened.locator(".wbw-graph-status").get_by_text("nominated Associate").wait_for()
    opened.locator(".wbw-board-status").get_by_text("Goal set").wait_for()
    shot(opened, "graph-lab")

    assert opened.errors == []  # type: ignore[attr-defined]


def test_a_face_beside_a_view(notebook: Callable[..., Page]) -> None:
    """In JupyterLab the static picture keeps its own colours, and its names are no formulas."""
    opened = notebook(
        """import networkx as nx
from IPython.display import HTML, Markdown, display
from workbench_widgets import GraphView
graph = nx.DiGraph([("costs $5 now", "costs $6 then")])
display(HTML(GraphView(graph).face()), Markdown("It is $x$."), GraphView(graph))""",
        name="face.ipynb",
    )
    opened.wait_for_selector(".wbw-graph .wbw-graph-node", timeout=60_000)
    opened.wait_for_selector(".jp-RenderedMarkdown mjx-container", timeout=60_000)
    face = opened.locator(".wbw-graph-face")
    fills = face.locator(".wbw-graph-card").evaluate_all(
        "cards => cards.map((card) => getComputedStyle(card).fill)"
    )

    assert set(fills) == {"rgb(255, 255, 255)"}
    assert face.locator("mjx-container").count() == 0
    assert "costs $6 then" in face.text_content()  # type: ignore[operator]
    assert opened.errors == []  # type: ignore[attr-defined]
