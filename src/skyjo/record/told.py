"""One game while its record is read: what is told is played, and refused where it cannot be.

The text and the JSON form differ only in how they tell an entry; both are played here. That
everything else in them is right is for the caller to compare with what is returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skyjo.errors import IllegalActionError, MalformedError, RecordError, SkyjoError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.record.parsing import Place, ToldPly
from skyjo.record.replay import Misfit, Replay
from skyjo.rules.deal import DECK
from skyjo.rules.plies import Deal, Ply, Reshuffle
from skyjo.rules.ruleset import Ruleset


class ToldGame:
    """A game that is played as a record tells it; all faults are RecordError with their place."""

    def __init__(self, players: Sequence[str], ruleset: Ruleset) -> None:
        self._replay = Replay(players, ruleset)

    @property
    def game(self) -> Game:
        """The game as far as it was told."""
        return self._replay.game

    def deck(
        self, cards: Sequence[tuple[int, Place]], start: Place, end: Place
    ) -> Deal | Reshuffle:
        """A deck or the order of a reshuffle, whichever is due, every card with its place."""
        game = self.game
        if not game.needs_deal and not game.needs_reshuffle:
            raise start.fault(N_("no deck is due here"))
        order = [card for card, _place in cards]
        self._replay.expect_order(order)
        check_cards(cards, DECK if game.needs_deal else game.cards_to_reshuffle, end)
        try:
            return self._replay.deal(order) if game.needs_deal else self._replay.reshuffle(order)
        except MalformedError as error:
            raise rewritten(error, start) from error

    def event(
        self, is_deal: bool, discard: int | None, start: Place, place: Place
    ) -> Deal | Reshuffle:
        """A deal or a reshuffle without its cards, told by the discard that lies open after it."""
        if is_deal and not self.game.needs_deal:
            raise start.fault(N_("no round can begin here"))
        if not is_deal and not self.game.needs_reshuffle:
            raise start.fault(N_("no reshuffle is due here"))
        try:
            if is_deal:
                return self._replay.deal(None, discard)
            return self._replay.reshuffle(None, discard)
        except MalformedError as error:
            raise rewritten(error, place) from error

    def ply(self, told: ToldPly) -> Ply:
        """An action; returns what it has shown."""
        try:
            return self._replay.play(told.ply)
        except IllegalActionError as error:
            raise told.place("action").fault(
                N_("this cannot be played: {reason}"), reason=str(error)
            ) from error
        except Misfit as error:
            raise rewritten(error, told.place(error.part, error.index)) from error
        except SkyjoError as error:
            raise rewritten(error, told.place("action")) from error


def check_cards(cards: Sequence[tuple[int, Place]], wanted: Sequence[int], end: Place) -> None:
    """Raise RecordError at the first card that is too many, or at the end if some are missing."""
    left = Counter(wanted)
    for card, place in cards:
        if not left[card]:
            raise place.fault(
                N_("one card of the value {card} too many; how many there are here: {count}"),
                count=wanted.count(card),
                card=card,
            )
        left[card] -= 1
    if len(cards) < len(wanted):
        raise end.fault(
            N_("cards expected: {wanted}; found here: {count}"),
            wanted=len(wanted),
            count=len(cards),
        )


def rewritten(error: SkyjoError, place: Place) -> RecordError:
    """The same fault, with its place."""
    return place.fault(error.message, **error.values)
