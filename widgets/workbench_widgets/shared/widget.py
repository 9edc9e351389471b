"""The base of all widgets on a run: pages on demand, a shared cursor, actions, a static face."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import anywidget
import traitlets

from workbench import Run, Session
from workbench.views.html import run_html
from workbench.views.turns import title_of
from workbench_widgets.shared.arguments import check, check_switch
from workbench_widgets.shared.cursor import ORDERS, Cursor
from workbench_widgets.shared.faces import faced
from workbench_widgets.shared.source import BUDGET, JSON, PageMaker, Pages, Path, Source
from workbench_widgets.shared.threads import beside, in_marimo

Action = Callable[..., JSON]

FACED = 20_000
"""Events that a static face is made of; it shows a part of them, and says so."""


class RunWidget(anywidget.AnyWidget):
    """A view of a run.

    A subclass names its pages (`makers`), which of them it ships at first and in which order
    (`first_pages`), and what its buttons do (`actions`).

    Parameters
    ----------
    run : Run, Session, path or Source
        What a session does is shown as it comes, whoever steps it.
    audit : Run or path, optional
        An audit of the run; its verdicts are shown beside what they are about.
    cursor : Cursor, optional
        By default the one that all widgets on this run share.
    **options
        ``presenter=True`` for large type.

    Raises
    ------
    RunFileError
        If there is no run at a path.
    ValueError
        If the audit is about another run, or is none.
    TypeError
        If what was given is neither a run nor leads to one, or an option is not known.

    Attributes
    ----------
    at, order
        The cursor's, synced with the front end; `at` beyond the run's end is its end.
    seen : str or None
        In marimo, where only what the front end sets starts the cells that depend on a widget: what
        the front end shows since a button of it was pressed. None elsewhere.
    problem : str
        The last error in a callback, shown in the widget and in no other place.
    """

    head = traitlets.Dict().tag(sync=True)
    pages = traitlets.Dict().tag(sync=True)
    texts = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    at = traitlets.Int(0, min=0).tag(sync=True)
    order = traitlets.Enum(ORDERS, default_value="happened").tag(sync=True)
    seen = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)

    makers: ClassVar[dict[str, PageMaker]] = {}
    takes: ClassVar[frozenset[str]] = frozenset({"presenter", "rail"})
    """Options of the view: large type, for a projector; a rail to step on, true without one."""
    switches: ClassVar[frozenset[str]] = frozenset({"presenter", "rail"})
    """Those of the options that are on or off."""
    quick: ClassVar[frozenset[str]] = frozenset()
    """Actions that are done at once, also while another is under way."""

    def __init__(
        self,
        run: Run | Session | Path | Source,
        *,
        audit: Run | Path | None = None,
        cursor: Cursor | None = None,
        **options: JSON,
    ) -> None:
        _check_cursor(cursor, cursor is None)
        if unknown := options.keys() - self.takes:
            known = ", ".join(sorted(self.takes))
            raise TypeError(f"{type(self).__name__} has no option {min(unknown)!r}; it has {known}")
        for name in self.switches & options.keys():
            check_switch(name, options[name])
        self.source = Source.of(run, audit)
        self._pages = Pages(self.source, self.makers)
        self._cursor = self.source.cursor if cursor is None else cursor
        self._busy = threading.Lock()
        self._shown = 0
        made = self._pages.first(self.first_pages(), BUDGET)
        super().__init__(
            head=self._head(complete=made["complete"]),
            pages=made["pages"],
            texts=made["texts"],
            options=options,
            at=min(self._cursor.at, len(self.source.run) - 1),
            order=self._cursor.order,
            seen="" if in_marimo() else None,
        )
        self._cursor.observe(self._cursor_moved, names=["at", "order"])
        self.observe(self._moved, names=["at", "order"])
        self.on_msg(self._message)
        self.source.common.watch(self)
        self._following = True

    def _head(self, *, complete: bool) -> dict[str, JSON]:
        whole = {**self.source.head(), "complete": complete, "kernel": True, "shown": self._shown}
        return {**whole, **self.more_head()}

    def more_head(self) -> dict[str, JSON]:
        """Return what this kind of widget adds to the head."""
        return {}

    def first_pages(self) -> Iterable[tuple[str, str]]:
        """Return (kind, key) of the pages to ship at first, the most needed first."""
        return ()

    def actions(self) -> dict[str, Action]:
        """Return what the front end may ask for, by name, besides pages."""
        return {}

    @property
    def run(self) -> Run:
        """The run as it is now."""
        return self.source.run

    @property
    def cursor(self) -> Cursor:
        """The place that is looked at; assign another widget's to move with it."""
        return self._cursor

    @cursor.setter
    def cursor(self, cursor: Cursor) -> None:
        _check_cursor(cursor)
        self._cursor.unobserve(self._cursor_moved, names=["at", "order"])
        self._cursor = cursor
        cursor.observe(self._cursor_moved, names=["at", "order"])
        self._cursor_moved()

    def _cursor_moved(self, change: object = None) -> None:
        with self.hold_trait_notifications():
            self.at = self._within(self._cursor.at)
            self.order = self._cursor.order

    def _moved(self, change: dict[str, Any]) -> None:
        name, new = change["name"], change["new"]
        if name == "at" and new == self._within(self._cursor.at):
            return  # it only follows: a shorter run does not draw the others back to its end
        self._cursor.set_trait(name, new)

    @traitlets.validate("at")
    def _at(self, proposal: dict[str, Any]) -> int:
        return self._within(int(proposal["value"]))

    def _within(self, at: int) -> int:
        return min(at, len(self.run) - 1)

    def close(self) -> None:
        """Let go of the run: a closed widget follows nothing, and nothing is shown in it."""
        if getattr(self, "_following", False):  # one that was refused never looked at a run
            self._following = False
            self._cursor.unobserve(self._cursor_moved, names=["at", "order"])
            self.source.common.unwatch(self)
        super().close()

    def grown(self) -> None:
        """Show what a session's run has become, here and in the widgets beside this one.

        A cursor at the live edge goes on with it; one that was moved back stays.
        """
        with self.source.lock:
            edge = len(self.run) - 1
            watching = self.source.watchers
            sources = {id(one): one for one in (self.source, *(w.source for w in watching))}
            grown = [one.refresh() for one in sources.values()]  # each, also after one grew
            grew = any(grown)
            for widget in watching:
                widget.taken(grew=grew)
            if grew and self._cursor.at >= edge:
                self._cursor.at = len(self.run) - 1

    def follow(self) -> None:
        """Show what has come in the session; an error is shown too, and ends nothing."""
        try:
            self.grown()
        except Exception as error:
            self._failed(None, error)

    def taken(self, *, grew: bool) -> None:
        """Tell the front end how the run stands now; its pages are made anew once it has ended."""
        with self.source.lock:
            session = self.source.session
            live = session is not None and session.live
            if not grew and live == self.head["live"]:
                self.head = self._head(complete=bool(self.head["complete"]))
            elif live:
                with self.hold_sync():
                    self.pages, self.texts = {}, {}
                    self.head = self._head(complete=False)
            else:
                self._fill()

    def _fill(self) -> None:
        made = self._pages.first(self.first_pages(), BUDGET)
        with self.hold_sync():
            self.pages, self.texts = made["pages"], made["texts"]
            self.head = self._head(complete=made["complete"])

    def show(self, source: Source) -> None:
        """Show another run in this widget's place, with its own cursor."""
        self.source.common.unwatch(self)
        self._shown += 1
        self.source = source
        self._pages = Pages(source, self.makers)
        source.common.watch(self)
        with source.lock, self.hold_sync():
            self._fill()
            self.cursor = source.cursor

    def _message(self, widget: object, content: JSON, buffers: object) -> None:
        """Answer the front end; an error is sent back and shown, never swallowed."""
        number = content.get("id") if isinstance(content, dict) else None
        try:
            if content["want"] == "here":
                self.send({"id": number, "done": True, "texts": {}})
            elif content["want"] == "page":
                made = self._pages.page(content["kind"], content["key"])
                self.send({"id": number, "done": made["page"], "texts": made["texts"]})
            else:
                want, given = content["want"], content.get("with") or {}
                action = self.actions()[want]
                if want in self.quick:
                    self.send({"id": number, "done": action(**given), "texts": {}})
                else:
                    self._spawn(number, action, given)
        except Exception as error:
            self._failed(number, error)

    def _spawn(self, number: JSON, action: Action, given: dict[str, JSON]) -> None:
        """Do what may take long beside the kernel's own thread, one thing at a time."""

        def work() -> None:
            if not self._busy.acquire(blocking=False):
                self.send({"id": number, "error": "still busy with the last request"})
                return
            try:
                self.problem = ""
                self.send({"id": number, "done": action(**given), "texts": {}})
            except BaseException as error:  # a failed run is shown like any other error
                self._failed(number, error)
            finally:
                self._busy.release()

        beside(work)

    def _failed(self, number: JSON, error: BaseException) -> None:
        told = "".join(traceback.format_exception_only(error)).strip()
        self.problem = told[:2000]
        self.send({"id": number, "error": told[:2000]})

    def face(self) -> str:
        """Return the static face: HTML with no script, for a notebook without a kernel."""
        run, events, audit = self.run, len(self.run), self.source.audit
        if events <= FACED:
            return run_html(run, audit=audit)
        title = f"{title_of(run)}: the first {FACED:,} of {events:,} events"
        return run_html(run.before(FACED), title=title, audit=audit)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.run!r}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        mine = {"text/plain": repr(self), "text/html": self.face()}
        return faced(super()._repr_mimebundle_(**kwargs), mine)


def _check_cursor(cursor: object, none: bool = False) -> None:
    right = none or isinstance(cursor, Cursor)
    check(right, "cursor", cursor, "a Cursor, as of another widget")
