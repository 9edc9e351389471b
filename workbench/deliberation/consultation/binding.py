"""Outputs bound to a corpus version (layer 7): written, held against the corpus, and verified.

An output file is JSON with the digest of its own content, of the run, of the package and of the
passport. A consistent forgery of all files at once is beyond digests: who has to rule that out
keeps the output's digest elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.cache import write_atomically
from workbench.deliberation.consultation.classes import NOW
from workbench.deliberation.consultation.facts import Synthesised
from workbench.deliberation.consultation.synthesis import (
    Synthesis,
    package_of,
    rules_of,
    synthesis,
    topology_in,
)
from workbench.engine.verify import replay
from workbench.errors import CorpusError, Diverged, RunError, RunFileError, WorkbenchError
from workbench.record.events import JSON
from workbench.record.run import Run

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.passport import Passport

SUFFIX = ".output.json"

Output = Synthesis | dict[str, JSON] | str | os.PathLike[str]
"""A synthesis, what was read from its file, or the file."""


@dataclass(frozen=True, slots=True)
class Currency:
    """Whether an output is authoritative for a corpus as it is now (Invariant 4).

    It is true in a condition where it is. Either way the output keeps its process validity for the
    version that was read.

    Attributes
    ----------
    passport : str
        Of the version that the output is bound to.
    now : str or None
        Of the corpus; None: it cannot be read.
    """

    passport: str
    now: str | None

    def __bool__(self) -> bool:
        return self.passport == self.now

    def __str__(self) -> str:
        told = f"valid for corpus version {self.passport[:12]}"
        if self:
            return f"{told}, which is current"
        by = "a corpus that cannot be read" if self.now is None else f"version {self.now[:12]}"
        return f"{told}, superseded by {by}"


class Discrepancy(NamedTuple):
    """Something that is not what its digest says: what (``corpus``, ``package``, ...) and how."""

    what: str
    how: str


def is_current(output: Output, corpus: Corpus | Passport | str | os.PathLike[str]) -> Currency:
    """Return whether an output is of the corpus as it is now.

    Parameters
    ----------
    output : Synthesis, dict or path
    corpus : Corpus, Passport or path
        A folder is read anew.

    Returns
    -------
    Currency
        True if it is.

    Raises
    ------
    RunFileError
        If the output's file cannot be read, or is none of a consultation.

    Examples
    --------
    >>> print(is_current(output, "handbook"))  # doctest: +SKIP
    valid for corpus version 31e61bf4940d, superseded by version 77a5aa5be4b0
    """
    bound = output.passport if isinstance(output, Synthesis) else _read(output)["passport"]
    return Currency(str(bound), _passport_now(corpus))


def save_output(made: Synthesis, path: str | os.PathLike[str]) -> Path:
    """Write an output as JSON, with the digest of its content; it is not written over another.

    Parameters
    ----------
    made : Synthesis
    path : path
        A new file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileExistsError
    """
    file = Path(path)
    if file.exists():
        raise FileExistsError(f"{file}: exists; nothing is overwritten, so choose another name")
    write_atomically(file, _written({"digest": made.digest, **made.to_json()}))
    return file


def read_output(path: str | os.PathLike[str]) -> dict[str, JSON]:
    """Read an output file.

    Parameters
    ----------
    path : path
        As `save_output` wrote it.

    Returns
    -------
    dict
        `Synthesis.to_json` with its ``digest``.

    Raises
    ------
    RunFileError
        If it is missing, no output, or a byte of it has changed since it was written.
    """
    made = _read(path)
    is_whole = made.get("digest") == _digest(made)
    if not is_whole or Path(path).read_bytes() != _written(made):
        raise RunFileError(f"{path}: changed since it was written; make it anew from its run")
    return made


def verify_output(
    run: Run,
    output: Output | None = None,
    corpus: Corpus | str | os.PathLike[str] | None = None,
    comparison: Run | None = None,
) -> list[Discrepancy]:
    """Return what does not fit together of a session; empty where everything does.

    Parameters
    ----------
    run : Run
        Of the session. Its replay must make every recorded report and the synthesis again, and its
        package must have its digest.
    output : Synthesis, dict or path, optional
        Must have its digest, and be what the run comes to.
    corpus : Corpus or path, optional
        Must have the passport, and the passages of the package word for word.
    comparison : Run, optional
        The comparer's run that the output rests on.

    Returns
    -------
    list of Discrepancy
        What cannot be read is one too.
    """
    found: list[Discrepancy] = []
    try:
        replay(run)
    except Diverged as error:
        found.append(Discrepancy(_kind_at(error.path), f"{error.path}: not what it follows from"))
    except WorkbenchError as error:
        found.append(Discrepancy("run", str(error).splitlines()[0]))
    try:
        package = package_of(run)
    except RunError as error:
        return [*found, Discrepancy("package", str(error))]
    try:
        known = topology_in(run, package, rules=rules_of(run)).to_json()
        found += [
            Discrepancy("synthesis", f"{fact.path}: not what the reports come to")
            for fact in run.facts_of("Synthesised")
            if Synthesised.read(fact).topology != known
        ]
        if output is not None:
            found += _output(run, output, comparison)
    except RunError as error:
        found.append(Discrepancy("report", str(error)))
    if corpus is not None:
        found += _corpus(corpus, package_of(run))
    return list(dict.fromkeys(found))


def _output(run: Run, output: Output, comparison: Run | None) -> list[Discrepancy]:
    found = []
    if isinstance(output, Synthesis):
        given: dict[str, JSON] = {"digest": output.digest, **output.to_json()}
    else:
        try:
            given = output if isinstance(output, dict) else read_output(output)
        except RunFileError as error:
            return [Discrepancy("output", str(error))]
    if given.get("digest") != _digest(given):
        found.append(Discrepancy("output", "its content is not what its digest says"))
    topology = given.get("topology")
    is_now = isinstance(topology, dict) and "rules" in topology
    made = synthesis(run, comparison, rules=NOW if is_now else 1)
    known = made.to_json()
    return found + [
        Discrepancy("output", f"its {name} is not what the run comes to")
        for name in sorted(known.keys() | given.keys() - {"digest"})
        if given.get(name) != known.get(name)
    ]


def _corpus(corpus: Corpus | str | os.PathLike[str], package: Any) -> list[Discrepancy]:
    from workbench.knowledge.corpus import Corpus

    try:
        read = corpus if isinstance(corpus, Corpus) else Corpus.read(Path(corpus))
    except CorpusError as error:
        return [Discrepancy("corpus", str(error))]
    found = []
    current = Currency(package.passport.sha256, read.passport.sha256)
    if not current:
        found.append(Discrepancy("corpus", str(current)))
    texts = {passage.id: passage.text for passage in read.passages}
    for passage in package.passages:
        if passage.id not in texts:
            found.append(Discrepancy("corpus", f"{passage.id} is not in it (any more)"))
        elif texts[passage.id] != passage.text:
            found.append(Discrepancy("corpus", f"{passage.id} is not as the package has it"))
    return found


def _passport_now(corpus: Corpus | Passport | str | os.PathLike[str]) -> str | None:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.passport import Passport

    if isinstance(corpus, Passport):
        return corpus.sha256
    if isinstance(corpus, Corpus):
        return corpus.passport.sha256
    try:
        return Corpus.read(Path(corpus)).passport.sha256
    except CorpusError:
        return None


def _read(output: dict[str, JSON] | str | os.PathLike[str]) -> dict[str, JSON]:
    if isinstance(output, dict):
        return output
    try:
        made = json.loads(Path(output).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise RunFileError(f"{output}: cannot be read as an output: {error}") from None
    if not isinstance(made, dict) or not isinstance(made.get("passport"), str):
        raise RunFileError(f"{output}: not the output of a consultation: it names no passport")
    return made


def _written(made: dict[str, JSON]) -> bytes:
    return (json.dumps(made, indent=1) + "\n").encode("ascii")


def _digest(made: dict[str, JSON]) -> str:
    body = {name: value for name, value in made.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _kind_at(path: str) -> str:
    if path.startswith("/package"):
        return "package"
    return "synthesis" if path == "/synthesis" else "report"
