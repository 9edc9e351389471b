"""Run methods over items, one run file each, so that what was done is never done again.

::

    FOLDER/items.jsonl                    the items that were asked, with their gold answers
    FOLDER/methods.json                   the label of each folder of runs
    FOLDER/direct/ITEM.run.jsonl          one run; only this file decides what is left to do
    FOLDER/vote_n=3-957b9f/ITEM.run.jsonl
    FOLDER/direct/ITEM.failed-1.run.jsonl a run whose protocol raised, set aside

Items are the outer loop: whenever it is stopped, the methods have answered the same items, but for
the last. Runs come one after another unless more are asked for; the calls within a run go on at the
same time in any case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from workbench.datasets.item import Item
from workbench.datasets.read import read_items
from workbench.engine.drive import Models, OnEvent
from workbench.engine.loop import wait
from workbench.errors import DatasetError
from workbench.experiments.jobs import Did, Failure, check_same, once, work_off
from workbench.experiments.methods import Method, methods
from workbench.experiments.results import Results, results
from workbench.record.log import SUFFIX

ITEMS, METHODS = "items.jsonl", "methods.json"


class Done(NamedTuple):
    """What came of one method on one item; `why` tells of a failure or interruption."""

    method: str
    item: Item
    did: Did
    path: Path
    why: str = ""


async def bench(
    chosen: str | Iterable[str | Method],
    items: Iterable[Item],
    *,
    lm: Models,
    to: str | os.PathLike[str],
    seed: int = 0,
    runs_at_once: int = 1,
    on_event: OnEvent | None = None,
    on_done: Callable[[Done], None] | None = None,
) -> Results:
    """Run every method on every item, as far as that was not done before.

    A complete run is kept as it is; one that was interrupted goes on; one whose protocol raised, or
    whose file is damaged, is set aside and run anew. A run that fails does not stop the others.

    Parameters
    ----------
    chosen : str or iterable of (str or Method)
        Such as ``"direct,vote:n=3,maven"``; see `Method.parse`.
    items : iterable of Item
    lm : LM or mapping of str to LM
        Who answers, in all methods alike.
    to : path
        A folder: a new one, or that of an earlier benchmark with the same model and seed.
    seed : int
        Of every run.
    runs_at_once : int
        For an endpoint with room for many calls. On one machine, calls wait for each other anyway,
        and `Results.runs` then tells longer ``seconds``.
    on_event, on_done : callable, optional
        Are told each event, and each run once it is done with.

    Returns
    -------
    Results
        Of these methods and items.

    Raises
    ------
    RunFileError
        If a file in the folder is of another model, seed or parameters: they would be mixed up.
    CorpusError
        If a method searches a corpus that cannot be read. Its passport becomes a parameter.
    RunFailed
        If the model did not answer `MOST_FAILURES` runs in a row; what there is is kept.
    ValueError
        If there is no item or no method, or one is there twice; if `runs_at_once` is below 1.

    Examples
    --------
    >>> found = await wb.bench("direct,cot", items, lm=lm, to="out")  # doctest: +SKIP
    >>> found.compare("direct")  # doctest: +SKIP
    """
    asked, ways = tuple(items), tuple(map(_pinned, methods(chosen)))
    if not asked:
        raise ValueError("there is no item")
    first: dict[str, Item] = {}
    for number, item in enumerate(asked):
        same = first.setdefault(item.id, item)
        if len(first) <= number:
            where = f"{same.source} and {item.source}: " if item.source else ""
            raise ValueError(f"{where}an item is there twice: {item.question[:60]!r}")
    if runs_at_once < 1:
        raise ValueError(f"runs_at_once is {runs_at_once}; it starts at 1")
    bound = {(way.label, item.id): way.bound(item) for item in asked for way in ways}
    folder = Path(to)
    places = {(w.label, i.id): folder / w.folder / f"{i.id}{SUFFIX}" for w in ways for i in asked}
    for key, path in places.items():
        check_same(path, bound[key], lm, seed)
    for way in ways:
        (folder / way.folder).mkdir(parents=True, exist_ok=True)
    _remember(folder, asked, ways)

    async def one(job: tuple[Item, Method]) -> Failure:
        item, way = job
        path = places[way.label, item.id]
        did, error = await once(bound[way.label, item.id], path, lm, seed, on_event)
        if on_done is not None:
            on_done(Done(way.label, item, did, path, str(error or "")))
        return error

    await work_off(product(asked, ways), one, runs_at_once)
    return results(ways, asked, folder)


def bench_sync(*args: Any, **options: Any) -> Results:
    """Run a benchmark and wait for its end; takes what `bench` takes."""
    return wait(bench(*args, **options))


def read_bench(
    folder: str | os.PathLike[str], chosen: str | Iterable[str | Method] | None = None
) -> Results:
    """Return the results in a benchmark's folder, finished or not; nothing is run.

    Parameters
    ----------
    folder : path
    chosen : optional
        The methods; default: all that were run in the folder.

    Returns
    -------
    Results
        Of these methods and all items in the folder.

    Raises
    ------
    DatasetError
        If the folder has no items.
    """
    folder = Path(folder)
    asked = read_items(folder / ITEMS, "items")
    return results(_labelled(folder) if chosen is None else methods(chosen), asked, folder)


def _pinned(way: Method) -> Method:
    """Return a method that searches a corpus with the passport of the corpus as it is now."""
    corpus = way.params.get("corpus")
    if not isinstance(corpus, str) or "passport" in way.params:
        return way
    from workbench.knowledge.corpus import Corpus

    return replace(way, params={**way.params, "passport": Corpus.read(corpus).passport.sha256})


def _remember(folder: Path, asked: Iterable[Item], ways: Iterable[Method]) -> None:
    """Write what the folder has runs of, earlier benchmarks included: items, and methods."""
    path = folder / ITEMS
    known = {i.id: i for i in read_items(path, "items")} if path.exists() else {}
    known |= {item.id: item for item in asked}
    _write(path, "".join(item.model_dump_json() + "\n" for item in known.values()))
    labels = {way.folder: way.label for way in (*_labelled(folder), *ways)}
    _write(folder / METHODS, json.dumps(labels, indent=2) + "\n")


def _labelled(folder: Path) -> tuple[Method, ...]:
    """Return the methods that were run in a folder, by their labels.

    Raises
    ------
    DatasetError
        If the file that has them cannot be read.
    """
    path = folder / METHODS
    if not path.exists():
        return ()
    try:
        labels = json.loads(path.read_bytes())
        return tuple(Method(str(label), "") for label in labels.values())
    except (OSError, ValueError, AttributeError) as error:
        raise DatasetError(f"{path}: not the methods of a benchmark: {error}") from None


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, "utf-8")
    part.replace(path)
