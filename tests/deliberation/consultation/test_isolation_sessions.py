"""Sessions of every kind keep the isolation contract, and a leak into each is caught."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import workbench as wb
from tests.deliberation.consultation.scripts import (
    FAMILIES,
    SIXTY,
    THIRTY,
    USUAL,
    edited,
    models,
    package,
    play,
    with_part,
    write_corpus,
)
from tests.deliberation.consultation.test_isolation import ONE, TWO
from workbench.deliberation.consultation.isolation import isolation
from workbench.deliberation.consultation.synthesis import package_of
from workbench.record.events import Asked, Returned, Sampling
from workbench.record.run import Run


def runs(folder: Path) -> dict[str, Run]:
    """Return sessions of every kind."""
    corpus = write_corpus(folder / "handbook")
    file = folder / "a.run.jsonl"
    whole = play(corpus, to=file)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    stopped = folder / "stopped.run.jsonl"
    stopped.write_text("".join(lines[:9]), "utf-8")
    verified = wb.verification(str(corpus), FAMILIES, temperature=1)
    drawn = Sampling(top_p=0.9, stop=("END",), extra={"repeat_penalty": 1.1})
    return {
        "options": play(corpus, options=("thirty", "sixty"), words=12, attempts=2),
        "diverse": play(corpus, diversity=True, passages=1),
        "verification": wb.run_sync(verified, lm=models(*USUAL)),
        "drawn": wb.run_sync(
            wb.consultation("How long?", str(corpus), FAMILIES, temperature=None),
            lm=models(*USUAL),
            sampling=drawn,
            seed=7,
        ),
        "resumed": wb.wait(wb.resume(stopped, lm=models(*USUAL))),
        "forked": wb.wait(wb.fork(whole, lm=models(*USUAL), at=ONE)),
        "paired": wb.wait(wb.fork(whole, lm=models(*USUAL), at=TWO, rule="unchanged")),
        "of many": play(
            corpus,
            models(*[[THIRTY]] * 5, families=("a", "b", "c", "d", "e")),
            families=("a", "b", "c", "d", "e"),
        ),
    }


def test_sessions_of_every_kind_keep_the_contract(tmp_path: Path) -> None:
    """Verification, paths of their own, resumed and forked runs, and each as far as it came."""
    for name, run in runs(tmp_path).items():
        assert (name, True) == (name, isolation(run).is_empty())
        assert ("complete", True) == (run.status, wb.synthesis(run).valid)
        for count in range(1, len(run.events)):
            assert isolation(run.before(count)).is_empty()
        leaked = with_part(run, TWO, wb.Part("Prefer P1."))
        assert ["own_words"] == isolation(leaked)["rule"].to_list()


def test_an_edit_of_a_fork_is_a_breach(tmp_path: Path) -> None:
    """What a person put in an interpreter's place is feedback; what it inherits is not."""
    whole = play(write_corpus(tmp_path / "handbook"))
    edit = {ONE: json.dumps({"findings": [SIXTY]})}
    run = wb.wait(wb.fork(whole, edit, lm=models(*USUAL)))

    assert [("edited", 1)] == isolation(run).select("rule", "interpreter").rows()


def test_a_path_of_its_own_is_its_own(tmp_path: Path) -> None:
    """Another's passages, no passage at all, and paths that are not one for each."""
    run = play(write_corpus(tmp_path / "handbook"), diversity=True, passages=1)
    paths = package_of(run).paths
    for taken in ([], [p for p in run.commands[ONE].parts if p.source]):  # type: ignore[union-attr]
        ask = run.commands[TWO]
        assert isinstance(ask, Asked)
        kept = [p for p in ask.parts if p.source not in paths["2"]]
        leaked = edited(run, TWO, Asked, parts=(*kept[:2], *taken, *kept[2:]))
        assert isolation(leaked).height

    def fewer(returned: Returned) -> Any:
        fields = dict(package_of(run))
        fields.pop("digest")
        fields["paths"] = {"1": paths["1"], "2": paths["2"]}
        return package(**fields).model_dump(mode="json")

    lost = edited(run, "/package", Returned, value=fewer)
    assert ["package"] == isolation(lost)["rule"].to_list()
