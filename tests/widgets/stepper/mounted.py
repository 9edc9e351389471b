"""A stepper in a page of its own: over what it ships at first, or with itself as the kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from workbench_widgets.shared.join import css, joined
from workbench_widgets.stepper.widget import Stepper

OUT = Path(__file__).parents[1] / "out"

HTML = """<!doctype html><meta charset="utf-8"><title>stepper</title>
<style>:root {{ color-scheme: light dark; background: light-dark(#fff, #111); }}
body {{ margin: 8px; }}
{css}</style><div class="wbw{kind}" id="here"></div>
<script type="application/json" id="data">{data}</script><script type="module">
{script}
const data = JSON.parse(document.getElementById("data").textContent);
const ask = async (message) => {{
  const got = JSON.parse(await window.kernel(JSON.stringify(message)));
  if (got.error) throw new Error(got.error);
  return got;
}};
window.store = new Store(data, window.kernel ? ask : null);
window.cleanup = stepper(document.getElementById("here"), window.store);
</script>"""

TRAITS = ("head", "pages", "texts", "options", "at", "order")


def mounted(
    page: Page, widget: Stepper, folder: Path, *, kernel: bool = False, presenter: bool = False
) -> Page:
    """Open a page with the view of `widget`."""
    given = {name: getattr(widget, name) for name in TRAITS}
    data = json.dumps(given).replace("<", "\\u003c")

    def answer(message: str) -> str:
        asked: dict[str, Any] = json.loads(message)
        try:
            if asked["want"] == "page":
                made = widget._pages.page(asked["kind"], asked["key"])
                return json.dumps({"done": made["page"], "texts": made["texts"]})
            done = widget.actions()[asked["want"]](**asked["with"])
            return json.dumps({"done": done, "texts": {}})
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})

    if kernel:
        page.expose_function("kernel", answer)
    place = folder / "stepper.html"
    html = HTML.format(
        css=css("stepper"),
        data=data,
        kind=" wbw-presenter" if presenter else "",
        script=joined("stepper/widget.js", "shared/store.mjs"),
    )
    place.write_text(html, encoding="utf-8", errors="backslashreplace")
    page.goto(place.as_uri())
    page.wait_for_selector(".wbw-step")
    return page


def at(page: Page) -> int:
    """Return the event that is looked at, as the page has it."""
    got: int = page.evaluate("window.store.get('at')")
    return got


def shot(page: Page, name: str) -> None:
    """Write a picture to look at."""
    OUT.mkdir(exist_ok=True)
    page.screenshot(path=OUT / f"stepper-{name}.png", full_page=True)
