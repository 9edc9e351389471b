"""Texts that want to be more than text, in a consultation: none runs, all of them are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

import workbench_widgets as ww
from tests.widgets.consult import sessions
from tests.widgets.hostile import HOSTILE
from tests.widgets.mounted import mounted
from tests.widgets.test_hostile import by_markup, harmless, opened, unseen
from workbench_widgets.consult import payload
from workbench_widgets.consult.source import ConsultSource, read

pytestmark = pytest.mark.browser

TEXTS = [text for text in HOSTILE if text.strip() and "\0" not in text]


def test_view(page: Page, tmp_path: Path) -> None:
    """Question, passages, models, and every part of findings are texts, whatever is opened."""
    source = ConsultSource(sessions.hostile(tmp_path), None, None)
    mounted(page, payload, source, tmp_path)
    page.get_by_role("columnheader").nth(1).click()
    more = page.locator(".wbw-consult-panel > .wbw-consult-more")
    while more.is_visible():
        more.click()
    harmless(page)
    for part in (".wbw-say", ".wbw-consult-said", ".wbw-consult-invalid"):
        words = page.evaluate(
            "(all) => [...document.querySelectorAll(all)].map((e) => e.textContent).join(' ')",
            f".wbw-consult-finding {part}",
        )
        assert unseen(words, texts=TEXTS) == []

    rest = page.locator(".wbw-consult-body > section > .wbw-consult-more")
    for button in rest.all():
        while button.is_visible():
            button.click()
    for row in page.get_by_role("rowheader").all()[:5]:
        row.click()
    harmless(page)
    passages = [row.passage.text for row in read(source).told.rows if row.passage is not None]
    assert len(passages) > 40
    assert unseen(page.locator(".wbw-consult-grid").text_content() or "", texts=passages) == []


def test_face(page: Page, tmp_path: Path) -> None:
    """The face without a script shows every passage, also where scripts are allowed."""
    made = ww.Consultation(sessions.hostile(tmp_path)).face()
    words = opened(page, made, tmp_path)

    assert "<script" not in made
    harmless(page, "body")
    assert unseen(words, by_markup, TEXTS) == []
