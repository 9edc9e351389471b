"""A view in a page of its own: no kernel, or the pages of a source on demand."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from playwright.sync_api import Page

from workbench_widgets.shared.join import css, joined
from workbench_widgets.shared.source import Pages, Source, dumped

OUT = Path(__file__).parents[1] / "out"

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
  window.store = new Store(data, window.kernel ? ask : null);
  window.moves = [];
  window.store.on("at", (at) => window.moves.push(at));
  window.cleanup = {mount}(document.getElementById("here"), window.store);
}};
</script>"""


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
    """Open a page with a view; with a `budget`, what does not fit into it comes on demand.

    The data is handed over by a call, so that the page holds nothing but what the view shows.
    """
    pages = Pages(source, module.MAKERS)
    made = pages.first(module.first(source), budget or float("inf"))

    def answer(message: str) -> str:
        asked: dict[str, Any] = json.loads(message)
        try:
            got = pages.page(asked["kind"], asked["key"])
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})
        return json.dumps({"done": got["page"], "texts": got["texts"]})

    if budget is not None:
        page.expose_function("kernel", answer)
    head = {**source.head(), "complete": made["complete"], "kernel": budget is not None}
    start = {"head": head, "options": options, "at": at, "order": order}
    data = json.loads(dumped({**start, "pages": made["pages"], "texts": made["texts"]}))
    (name,) = module.STYLES
    script = joined(f"{name}/widget.js", "shared/store.mjs")
    html = HTML.format(css=css(name), script=script, mount=module.MOUNT)
    place = folder / f"{name}.html"
    place.write_text(html, encoding="utf-8")
    page.goto(place.as_uri())
    page.evaluate("(data) => window.mountIt(data)", data)


def go(page: Page, at: int) -> None:
    """Move the shared cursor."""
    page.evaluate("(at) => window.store.set('at', at)", at)


def shot(page: Page, name: str) -> None:
    """Write a picture to look at."""
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"{name}.png", full_page=True)
