"""The pages of a consultation, made by `pages` at first use: it loads what a session is read by."""

from __future__ import annotations

from collections.abc import Iterator

from workbench_widgets.shared.source import JSON, PageMaker, Source

MOUNT = "consultView"
STYLES = ("consult",)
PROTOCOLS = ("consultation", "verification")


def _maker(kind: str) -> PageMaker:
    def made(source: Source, key: str) -> JSON:
        from workbench_widgets.consult import pages

        return pages.MAKERS[kind](source, key)

    return made


MAKERS: dict[str, PageMaker] = {
    f"consult_{name}": _maker(f"consult_{name}")
    for name in ("about", "passages", "topology", "findings", "divergences")
}


def first(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the session, then its passages, topology and divergences, then the findings of each."""
    from workbench_widgets.consult import pages

    yield from pages.first(source)
