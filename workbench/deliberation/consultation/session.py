"""Consult or verify a corpus with given models, each in a role of its own: one call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.deliberation.consultation.conformance import LEAST_INTERPRETERS
from workbench.deliberation.consultation.consultation import (
    Outcome,
    check_conformant,
    consultation,
    verification,
)
from workbench.deliberation.consultation.interpretation import role_of
from workbench.engine.protocol import Bound
from workbench.engine.run import run
from workbench.errors import NonConformant

if TYPE_CHECKING:
    from workbench.lm.base import LM
    from workbench.record.run import Run

Folder = str | os.PathLike[str]


def interpreters(lms: Sequence[LM], n: int | None = None) -> tuple[tuple[str, ...], dict[str, LM]]:
    """Return the family of each interpreter, and the models by role.

    Fewer models than interpreters take turns: two models make interpreters 1 and 3 of the first and
    2 of the second. Two interpreters of one model differ by their seeds alone.

    Parameters
    ----------
    n : int, optional
        Interpreters; default: as many as models, and at least three.
    """
    if not lms:
        raise NonConformant("a session needs interpreters: give the language model of each")
    count = max(LEAST_INTERPRETERS, len(lms)) if n is None else n
    if count < len(lms):
        raise NonConformant(f"{len(lms)} models for {count} interpreters: one would never be asked")
    models = {role_of(k): lms[(k - 1) % len(lms)] for k in range(1, count + 1)}
    return tuple(lm.family for lm in models.values()), models


def bind_consultation(
    question: str | None, corpus: Folder, families: Sequence[str], **options: Any
) -> Bound[Outcome]:
    """Return a session over a corpus as it is now; without a question, a verification.

    Raises
    ------
    NonConformant
        If the interpreters are too few or of one family, and that was not allowed: before anything
        is read or sent.
    CorpusError
        If the corpus cannot be read.
    """
    from workbench.knowledge.corpus import Corpus

    told = tuple(families)
    check_conformant(told, bool(options.get("allow_nonconformant")))
    options.setdefault("passport", Corpus.read(Path(corpus)).passport.sha256)
    folder = os.fspath(corpus)
    if question is None:
        return verification(folder, told, **options)
    return consultation(question, folder, told, **options)


async def consult_corpus(
    question: str,
    corpus: Folder,
    lms: Sequence[LM],
    *,
    n: int | None = None,
    to: Folder | None = None,
    seed: int = 0,
    **options: Any,
) -> Run:
    """Consult a corpus with isolated interpreters (section 9, mode 2).

    Parameters
    ----------
    question : str
    corpus : path
        A folder of documents.
    lms : sequence of LM
        From two families at least; see `interpreters` for who gets which.
    n : int, optional
        Interpreters; default: as many as models, and at least three.
    to, seed
        As for `run`.
    **options
        Of `consultation`.

    Returns
    -------
    Run
        To be given to `synthesis` and `isolation`.

    Raises
    ------
    NonConformant
        Unless ``allow_nonconformant=True``, which marks every output.

    Examples
    --------
    >>> run = await wb.consult_corpus(
    ...     "How long is notice?", "corpora/handbook", [wb.LocalLM(), wb.LocalLM("smollm2")]
    ... )  # doctest: +SKIP
    >>> print(wb.synthesis(run))  # doctest: +SKIP
    """
    families, models = interpreters(lms, n)
    bound = bind_consultation(question, corpus, families, **options)
    return await run(bound, lm=models, to=to, seed=seed)


async def verify_corpus(
    corpus: Folder,
    lms: Sequence[LM],
    *,
    n: int | None = None,
    to: Folder | None = None,
    seed: int = 0,
    **options: Any,
) -> Run:
    """Have isolated interpreters assess a corpus of one's own (section 9, mode 1).

    Parameters
    ----------
    corpus, lms, n, to, seed
        As for `consult_corpus`.
    **options
        Of `verification`.

    Returns
    -------
    Run
        To be given to `synthesis` and `isolation`.

    Raises
    ------
    NonConformant
        As `consult_corpus` does.
    """
    families, models = interpreters(lms, n)
    bound = bind_consultation(None, corpus, families, **options)
    return await run(bound, lm=models, to=to, seed=seed)
