"""The Knowledge Analysis Layer as one protocol: three auditors over one run, in a run of their own.

Nothing flows back: the subject is recorded before it is judged, its digest does not change, and it
can be judged again by another model. Prompts quote the subject by sources such as
``3f2a9c11d0be:/turn=1/finance_analyst/proposal``, the beginning of its digest and a path in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from workbench.auditors import logic, rag, tom
from workbench.auditors.material import Material, material
from workbench.engine.commands import Steps, all_of
from workbench.engine.protocol import Bound, World, protocol
from workbench.errors import RunError
from workbench.record.events import Sampling
from workbench.record.run import Run, open_run


class Counts(BaseModel):
    """How many units each auditor judged, the unknown included."""

    model_config = ConfigDict(frozen=True)

    logic: int
    tom: int
    rag: int


def _world(embeddings: bool | str = True, **_: object) -> World:
    from workbench.knowledge.embedding import MiniLM
    from workbench.knowledge.tool import cosine_tool

    if isinstance(embeddings, str) and embeddings != MiniLM.name:
        raise RunError(f"the audit's encoder is {embeddings!r}, and here is {MiniLM.name!r}")
    return {"cosine": cosine_tool()} if embeddings else {}


@protocol("audit", world=_world)
def auditing(
    material: Material,
    embeddings: bool | str = True,
    temperature: float | None = 0.0,
    max_tokens: Annotated[int, Field(ge=1)] | None = 900,
    attempts: Annotated[int, Field(ge=1)] = 3,
) -> Steps[Counts]:
    """Judge every proposal, pair and search of the material, all at the same time.

    `embeddings` is the encoder's name; older audits have true.
    """
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
    judged: dict[str, Steps[Any]] = {}
    for proposal in material.proposals:
        judged[f"logic/{_place(proposal.path)}"] = logic.judge(
            proposal, material, sampling=sampling, attempts=attempts
        )
    for pair in material.pairs:
        judged[f"tom/{_place(pair.path)}/{pair.peer}"] = tom.judge(
            pair, material, embeddings=bool(embeddings), sampling=sampling, attempts=attempts
        )
    for search in material.searches:
        judged[f"rag/{search.path.strip('/')}"] = rag.judge(
            search, material, sampling=sampling, attempts=attempts
        )
    yield from all_of("", judged)
    return Counts(
        logic=len(material.proposals), tom=len(material.pairs), rag=len(material.searches)
    )


def audit(
    subject: Run | str | os.PathLike[str],
    *,
    embeddings: bool | None = None,
    auditors: Iterable[str] = ("logic", "tom", "rag"),
    **options: Any,
) -> Bound[Counts]:
    """Return the audit of a bi-layer run, to be given to `run`.

    Parameters
    ----------
    subject : Run or path
        Finished or not; of an unfinished run, what it has come to is judged.
    embeddings : bool, optional
        Whether the Theory-of-Mind auditor also computes cosines, by `MiniLM`, whose name the audit
        records; default: if it is installed.
    auditors : iterable of str
        Those that judge: any of ``logic``, ``tom``, ``rag``.
    **options
        ``temperature``, ``max_tokens``, ``attempts`` of the judge.

    Returns
    -------
    Bound
        Its run's result is how many units of each kind there were to judge.

    Raises
    ------
    RunError
        If the run is not of the bi-layer protocol.
    ValueError
        If `auditors` names none, or one that there is not.

    Examples
    --------
    >>> verdicts = await wb.run(wb.audit("a.run.jsonl"), lm=judge)  # doctest: +SKIP
    """
    chosen = {auditors} if isinstance(auditors, str) else set(auditors)
    unknown = chosen - {"logic", "tom", "rag"}
    if unknown or not chosen:
        raise ValueError(f"no such auditor: {', '.join(sorted(unknown)) or 'none given'}")
    from workbench.knowledge.embedding import MiniLM

    if embeddings is None:
        embeddings = MiniLM.installed()
    encoder = MiniLM.name if embeddings else False
    read = material(subject if isinstance(subject, Run) else open_run(subject))
    left_out = {field: () for field, name in _FIELDS.items() if name not in chosen}
    bound = auditing(read.model_copy(update=left_out), encoder, **options)
    return Bound(bound.protocol, bound.params, read.subject)


_FIELDS = {"proposals": "logic", "pairs": "tom", "searches": "rag"}


def _place(path: str) -> str:
    """Return ``turn=1/finance_analyst`` for a proposal's path."""
    return path.strip("/").rsplit("/", 1)[0]
