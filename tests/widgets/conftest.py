"""A real Chromium, JupyterLab and marimo for the tests of the widgets, on free loopback ports."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
).split()
PATIENCE_S = 90


def chromium_path() -> str | None:
    """Return the browser: `CHROMIUM`, or the first that is installed."""
    given = os.environ.get("CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome")
    return given or next((found for n in names if (found := shutil.which(n))), None)


@pytest.fixture(scope="session")
def node() -> str:
    """Give the path of node, without which geometry is not tested."""
    path = shutil.which("node")
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no node: install Debian's package nodejs")
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    path = chromium_path()
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no Chromium: install Debian's package chromium, or set CHROMIUM")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Give a page that reaches loopback and files alone, and notes each uncaught error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = context.new_page()
    left: list[str] = []
    errors: list[str] = []

    def watch(route: Any) -> None:
        url = route.request.url
        if url.startswith(("http://127.0.0.1", "http://localhost", "file:", "data:", "blob:")):
            route.continue_()
        else:
            left.append(url)
            route.abort()

    context.route("**/*", watch)
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.left = left  # type: ignore[attr-defined]  # requests that wanted to leave the machine
    made.errors = errors  # type: ignore[attr-defined]
    yield made
    context.close()


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no server at {url}:\n{log.read_text(errors='replace')[-3000:]}")


def serve(command: list[str], url: str, folder: Path) -> Iterator[str]:
    """Run a server until the test is over."""
    log = folder / "server.log"
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=folder, env=env)
    try:
        wait_for(url, process, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve JupyterLab; gives its address and its folder."""
    folder = tmp_path_factory.mktemp("lab")
    port = free_port()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.workspaces_dir=" + str(folder / "workspaces"),
        "--LabApp.user_settings_dir=" + str(folder / "settings"),
    ]  # fmt: skip
    for url in serve(command, f"http://127.0.0.1:{port}/api", folder):
        yield url.removesuffix("/api"), folder


Open = Callable[..., Page]


@pytest.fixture
def notebook(page: Page, lab: tuple[str, Path]) -> Open:
    """Open a notebook of the given cells in JupyterLab and run it all."""
    url, folder = lab

    def opened(*cells: str, name: str = "test.ipynb", dark: bool = False, run: bool = True) -> Page:
        settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True, exist_ok=True)
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        (settings / "themes.jupyterlab-settings").write_text(f'{{"theme": "{theme}"}}')
        news = {"checkForUpdates": False, "fetchNews": "false"}
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(news))
        if cells:
            made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
            made.metadata["kernelspec"] = {
                "name": "python3", "display_name": "Python 3", "language": "python",
            }  # fmt: skip
            nbformat.write(made, folder / name)
        page.goto(f"{url}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        if run:
            idle = page.get_by_text("| Idle")
            select = page.locator(".jp-Dialog .jp-mod-accept")
            select.or_(idle).first.wait_for(timeout=60_000)
            page.wait_for_timeout(300)
            if select.is_visible():  # which kernel? the one that is offered
                select.click()
            idle.wait_for(timeout=60_000)
            page.click(".lm-MenuBar-itemLabel:text('Run')")
            page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        return page

    return opened


@pytest.fixture
def marimo_app(page: Page, tmp_path: Path) -> Iterator[Open]:
    """Run a marimo app of the given cells, or a file, and open it."""
    running: list[Iterator[str]] = []

    def opened(*cells: str, file: Path | None = None) -> Page:
        path = file or tmp_path / "app.py"
        if file is None:
            body = "\n\n".join(
                "@app.cell\ndef _():\n" + "\n".join(f"    {line}" for line in c.splitlines())
                for c in cells
            )
            path.write_text(f"import marimo\n\napp = marimo.App()\n\n{body}\n")
        port = free_port()
        command = [
            sys.executable, "-m", "marimo", "run", str(path), "--headless", "--no-token",
            "--host", "127.0.0.1", "--port", str(port),
        ]  # fmt: skip
        server = serve(command, f"http://127.0.0.1:{port}", tmp_path)
        running.append(server)
        page.goto(next(server))
        return page

    yield opened
    for server in running:
        next(server, None)
