"""Who expected what of whom in a run, turn by turn, and where in the run each was said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from workbench import Run
from workbench.record.judgement import Judgement
from workbench.views.turns import Seat, Turn
from workbench_widgets.shared.places import goals
from workbench_widgets.shared.source import Source, turn

MOST = 40
"""Agents on the axes of a matrix."""

ALL = 24
"""Up to so many specialists have their places on the axes in every turn."""

Place = tuple[int, int]
"""The index of an event as they happened, and its position by path."""


class Pair(NamedTuple):
    """An evaluator and a peer of a turn, with what the one predicted and the other said.

    A pair is due where both were nominated, or where a prediction is there all the same. It is
    `over` where nothing more was to come when the run stopped.
    """

    evaluator: str
    peer: str
    predicting: Seat | None
    prediction: str | None
    saying: Seat | None
    judged: Judgement | None
    over: bool = True

    @property
    def said(self) -> str | None:
        """What the peer contributed; None where it said nothing that could be read."""
        return self.saying.contribution if self.saying else None

    @property
    def missing(self) -> str | None:
        """Why there is nothing to compare; None where prediction and contribution are there."""
        return self.no_prediction or self.no_contribution

    @property
    def unreached(self) -> bool:
        """Whether the run stopped before one of them came to speak, so that nothing is missing."""
        if self.over:
            return False
        if self.predicting is None or self.predicting.path is None:
            return True
        return self.prediction is not None and (self.saying is None or self.saying.path is None)

    @property
    def no_prediction(self) -> str | None:
        """Why there is no prediction; None where there is one."""
        if self.prediction is not None:
            return None
        if self.predicting is None or self.predicting.path is None:
            return "the predictor made no proposal"
        if self.predicting.contribution is None:
            return f"the predictor's reply could not be read: {self.predicting.unread}"
        return "the predictor's proposal has no prediction of this peer"

    @property
    def no_contribution(self) -> str | None:
        """Why there is no contribution; None where there is one."""
        if self.said is not None:
            return None
        if self.saying is not None and self.saying.path is not None:
            return f"the peer's reply could not be read: {self.saying.unread}"
        return "the peer said nothing in this turn"


class Board:
    """The pairs of a run.

    Attributes
    ----------
    turns : list of Turn
        Those with a goal or a proposal.
    agents : list of str
        The specialists, in the order of their first mention, then whoever else was foreseen.
    without : bool
        Whether the run was made without Theory of Mind, so that nothing is due.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.run: Run = source.run
        told = source.told
        self.turns: list[Turn] = [t for t in told.turns if t.goal is not None or t.seats]
        foreseen = (peer for t in self.turns for peer in _foreseen(t))
        self.agents: list[str] = list(dict.fromkeys((*told.agents, *foreseen)))
        self.index = {name: place for place, name in enumerate(self.agents)}
        self.without = self.run.started.params.get("mode") == "no_tom"

    def over(self, turn: Turn) -> bool:
        """Return whether a turn has ended: in one that has not, what is not there may come."""
        return (
            turn is not self.turns[-1] or turn.decision is not None or self.run.status == "complete"
        )

    def axes(self, turn: Turn) -> list[str]:
        """Return the agents on the axes of a turn's matrix, before any cut."""
        if len(self.agents) <= ALL:
            return self.agents
        return list(dict.fromkeys((*turn.nominated, *turn.seats, *_foreseen(turn))))

    def pairs(self, turn: Turn, among: list[str] | None = None) -> Iterator[Pair]:
        """Yield the pairs that are due in a turn, evaluator by evaluator."""
        names = self.axes(turn) if among is None else among
        for evaluator in names:
            yield from self.pairs_of(turn, evaluator, names)

    def pairs_of(self, turn: Turn, evaluator: str, peers: list[str]) -> Iterator[Pair]:
        """Yield an evaluator's pairs that are due in a turn."""
        seat = turn.seats.get(evaluator)
        predictions = dict(seat.predictions) if seat else {}
        due = not self.without and evaluator in turn.nominated
        path = seat.path if seat else None
        over = self.over(turn)
        for peer in peers:
            if peer == evaluator:
                continue
            if not (peer in predictions or (due and peer in turn.nominated)):
                continue
            judged = None if path is None else self.source.judged.tom.get((path, peer))
            said, ended = turn.seats.get(peer), over or peer not in turn.nominated
            yield Pair(evaluator, peer, seat, predictions.get(peer), said, judged, ended)

    def place(self, path: str | None) -> Place | None:
        """Return where the fact or command at a path stands."""
        at = None if path is None else self.source.places.get(path)
        return None if at is None else (at, self.source.positions["path"][at])

    @cached_property
    def goals(self) -> dict[int | None, str]:
        """The path of each turn's goal, by the turn's number."""
        return goals(self.run)

    @cached_property
    def turn_at(self) -> list[int]:
        """For each event, the place of its turn among `turns`; what is in none, the one before."""
        known = {t.number: place for place, t in enumerate(self.turns)}
        out: list[int] = []
        now = 0
        for event in self.run.events:
            number = turn(event)
            if number is not None:
                now = known.get(number, now)
            out.append(now)
        return out

    @cached_property
    def ends(self) -> list[tuple[Place, Place]]:
        """For each turn, its last event in both orders, as (index, position)."""
        out: list[list[Place]] = [[(0, 0), (0, 0)] for _ in self.turns]
        for which, name in enumerate(("happened", "path")):
            for position, at in enumerate(self.source.order[name]):
                if self.turns:
                    out[self.turn_at[at]][which] = (at, position)
        return [(happened, by_path) for happened, by_path in out]

    def whole(self, place: int) -> Place:
        """Return the events, in each order, from which all proposals of a turn can be seen."""
        seats = self.turns[place].seats.values()
        found = [p for seat in seats if (p := self.place(seat.path)) is not None]
        if not found:
            return self.ends[place][0][0], self.ends[place][1][0]
        return max(found)[0], max(found, key=lambda p: p[1])[0]


def _foreseen(turn: Turn) -> Iterator[str]:
    return (peer for seat in turn.seats.values() for peer, _ in seat.predictions)


def board_of(source: Source) -> Board:
    """Return the board of a source as its run is now."""
    return source.keep(Board)
