"""Consultations by scripted interpreters, each with something that a view must say plainly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.deliberation.consultation.scripts import (
    FAMILIES,
    LEAVE,
    NOTICE,
    SIXTY,
    THIRTY,
    USUAL,
    edited,
    found,
    models,
    play,
    told,
    with_part,
    write_corpus,
)
from tests.widgets.hostile import HOSTILE
from workbench.deliberation.consultation import isolation
from workbench.record.events import Posted
from workbench.record.run import Run

HANDBOOK = Path(__file__).parents[3] / "corpora" / "handbook"


def put_in(patch: pytest.MonkeyPatch) -> None:
    """Take a report that was put into a run for what its interpreter replied."""
    alone = isolation.rebuilt

    def rebuilt(run: Run, *of: Any) -> dict[str, Any]:
        meant = alone(run, *of)
        return meant | {p: f for p, f in run.facts.items() if p in meant and "findings" in f.data}

    patch.setattr(isolation, "rebuilt", rebuilt)


def usual(folder: Path) -> Run:
    """Two agree, one contradicts them, and one sees something alone; with a citation of nothing."""
    more = told(
        "Leave is asked for two weeks before.",
        LEAVE,
        "P99",
        ambiguities=["It does not say whose leave."],
        alternatives=["Two weeks is how long leave lasts."],
        confidence="low",
    )
    lms = models([THIRTY], [SIXTY], [THIRTY, more])
    return play(write_corpus(folder / "handbook"), lms)


def broken(folder: Path) -> Run:
    """Interpreter 2 was shown what interpreter 1 replied."""
    said = "The notice of staff is certainly thirty days in all cases."
    run = play(write_corpus(folder / "handbook"), models([told(said, NOTICE)], [SIXTY], [THIRTY]))
    leak = wb.Part(said, "/interpreter=1/report/try=1")
    return with_part(run, "/interpreter=2/report/try=1", leak)


def lost(folder: Path) -> Run:
    """Interpreter 3 writes nothing that can be read, so that two are left."""
    lms = models(*USUAL)
    lms["interpreter=3"] = wb.ScriptedLM(
        lambda _: "I would rather not.", name="qwen-1b", family="qwen"
    )
    return play(write_corpus(folder / "handbook"), lms)


def refused(folder: Path) -> Run:
    """Interpreter 3's model refuses to answer for now, so that the session stops."""
    answer = wb.LMError("rate limit: 429")
    return stopped(folder, {"interpreter=3": wb.ScriptedLM(lambda _: answer, family="qwen")})


def spent(folder: Path) -> Run:
    """Interpreter 2 has no tokens left."""
    return stopped(folder, {"interpreter=2": wb.limited(models(*USUAL)["interpreter=2"], tokens=5)})


def stopped(folder: Path, lms: dict[str, Any]) -> Run:
    """Return a session as far as it came."""
    with pytest.raises(wb.RunFailed) as failed:
        play(write_corpus(folder / "handbook"), models(*USUAL) | lms)
    return failed.value.run


def alike(folder: Path) -> Run:
    """All agree and nobody sees anything alone, and all are of one family."""
    families = ("qwen",) * 3
    lms = models([THIRTY], [THIRTY], [THIRTY], families=families)
    corpus = write_corpus(folder / "handbook")
    return play(corpus, lms, families=families, allow_nonconformant=True)


def versions(_: Path) -> Run:
    """Two versions of the handbook's rules on annual leave, read as if both held."""
    bound = wb.consultation("How many days of annual leave are there?", str(HANDBOOK), FAMILIES)
    old, new = (f"people/annual_leave_{year}.md#p1" for year in (2023, 2025))
    former = told("Annual leave is 25 days.", old)
    present = told("Annual leave is 27 days.", new)
    year = told("The leave year runs from 1 April.", old)
    return wb.run_sync(bound, lm=models([former], [present], [present, year]))


def diverse(folder: Path) -> Run:
    """Each interpreter has a path of its own, and one cites a document as a whole."""
    whole, passage = told("It is 30 days."), told("It is 60 days.")
    whole["passages"], passage["passages"] = ["notice.md"], [NOTICE]
    lms = models([whole], [passage], [whole])
    return play(write_corpus(folder / "handbook"), lms, diversity=True, passages=1)


def large(folder: Path, interpreters: int = 10, findings: int = 200, passages: int = 500) -> Run:
    """Many interpreters, findings and passages; every third interpreter reads another number.

    More than a report may have, so the findings are put into its fact (see `put_in`).
    """
    parts = {f"d{n:03}.md": f"# Part {n}\n\nThe notice is {n} days." for n in range(passages)}
    families = tuple(("qwen", "smol")[n % 2] for n in range(interpreters))
    lms = models(*([] for _ in families), families=families)
    corpus = write_corpus(folder / "large", parts)
    run = play(corpus, lms, families=families, passages=passages)
    for reader in range(1, interpreters + 1):
        places = [(reader * 7 + n) % passages for n in range(findings)]
        made = [
            found(
                f"{reader}.{n}",
                f"The notice is {10 * place + (reader % 3 == 0)} days.",
                f"d{place:03}.md#p1",
            ).model_dump(mode="json")
            for n, place in enumerate(places, 1)
        ]
        data = {"interpreter": reader, "findings": made}
        run = edited(run, f"/interpreter={reader}/interpretation", Posted, data=data)
    return run


def hostile(folder: Path) -> Run:
    """Texts that want to be more than text, as question, passages, models and all of findings."""
    texts = {f"d{n:02}.md": text for n, text in enumerate(HOSTILE) if text.strip()}
    del texts[next(name for name, text in texts.items() if "\0" in text)]  # no corpus holds one
    families = (HOSTILE[1], HOSTILE[3], HOSTILE[44])
    lms = models([], [], [], families=families)
    corpus = write_corpus(folder / "hostile", texts)
    run = play(corpus, lms, families=families, question=HOSTILE[0], passages=200)
    for reader in (1, 2, 3):
        made = [
            found(
                f"{reader}.{n}",
                text,
                f"{name}#p1",
                invalid=(text,),
                ambiguities=(text,),
                alternatives=(text,),
            ).model_dump(mode="json")
            for n, (name, text) in enumerate(texts.items(), 1)
        ]
        data = {"interpreter": reader, "findings": made}
        run = edited(run, f"/interpreter={reader}/interpretation", Posted, data=data)
    return run


def verified(_: Path) -> Run:
    """Verify the handbook."""
    bound = wb.verification(str(HANDBOOK), FAMILIES)
    said = told("Staff have 25 days of leave, and 28 days.", "P1", "P2")
    lms = models([said], [said], [told("Nothing contradicts.", "P1", sub_query="Q1")])
    return wb.run_sync(bound, lm=lms)


def empty(folder: Path) -> Run:
    """Nobody found anything."""
    return play(write_corpus(folder / "handbook"), models([], [], []))
