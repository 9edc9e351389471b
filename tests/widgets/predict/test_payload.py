"""What there is to guess, sealed, and how far the shared cursor may go before each guess."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.scripts import CASE, judge, play
from tests.toys import debate
from tests.widgets.tom.runs import empty, odd
from workbench.agents.case import Case
from workbench.record.events import Answered, Asked
from workbench_widgets import Predict
from workbench_widgets.predict import payload
from workbench_widgets.predict.items import ORDERS, guessing
from workbench_widgets.shared.source import Pages, Source, dumped

SAMPLES = Path(__file__).parents[3] / "sample_runs"


def sample(name: str) -> Source:
    """Return a recorded run with its audit."""
    folder = SAMPLES / name
    return Source(
        wb.open_run(folder / f"{name}.run.jsonl"), wb.open_run(folder / f"{name}.audit.run.jsonl")
    )


def unsealed(seal: str) -> Any:
    """Return what was sealed."""
    return json.loads(b64decode(seal))


def hidden(source: Source, unit: str) -> list[str]:
    """Return the texts that are to be guessed."""
    found = []
    for group in guessing(source, unit).groups:
        seats = group.turn.seats.values() if group.turn else ()
        found += [seat.contribution or "" for seat in seats]
        found += [item.reply.text for item in group.items if item.reply]
    return [text for text in found if text]


def test_contributions_in_causal_order() -> None:
    """Each contribution is an item, turn by turn; so is a reply that could not be read."""
    source = Source(*odd())
    pages = [payload.group(source, f"contribution/{i}") for i in range(3)]

    assert payload.about(source, "contribution")["counts"] == [1, 3, 1]
    assert [i["agent"] for page in pages for i in page["items"]] == ["a", "a", "b", "c", "a"]
    assert unsealed(pages[1]["context"])["goal"] == "second"
    foreseen = [["a", "b will", "unknown", None], ["c", "b will not", None, None]]
    assert unsealed(pages[1]["items"][1]["hidden"]) == {"said": [["b", None, "no JSON", foreseen]]}
    assert unsealed(pages[1]["items"][0]["hidden"])["said"][0][3] == [
        ["c", "a will", "consistent", 0.5]
    ]


def test_turns() -> None:
    """A whole turn is one item, with its goal hidden as well."""
    source = sample("vance_v_innovate")
    page = payload.group(source, "turn/1")
    (item,) = page["items"]

    assert payload.about(source, "turn")["counts"] == [1, 1]
    assert item["path"] == "/turn=2/goal"
    assert len(item["seats"]) == 3
    told = unsealed(item["hidden"])
    assert told["goal"] == source.told.turns[1].goal
    assert [said[0] for said in told["said"]] == source.told.turns[1].nominated
    assert unsealed(page["context"])["before"]["number"] == 1


def test_a_run_without_turns_is_guessed_reply_by_reply() -> None:
    """Any protocol will do."""
    run = wb.run_sync(debate(), lm=wb.ScriptedLM(lambda asked: f"words of {asked.role}"))
    source = Source(run)
    about = payload.about(source, "turn")

    assert about["unit"] == "reply"
    assert about["counts"] == [1] * 6
    page = payload.group(source, "turn/0")
    assert unsealed(page["items"][0]["hidden"])["said"] == [["agent0", "words of agent0", None, []]]
    assert unsealed(page["context"])["prompt"] == ["You debate.", "Speak in turn 1."]


@pytest.mark.parametrize("unit", ["contribution", "turn"])
@pytest.mark.parametrize("name", ["vance_v_innovate", "aura_hub"])
def test_no_text_is_shipped_openly(name: str, unit: str) -> None:
    """Neither in the pages nor in the texts: a page's source does not tell it either."""
    source = sample(name)
    made = Pages(source, payload.MAKERS).first(payload.first(source, unit), float("inf"))
    shipped = dumped(made).decode()

    assert len(hidden(source, unit)) >= 4
    assert [text for text in hidden(source, unit) if json.dumps(text)[1:40] in shipped] == []
    assert made["complete"]


@pytest.mark.parametrize("unit", ["contribution", "turn"])
@pytest.mark.parametrize("which", [0, 1])
def test_no_edge_lies_after_what_tells(which: int, unit: str) -> None:
    """Up to the event before an item's edge, no answer and no fact holds the item's words."""
    source = Source(play(Case.model_validate(CASE)))
    order = source.order[ORDERS[which]]
    groups = guessing(source, unit).groups
    for place, group in enumerate(groups):
        rest = [item.edges[which] for later in groups[place:] for item in later.items]
        first = min(rest)
        assert order[first.position - 1] == first.before
        seen = [source.run.events[at] for at in order[: first.position]]
        texts = " ".join(e.text for e in seen if isinstance(e, Answered))
        texts += json.dumps([getattr(e, "data", None) for e in seen])
        for later in groups[place:]:
            for seat in later.turn.seats.values() if later.turn else ():
                assert seat.contribution
                assert seat.contribution not in texts
        if place + 1 < len(groups):
            assert group.later[which] == min(e for e in rest if e not in _own(group, which))
    assert any(isinstance(e, Asked) for e in seen)


def _own(group: Any, which: int) -> list[Any]:
    return [item.edges[which] for item in group.items]


def test_widget_keeps_guesses() -> None:
    """The teacher reads them, and can set them."""
    widget = Predict(odd()[0], audit=odd()[1])

    assert widget.guesses == []
    widget.guesses = [{"path": "/turn=1/a/proposal", "guess": "hm", "at_event": 2}]
    assert widget.get_state()["guesses"][0]["guess"] == "hm"
    with pytest.raises(ValueError, match="unit is one of contribution, turn, not 'word'"):
        Predict(empty(), unit="word")  # type: ignore[arg-type]


def test_at_event_is_the_event() -> None:
    """``at_event`` is the index of the fact at ``path``."""
    source = Source(play(Case.model_validate(CASE)))
    for i in range(2):
        for item in payload.group(source, f"contribution/{i}")["items"]:
            assert source.run.events[item["at"]].path == item["path"]


def test_face_and_empty_runs() -> None:
    """The static face has the whole run, folded; a run with nothing to guess says so."""
    run, audit = odd()
    face = Predict(run, audit=audit).face()

    assert "5 contributions to guess" in face
    assert face.index("<details") < face.index("a says in turn 2")
    assert "<script" not in face
    assert "0 replies to guess" in Predict(empty()).face()
    audit_of = wb.run_sync(wb.audit(play(Case.model_validate(CASE)), embeddings=False), lm=judge())
    assert payload.about(Source(audit_of), "contribution")["unit"] == "reply"
