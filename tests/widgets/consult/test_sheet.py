"""The page of a consultation, printed: one sheet of A4 whatever the session, and harmless."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

import workbench as wb
from tests.widgets.consult import sessions
from tests.widgets.mounted import shot

pytestmark = pytest.mark.browser

SESSIONS = (
    "usual", "broken", "lost", "alike", "versions", "diverse", "verified", "empty", "large",
    "hostile",
)  # fmt: skip


@pytest.mark.parametrize("name", SESSIONS)
def test_one_sheet_of_a4(name: str, page: Page, tmp_path: Path) -> None:
    """Printed by a browser it is one page, with nothing to run and nothing to fetch."""
    file = wb.export(
        getattr(sessions, name)(tmp_path), tmp_path / "page.html", corpus=tmp_path / "gone"
    )
    page.goto(file.as_uri())
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    words = printed.pages[0].extract_text()
    width = page.evaluate("document.documentElement.scrollWidth")

    assert 1 == len(printed.pages)
    assert "SUPERSEDED" in words
    assert "Any violation invalidates the session" in words
    assert "selects no answer" in words.replace("\n", " ")
    assert width == page.evaluate("window.innerWidth")
    assert page.evaluate("window.pwned") is None
    assert 0 == page.locator("script, img, iframe, object, embed, link, form, base").count()
    assert page.left == []  # type: ignore[attr-defined]


def test_the_longest_of_everything_is_still_one_sheet(page: Page, tmp_path: Path) -> None:
    """A question, passages, conclusions and a model's name without an end, in wide letters."""
    long = "界" * 3_000
    folder = sessions.write_corpus(tmp_path / "long", {"a.md": long, "b.md": f"W{long}"})
    lms = sessions.models([], [], [], families=("W" * 90, long, "q"))
    run = sessions.play(folder, lms, families=("W" * 90, long, "q"), question=long)
    file = wb.export(run, tmp_path / "page.html", corpus=tmp_path / "gone")
    page.goto(file.as_uri())

    assert 1 == len(PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages)


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_screen(page: Page, tmp_path: Path, dark: bool) -> None:
    """Also on a telephone it is no wider than the screen."""
    file = wb.export(sessions.versions(tmp_path), tmp_path / "page.html")
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(file.as_uri())
    for width in (1000, 360):
        page.set_viewport_size({"width": width, "height": 900})
        shot(page, f"consult-sheet-{'dark' if dark else 'light'}-{width}")

        assert width == page.evaluate("document.documentElement.scrollWidth")
