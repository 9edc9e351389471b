"""Write a report to a file, whole or not at all, and never over a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from workbench.cache import write_atomically
from workbench.record.log import SUFFIX
from workbench.record.run import Run, open_run
from workbench.views.report import Source, report_html

_RUN = b'{"v":'
"""How every line of a run file begins."""


def export(
    run: Source, path: str | os.PathLike[str], audit: Source | None = None, **options: Any
) -> Path:
    """Write the report on a run to a file, whole or not at all.

    A consultation or a verification without an audit gives its page to print, see
    `consultation_html`.

    Parameters
    ----------
    run, audit : Run or path
    path : path
        The file to write; folders are made, and a file that is there is replaced, though never a
        run. Through a link, the file that it leads to is written, and the link stays.
    **options
        As for `report_html`, or `consultation_html`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileExistsError
        If a run, a folder, a device, a pipe or a socket is there, or the name is one for runs.
    """
    whole = run if isinstance(run, Run) else open_run(run)
    if audit is None and whole.started.protocol in ("consultation", "verification"):
        from workbench.views.consultation.page import consultation_html

        return write_page(path, consultation_html(whole, **options))
    return write_page(path, report_html(whole, audit, **options))


def write_page(path: str | os.PathLike[str], html: str) -> Path:
    """Write a page to a file, whole or not at all, and never over a run.

    Raises
    ------
    FileExistsError
        As for `export`.
    """
    write_atomically(_free_for_a_report(path), html.encode(errors="replace"))
    return Path(path)


def _free_for_a_report(path: str | os.PathLike[str]) -> Path:
    """Return the file that `path` leads to, unless a report there would destroy something else."""
    try:
        target = Path(path).resolve()
    except (ValueError, RuntimeError) as error:  # a NUL; links in a ring
        raise FileNotFoundError(f"{os.fspath(path)!r}: no place for a report: {error}") from None
    if Path(path).name.endswith(SUFFIX) or target.name.endswith(SUFFIX):
        raise FileExistsError(
            f"{path}: {SUFFIX} is for runs, which nothing overwrites; choose a name such as "
            f"{Path(path).name.removesuffix(SUFFIX) or 'report'}.html"
        )
    if not os.path.lexists(target):
        return target
    if not target.is_file():
        raise FileExistsError(f"{path}: is not a regular file; choose another name")
    with target.open("rb") as file:
        if file.read(len(_RUN)) == _RUN:
            raise FileExistsError(
                f"{path}: is a run, and nothing overwrites one; choose another name"
            )
    return target
