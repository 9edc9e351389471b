"""A view in its cell, in a real browser: what one sees while the kernel is at work elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from workbench_widgets.shared.join import joined

pytestmark = pytest.mark.browser

HTML = """<!doctype html><meta charset="utf-8"><div id="cell"></div><script>{script}
const traits = {{ head: {{ events: 1 }}, pages: {{}}, texts: {{}}, options: {{}}, at: 0,
  order: "happened", problem: "" }};
const sent = [];
const heard = {{}};
const model = {{ get: (name) => traits[name], send: (message) => sent.push(message),
  on: (name, listener) => {{ heard[name] = listener; }}, off: (name) => delete heard[name] }};
const view = (root, store) => {{
  store.load("rows", "0").then((page) => show(root, page), (error) => show(root, trouble(error)));
}};
window.cleanup = host(document.getElementById("cell"), model, view);
</script>"""


def test_a_busy_kernel_is_waited_for(page: Page, tmp_path: Path) -> None:
    """After a while one is told of the waiting; the page is shown when it comes."""
    made = tmp_path / "late.html"
    made.write_text(HTML.format(script=joined("shared/host.mjs")))
    page.clock.install()
    page.goto(made.as_uri())
    note = page.get_by_role("status")
    assert note.inner_text() == ""
    page.clock.fast_forward(30_000)
    assert note.inner_text().startswith("Still waiting for the kernel")
    assert page.get_by_role("alert").count() == 0
    page.evaluate("heard['msg:custom']({ id: sent[0].id, done: 'the page', texts: {} })")
    page.get_by_text("the page").wait_for()
    assert note.inner_text() == ""
    page.evaluate("window.cleanup()")
    assert page.locator("#cell > *").count() == 0
    assert page.evaluate("Object.keys(heard).length") == 0
