"""Everything that one viewer of a pad is shown: pages and programs render this and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad.model import Change, Draft, Pad, PadRound
from skyjo.scorepad.reckoning import Reckoning
from skyjo.scorepad.rights import (
    deletion_refusal,
    is_complete,
    is_keeper,
    may_correct,
    may_save,
    may_take_over,
    may_type,
)


@dataclass(frozen=True, slots=True)
class PadScene:
    """A pad for one viewer.

    ``mine`` are the players that this device belongs to, ``taken`` those that any device does;
    ``may_type`` the players whose points it may note, ``may_save`` and ``may_correct`` as in
    ``rights``. ``may_take_over`` that it may become the keeper because the keeper is away,
    ``may_delete`` that it may delete the pad.
    ``to_target`` by seat how many points are missing to the end of the game.
    """

    id: str
    code: str
    version: int
    created: float
    changed_at: float
    phase: str
    ruleset: Ruleset
    names: tuple[str, ...]
    left: tuple[bool, ...]
    rounds: tuple[PadRound, ...]
    reckoning: Reckoning
    draft: Draft
    draft_is_complete: bool
    history: Sequence[Change]
    entering: str
    is_keeper: bool
    mine: tuple[int, ...]
    taken: tuple[int, ...]
    may_type: tuple[int, ...]
    may_save: bool
    may_correct: bool
    may_undo: bool
    may_redo: bool
    ended: bool
    sheet_version: int
    next_code: str
    circle: str
    may_take_over: bool
    may_delete: bool

    @property
    def number(self) -> int:
        """The number of the coming round."""
        return len(self.rounds) + 1

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.phase == "over"

    @property
    def to_target(self) -> tuple[int, ...]:
        """Points that are missing to the end of the game, by seat."""
        return tuple(self.ruleset.target - total for total in self.reckoning.sheet.totals)


def pad_scene(
    pad: Pad, holder: str = "", *, only_look: bool = False, keeper_away: bool = False
) -> PadScene:
    """The pad as a device may see it; ``only_look`` that it came by the link for onlookers."""
    me = "" if only_look else holder
    seats = range(len(pad.players))
    open_to_me = bool(me) and not only_look
    running = not pad.reckoning.is_over
    return PadScene(
        id=pad.id,
        code="" if only_look else pad.code,
        version=pad.version,
        created=pad.created,
        changed_at=pad.changed_at,
        phase=pad.phase,
        ruleset=pad.ruleset,
        names=pad.names,
        left=tuple(player.left for player in pad.players),
        rounds=pad.rounds,
        reckoning=pad.reckoning,
        draft=pad.draft,
        draft_is_complete=is_complete(pad),
        history=pad.history,
        entering=pad.entering,
        is_keeper=is_keeper(pad, me),
        mine=pad.seats_of(me) if me else (),
        taken=tuple(seat for seat in seats if pad.players[seat].holders),
        may_type=tuple(
            seat
            for seat in seats
            if open_to_me and running and not pad.players[seat].left and may_type(pad, me, seat)
        ),
        may_save=open_to_me and running and may_save(pad, me),
        may_correct=open_to_me and may_correct(pad, me),
        may_undo=open_to_me and may_correct(pad, me) and bool(pad.undo),
        may_redo=open_to_me and may_correct(pad, me) and bool(pad.redo),
        ended=pad.ended,
        sheet_version=pad.sheet_version,
        next_code=pad.next_code,
        circle=pad.circle,
        may_take_over=open_to_me and may_take_over(pad, me, keeper_away=keeper_away),
        may_delete=not deletion_refusal(pad, me),
    )


def pad_json(scene: PadScene) -> dict[str, Any]:
    """A pad as plain values: names, rules, and the rounds as entered and as reckoned."""
    sheet = scene.reckoning.sheet
    return {
        "skyjo": "pad",
        "format": 1,
        "date": datetime.fromtimestamp(scene.created, UTC).date().isoformat(),
        "ruleset": scene.ruleset.text(),
        "players": list(scene.names),
        "over": scene.is_over,
        "totals": list(sheet.totals),
        "ranks": list(sheet.ranks),
        "rounds": [
            {
                "points": list(line.entry.points),
                "closer": line.entry.closer if line.entry.closer >= 0 else None,
                "penalty": line.entry.penalty,
                "counted": list(result.points),
            }
            for line, result in zip(scene.rounds, sheet.rounds, strict=True)
        ],
    }
