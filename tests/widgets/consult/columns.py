"""Whether the marks of a grid of passages stand under the interpreter that they are of."""

from __future__ import annotations

from playwright.sync_api import Page

_ASTRAY = """() => {
  const grid = document.querySelector(".wbw-consult-grid");
  const heads = [...grid.querySelectorAll("thead th")].slice(1, -1).map((head) => [
    head.querySelector(".wbw-who").textContent, head.getBoundingClientRect()]);
  const marks = [...grid.querySelectorAll("tbody td[aria-label] svg")].map((mark) => {
    const box = mark.getBoundingClientRect();
    const middle = box.left + box.width / 2;
    const over = heads.find(([, head]) => head.left <= middle && middle < head.right);
    const own = mark.closest("td").getAttribute("aria-label").match(/interpreter (\\d+)/)[1];
    return [own, over?.[0] ?? "none"];
  });
  return [marks.length, marks.filter(([own, over]) => own !== over)];
}"""


def astray(page: Page, least: int = 4) -> list[list[str]]:
    """Return of each mark under another heading its interpreter and that of the heading."""
    page.wait_for_selector(".wbw-consult-grid svg")
    found, wrong = page.evaluate(_ASTRAY)
    assert found >= least
    return wrong  # type: ignore[no-any-return]
