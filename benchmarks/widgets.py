"""The stepper in a real browser, on 5,000 turns of 20 agents: opening, what is shipped, steps.

The page asks a server on the loopback for its pages, which the widget's own code makes on demand,
as a kernel would over its comm.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any

import row
from row import Row

FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking".split()
TRAITS = ("head", "pages", "texts", "options", "at", "order")

PAGE = """<!doctype html><meta charset="utf-8"><title>stepper</title><style>{css}</style>
<div class="wbw" id="here"></div><script type="application/json" id="data">{data}</script>
<script type="module">
{script}
const ask = async (message) => {{
  const told = await fetch("/ask", {{ method: "POST", body: JSON.stringify(message) }});
  const got = await told.json();
  if (got.error) throw new Error(got.error);
  return got;
}};
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const here = document.getElementById("here");
const store = new Store(JSON.parse(document.getElementById("data").textContent), ask);
stepper(here, store);
window.shown = async () => {{
  for (;;) {{
    const detail = here.querySelector(".wbw-step-detail");
    const row = here.querySelector(".wbw-step-row[aria-selected=true] .wbw-step-says");
    const at = String(store.get("at"));
    if (detail.dataset.at === at && !detail.hasAttribute("aria-busy") && row) return painted();
    await new Promise((done) => setTimeout(done, 1));
  }}
}};
window.timed = async (act) => {{
  const begun = performance.now();
  act();
  await window.shown();
  return performance.now() - begun;
}};
window.press = (key, shiftKey) => here.querySelector(".wbw-step").dispatchEvent(
  new KeyboardEvent("keydown", {{ key, shiftKey, bubbles: true, cancelable: true }}));
window.jump = (name, value) => {{
  const field = here.querySelector(`input[aria-label=${{name}}]`);
  field.value = value;
  field.dispatchEvent(new Event("change", {{ bubbles: true }}));
}};
window.store = store;
window.shown().then(() => (window.opened = performance.now()));
</script>"""

STEPS = """async ([turns, events, rounds]) => {
  const out = { step: [], turn: [], jump: [] };
  let seed = 7;
  const any = (n) => 1 + ((seed = (seed * 48271) % 2147483647) % n);
  for (let i = 0; i < rounds; i += 1) {
    out.jump.push(await timed(() => jump("Event", any(events))));
    for (let n = 0; n < 3; n += 1) out.step.push(await timed(() => press("ArrowRight", false)));
    out.step.push(await timed(() => press("ArrowLeft", false)));
    out.turn.push(await timed(() => press("ArrowRight", true)));
    out.jump.push(await timed(() => jump("Turn", any(turns))));
    out.step.push(await timed(() => press("ArrowRight", false)));
    out.turn.push(await timed(() => press("ArrowLeft", true)));
  }
  return out;
}"""


def measure(*, quick: bool) -> list[Row]:
    """Return seconds to make and to open, bytes shipped, and milliseconds a step."""
    import crowd
    from playwright.sync_api import sync_playwright

    from workbench_widgets.shared.source import dumped
    from workbench_widgets.stepper.widget import Stepper

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("no Chromium: install Debian's package chromium, or set CHROMIUM")
    turns, agents = (500, 20) if quick else (crowd.TURNS, crowd.AGENTS)
    run = crowd.made(turns, agents)
    begun = time.perf_counter()
    widget = Stepper(run)
    made = time.perf_counter() - begun
    begun = time.perf_counter()
    face = widget.face()
    faced = time.perf_counter() - begun
    state = dumped({name: getattr(widget, name) for name in TRAITS})
    code = str(widget._esm) + str(widget._css)
    begun = time.perf_counter()
    widget.actions()["find"](queries=[{"text": "point 99", "agent": "agent_07"}], order="happened")
    found = time.perf_counter() - begun
    what = f"{len(run):,} events, {turns:,} turns, {agents} agents"
    opened: list[float] = []
    with serving(widget) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for _ in range(2 if quick else 7):
            page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
            page.goto(url)
            page.wait_for_function("window.opened")
            opened.append(page.evaluate("window.opened") / 1000)
            nodes = page.locator("#here *").count()
            if len(opened) < (2 if quick else 7):
                page.context.close()
        taken = page.evaluate(STEPS, [turns, len(run), 5 if quick else 60])
        page.evaluate("window.store.set('order', 'path')")
        page.wait_for_timeout(5000)  # the causal order of a long run is computed once
        by_path = page.evaluate(STEPS, [turns, len(run), 5 if quick else 20])
        browser.close()
    return [
        Row(what=f"first payload in Python: {what}", value=made, unit="s", n=1),
        Row(what="its static face", value=faced, unit="s", n=1),
        Row(what="a search over all events", value=found, unit="s", n=1),
        Row(what="state shipped at first", value=len(state) / 1e6, unit="MB", n=1),
        Row(
            what="the same with the static face and the code",
            value=(len(state) + len(face.encode()) + len(code.encode())) / 1e6,
            unit="MB",
            n=1,
            target=1.0,
        ),
        row.of("opens, navigation to painted", opened, "s", target=1.0),
        Row(what="elements in the page", value=nodes, unit="", n=1),
        *(row.percentile(f"{name}s", some, "ms", 95) for name, some in taken.items()),
        row.percentile("all of them", [*chain(*taken.values())], "ms", 95, target=50.0),
        row.percentile("all, by path", [*chain(*by_path.values())], "ms", 95, target=50.0),
    ]


@contextmanager
def serving(widget: Any) -> Iterator[str]:
    """Serve a page with the stepper, and make what it asks for."""
    from workbench_widgets.shared.join import css, joined
    from workbench_widgets.shared.source import dumped

    data = dumped({name: getattr(widget, name) for name in TRAITS}).decode().replace("<", "\\u003c")
    script = joined("stepper/widget.js", "shared/store.mjs")
    html = PAGE.format(css=css("stepper"), data=data, script=script).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._send(html if self.path == "/" else b"", "text/html")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked["want"] == "page":
                made = widget._pages.page(asked["kind"], asked["key"])
                got = {"done": made["page"], "texts": made["texts"]}
            else:
                got = {"done": widget.actions()[asked["want"]](**asked["with"]), "texts": {}}
            self._send(dumped(got), "application/json")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
