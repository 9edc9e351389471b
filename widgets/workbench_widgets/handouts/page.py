"""Write a run, and a view of it, as one HTML file that works from a memory stick.

The page holds the data and one script; a policy in its head forbids every request and every other
script, so that nothing a model wrote can do anything but be read.
"""

from __future__ import annotations

import os
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Literal

import workbench_widgets.explore.payload as explore
import workbench_widgets.predict.payload as predict
from workbench import Run
from workbench.views.export import write_page
from workbench.views.html import run_html
from workbench.views.markup import safe
from workbench.views.turns import title_of
from workbench_widgets.predict.items import UNITS
from workbench_widgets.shared.arguments import check_switch
from workbench_widgets.shared.join import css, joined
from workbench_widgets.shared.source import JSON, Pages, Source, dumped, opened

View = Literal["explorer", "predict"]
_VIEWS = {"explorer": ("explore/widget.js", explore), "predict": ("predict/widget.js", predict)}


def handout(
    run: Run | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    audit: Run | str | os.PathLike[str] | None = None,
    comparison: Run | str | os.PathLike[str] | None = None,
    corpus: str | os.PathLike[str] | None = None,
    view: View = "explorer",
    presenter: bool = False,
    **options: JSON,
) -> Path:
    """Write a run as one HTML file for a class.

    Parameters
    ----------
    run, audit : Run or path
    path : path
        The file to write; one that is there is replaced, though never a run.
    comparison, corpus
        Of a consultation, in place of an audit; as `explorer` takes them.
    view : {"explorer", "predict"}
        Everything side by side, or turn by turn with a guess before each reveal.
    presenter : bool
        Large type, for a projector.
    **options
        As for the view's widget.

    Returns
    -------
    Path
        The file. It holds the whole run, prompts included: do not hand out what is secret. With
        ``view="predict"`` that is also what is to be guessed, for whoever reads the source.

    Raises
    ------
    FileExistsError
        If a run, a folder or a device is there.
    """
    html = handout_html(
        run,
        audit=audit,
        comparison=comparison,
        corpus=corpus,
        view=view,
        presenter=presenter,
        **options,
    )
    return write_page(path, html)


def handout_html(
    run: Run | str | os.PathLike[str],
    *,
    audit: Run | str | os.PathLike[str] | None = None,
    comparison: Run | str | os.PathLike[str] | None = None,
    corpus: str | os.PathLike[str] | None = None,
    view: View = "explorer",
    presenter: bool = False,
    **options: JSON,
) -> str:
    """Return what `handout` writes.

    Parameters
    ----------
    run, audit, comparison, corpus, view, presenter, **options
        As for `handout`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ValueError, TypeError
        If there is no such view, unit or option; if `run`, `audit` or `comparison` is not a run, or
        the audit is about another one; if the view shows no comparison or corpus of such a run.
    RunFileError
        If there is no run at a path.
    RunError
        If the comparison is about another run.
    """
    if view not in tuple(_VIEWS):
        raise ValueError(f"a hand-out has one of the views {', '.join(_VIEWS)}, not {view!r}")
    if options.keys() - {"unit"} or (options and view != "predict"):
        raise TypeError(f"the view {view!r} has no option {min(options)!r}")
    if options.get("unit", UNITS[0]) not in UNITS:
        raise ValueError(f"unit is one of {', '.join(UNITS)}, not {options['unit']!r}")
    if (comparison is not None or corpus is not None) and view != "explorer":
        raise TypeError(f"the view {view!r} shows no comparison= and no corpus=")
    check_switch("presenter", presenter)
    judged = None if audit is None else opened(audit, "audit= takes a Run")
    source = Source(opened(run, "a hand-out takes a Run"), judged)
    if comparison is not None or corpus is not None:
        source = explore.consulted(source, comparison, corpus)
    entry, module = _VIEWS[view]
    data = Pages(source, module.MAKERS).first(module.first(source), float("inf"))
    start = {
        "head": {**source.head(), "complete": True, "kernel": False},
        "pages": data["pages"],
        "texts": data["texts"],
        "options": {**options, "presenter": presenter},
        "at": 0,
        "order": "happened",
    }
    script = (
        f'(() => {{ "use strict";\n{joined(entry, "shared/page.mjs")}\n'
        f"mountPage({module.MOUNT}); }})();\n"
    )
    return _PAGE.format(
        policy=f"script-src '{_digest(script)}'",
        title=safe(title_of(source.run)[:200]),
        css=css(*module.STYLES),
        data=_embedded(start),
        script=script,
        static="" if view == "predict" else run_html(source.run, audit=source.audit),
    )


def _digest(script: str) -> str:
    return "sha256-" + b64encode(sha256(script.encode()).digest()).decode()


def _embedded(data: JSON) -> str:
    """Return JSON that ends no script element and starts no comment."""
    text = dumped(data).decode()
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; {policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; background: light-dark(#fbfaf7, #17181b); }}
main {{ max-width: 1400px; margin: 0 auto; padding: 16px; }}
{css}
</style>
</head>
<body>
<main id="view"><noscript>{static}</noscript></main>
<script type="application/json" id="run">{data}</script>
<script>{script}</script>
</body>
</html>
"""
