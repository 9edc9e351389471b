"""A comparison in a page of its own, with the widget itself as the kernel that answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from workbench_widgets import Compare
from workbench_widgets.shared.join import css, joined

OUT = Path(__file__).parents[1] / "out"

HTML = """<!doctype html><meta charset="utf-8"><title>compare</title>
<style>:root {{ color-scheme: light dark; background: light-dark(#fff, #111); }}
{css}</style><div class="wbw" id="here"></div>
<script type="application/json" id="data">{data}</script><script type="module">
{script}
const data = JSON.parse(document.getElementById("data").textContent);
const ask = async (message) => {{
  const got = JSON.parse(await window.kernel(JSON.stringify(message)));
  if (got.error) throw new Error(got.error);
  return got;
}};
window.store = new Store(data, window.kernel ? ask : null);
window.cleanup = compare(document.getElementById("here"), window.store);
</script>"""


def mounted(page: Page, widget: Compare, folder: Path, *, kernel: bool = True) -> None:
    """Open a page with the view of `widget`; its pages are made on demand if there is a kernel."""
    traits = ("head", "pages", "texts", "options", "at", "order")
    data = json.dumps({name: getattr(widget, name) for name in traits}).replace("<", "\\u003c")

    def answer(message: str) -> str:
        asked: dict[str, Any] = json.loads(message)
        try:
            made = widget._pages.page(asked["kind"], asked["key"])
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})
        return json.dumps({"done": made["page"], "texts": made["texts"]})

    if kernel:
        page.expose_function("kernel", answer)
    place = folder / "compare.html"
    html = HTML.format(css=css("compare"), data=data, script=joined("compare/widget.js"))
    place.write_text(html, encoding="utf-8", errors="backslashreplace")
    page.goto(place.as_uri())
    page.wait_for_selector(".wbw-compare-row[data-row], .wbw-compare-none")


def shot(page: Page, name: str) -> None:
    """Write a picture to look at."""
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"compare-{name}.png", full_page=True)
