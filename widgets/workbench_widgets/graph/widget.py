"""The graph view: who nominated, read and answered whom; or any graph of agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx  # type: ignore[import-untyped]

from workbench import Run, Session
from workbench.record.events import JSON
from workbench.views.export import write_page
from workbench_widgets.graph import payload
from workbench_widgets.graph.layout import GRIDS
from workbench_widgets.graph.picture import svg
from workbench_widgets.graph.selection import FACE_EDGES, Selection, selected
from workbench_widgets.graph.shapes import Edge, Node, draw
from workbench_widgets.shared.cursor import Cursor
from workbench_widgets.shared.faces import faced, halted
from workbench_widgets.shared.join import css, esm
from workbench_widgets.shared.source import Source
from workbench_widgets.shared.widget import RunWidget


class GraphView(RunWidget):
    """Agents as cards, and between them what passed.

    Of a run: who nominated, read and answered whom, in the turn at the cursor or since the run
    began, up to the cursor; the agent of the event at the cursor is lit, and so are the edges over
    which came what that event was made from. A click on a card or an edge lists the words that
    passed.

    Of a graph of agents: roles, probabilities and labels.

    Parameters
    ----------
    run_or_graph : Run, Session, Source or networkx.DiGraph
        Nodes of a graph may have ``role`` and ``probability``, edges ``probability`` and ``label``.
        Layers are topological generations; rings of agents stand in one layer.
    audit : Run, optional
    cursor : Cursor, optional
    title : str
        Of a graph.
    **options
        ``rail=False`` leaves out the buttons to step.

    Raises
    ------
    TypeError
        If a networkx graph has no directions.

    Examples
    --------
    >>> graph = nx.DiGraph([("analyst", "critic")])
    >>> GraphView(graph, title="Two agents")
    <GraphView of 2 agents, 1 edge>
    """

    _esm = esm("graph/widget.js", "graphView")
    _css = css("graph")
    makers = payload.MAKERS

    def __init__(
        self,
        run_or_graph: Run | Session | Source | nx.DiGraph,
        *,
        audit: Run | None = None,
        cursor: Cursor | None = None,
        title: str = "A graph of agents",
        **options: JSON,
    ) -> None:
        if isinstance(run_or_graph, nx.Graph):
            run_or_graph = payload.GraphSource(run_or_graph, title)
        super().__init__(run_or_graph, audit=audit, cursor=cursor, **options)

    def first_pages(self) -> Iterator[tuple[str, str]]:
        """Return the drawings, then what passed step by step, then the words."""
        return payload.first(self.source)

    def svg(self, *, size: str = "wide") -> str:
        """Return the picture of all that passed as SVG; the same graph gives the same text.

        Parameters
        ----------
        size : {"wide", "narrow"}
        """
        if size not in tuple(GRIDS):
            raise ValueError(f"size is one of {', '.join(GRIDS)}, not {size!r}")
        return self._picture(*payload.contents(self.source), size)

    def _picture(self, nodes: list[Node], edges: list[Edge], size: str = "wide") -> str:
        return svg(draw(nodes, edges, GRIDS[size]), self._label(), legend=payload.legend(edges))

    def _face(self) -> Selection:
        return selected(*payload.contents(self.source), most=FACE_EDGES)

    def save(self, path: str | Path) -> Path:
        """Write the picture to an SVG file; returns where it is."""
        where = Path(path)
        if where.suffix.lower() != ".svg":
            raise ValueError(f"{where}: the name of a picture ends in .svg")
        where.write_bytes(self.svg().encode(errors="replace"))
        return where

    def pyvis(self, path: str | Path) -> Path:
        """Write a page to drag and zoom, made by pyvis, that needs no network; returns where it is.

        Raises
        ------
        FileExistsError
            If a run, a folder or a device is there.
        ModuleNotFoundError
            Without pyvis: install ``mas-workbench[lab]``.
        """
        from workbench_widgets.graph.page import page

        nodes, edges = payload.contents(self.source)
        return write_page(path, page(nodes, edges, title=self._label()))

    def _label(self) -> str:
        title = self.head["title"]
        if isinstance(self.source, payload.GraphSource):
            return f"{title}: {self._size()}"
        return f"{title}: who nominated, read and answered whom"

    def _size(self) -> str:
        nodes, edges = payload.contents(self.source)
        return (
            f"{len(nodes)} agent{'' if len(nodes) == 1 else 's'}, "
            f"{len(edges)} edge{'' if len(edges) == 1 else 's'}"
        )

    def face(self) -> str:
        """Return the picture, with no script; of a large graph a part, and how much that is."""
        part = self._face()
        note = f"<p>{part.told} save() writes the whole picture.</p>" if part.told else ""
        picture = self._picture(part.nodes, part.edges)
        why = "" if isinstance(self.source, payload.GraphSource) else halted(self.source)
        return f'<div class="wbw-graph-face mathjax_ignore">{picture}{note}{why}</div>'

    def __repr__(self) -> str:
        if isinstance(self.source, payload.GraphSource):
            return f"<GraphView of {self._size()}>"
        return super().__repr__()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        if not self._face().whole:  # a picture alone would not say what is left out
            return bundle
        return faced(bundle, {"image/svg+xml": self.svg()})
