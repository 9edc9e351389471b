"""A view in a page of its own: over what ships at first, or with a source or a widget as kernel."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from playwright.sync_api import Page

from tests.widgets.tom.runs import stopped
from workbench.record.run import Run
from workbench_widgets.shared.join import css, joined
from workbench_widgets.shared.source import JSON, Pages, Source, dumped
from workbench_widgets.shared.widget import RunWidget

OUT = Path(__file__).parent / "out"

HTML = """<!doctype html><meta charset="utf-8"><title>a view</title>
<style>:root {{ color-scheme: light dark; background: light-dark(#fff, #111); }}
body {{ margin: 0; padding: 16px; }} {css}</style><div class="wbw" id="here"></div>
<script>{script}
window.mountIt = (data) => {{
  const ask = async (message) => {{
    const got = JSON.parse(await window.kernel(JSON.stringify(message)));
    if (got.error) throw new Error(got.error);
    return got;
  }};
  const here = document.getElementById("here");
  here.classList.toggle("wbw-presenter", data.options.presenter === true);
  window.store = new Store(data, window.kernel ? ask : null);
  window.moves = [];
  window.store.on("at", (at) => window.moves.push(at));
  window.cleanup = {mount}(here, window.store);
}};
</script>"""

Answer = Callable[[dict[str, JSON]], dict[str, JSON]]


def mounted(
    page: Page,
    module: ModuleType,
    source: Source,
    folder: Path,
    *,
    at: int = 0,
    order: str = "happened",
    budget: float | None = None,
    **options: Any,
) -> None:
    """Open a page with a view; with a `budget`, what does not fit into it comes on demand."""
    pages = Pages(source, module.MAKERS)
    made = pages.first(module.first(source), budget or float("inf"))
    head = {**source.head(), "complete": made["complete"], "kernel": budget is not None}
    data = {**made, "head": head, "options": options, "at": at, "order": order}
    (name,) = module.STYLES
    _open(page, name, module.MOUNT, data, folder, None if budget is None else _pages(pages))


def shown(
    page: Page,
    widget: RunWidget,
    name: str,
    folder: Path,
    *,
    mount: str = "",
    kernel: bool = False,
    **options: Any,
) -> None:
    """Open a page with what a widget ships at first; with a `kernel`, the widget answers it."""
    data = {trait: getattr(widget, trait) for trait in ("head", "pages", "texts", "at", "order")}
    data["options"] = {**widget.options, **options}
    pages = _pages(widget._pages)

    def answer(asked: dict[str, JSON]) -> dict[str, JSON]:
        if asked["want"] == "page":
            return pages(asked)
        return {"done": widget.actions()[asked["want"]](**asked["with"]), "texts": {}}

    _open(page, name, mount or name, data, folder, answer if kernel else None)


def _pages(pages: Pages) -> Answer:
    def answer(asked: dict[str, JSON]) -> dict[str, JSON]:
        made = pages.page(asked["kind"], asked["key"])
        return {"done": made["page"], "texts": made["texts"]}

    return answer


def _open(
    page: Page,
    name: str,
    mount: str,
    data: dict[str, JSON],
    folder: Path,
    answer: Answer | None,
) -> None:
    """Open the page, and hand its data over by a call: it holds nothing but what the view shows."""

    def asked(message: str) -> str:
        try:
            return dumped(answer(json.loads(message))).decode()  # type: ignore[misc]
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})

    if answer is not None:
        page.expose_function("kernel", asked)
    script = joined(f"{name}/widget.js", "shared/store.mjs")
    place = folder / f"{name}.html"
    place.write_text(HTML.format(css=css(name), script=script, mount=mount), encoding="utf-8")
    page.goto(place.as_uri())
    page.evaluate("(data) => window.mountIt(data)", json.loads(dumped(data)))


def go(page: Page, at: int) -> None:
    """Move the shared cursor."""
    page.evaluate("(at) => window.store.set('at', at)", at)


def stops_in_words(page: Page, view: Any, whole: Run, folder: Path, *, order: str) -> None:
    """Look whether a view says why a run stopped: at its last event, and nowhere else."""
    half = whole.before(60)
    page.set_viewport_size({"width": 360, "height": 900})
    for shown_, told in (
        (half, "The run is interrupted after 60 events."),
        (stopped(half), "The run is failed after 61 events: no wire"),
        (whole, None),
    ):
        source = Source(shown_)
        last, before = source.order[order][-1], source.order[order][-2]
        mounted(page, view, Source(shown_), folder, order=order, at=last)
        status = page.locator(f".wbw-{view.STYLES[0]}-status")
        status.get_by_text(f"Event {last + 1}").wait_for()
        assert ("The run is" in status.inner_text()) == (told is not None)
        assert (told or "") in status.inner_text()
        shot(page, f"{view.STYLES[0]}-stopped-{shown_.status}")
        go(page, before)
        status.get_by_text(f"Event {before + 1}").wait_for()
        assert "The run is" not in status.inner_text()


def at(page: Page) -> int:
    """Return the event that is looked at, as the page has it."""
    got: int = page.evaluate("window.store.get('at')")
    return got


def shot(page: Page, name: str) -> None:
    """Write a picture to look at."""
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"{name}.png", full_page=True)
