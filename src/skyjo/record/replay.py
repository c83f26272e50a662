"""Plays a recorded game again, with its decks or, without them, from what everybody saw.

>>> from skyjo.chance import SeededChance
>>> from skyjo.game import Game
>>> game = Game(["Ana", "Ben"])
>>> _ = game.deal(SeededChance(7).deck(1)), game.play("reveal r0c0", seat=0)
>>> [type(entry).__name__ for entry, _now in positions(game)]
['Deal', 'Ply']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from skyjo.chance import SeededChance
from skyjo.errors import MalformedError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.record.unseen import CELL, DRAW_PILE, FIRST_DISCARD, HAND, Place, Unseen
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    LEAVE,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    slot_of,
    verb_of,
)
from skyjo.rules.deal import remaining_seats
from skyjo.rules.layout import (
    DECK_SIZE,
    HIDDEN,
    HIGHEST,
    LOWEST,
    SLOTS,
    UNKNOWN,
)
from skyjo.rules.plies import Deal, Entry, Ply, Reshuffle
from skyjo.rules.ruleset import FACE_DOWN, RESHUFFLE_ALL_FLIP_TOP, Ruleset
from skyjo.rules.view import visible_discard

#: The seed of the arbitrary decks of games that are told without decks. It never changes, so
#: that a resumed game has the same hidden cards however often it is read.
ARBITRARY: Final = "a deck that nobody told"


class Misfit(MalformedError):
    """A card that was told, but cannot be where it was told to be.

    ``part`` is the field of the ply ("card", "replaced", "turned_up"), or "discard"; ``index``
    the number of the card in ``turned_up``.
    """

    def __init__(self, part: str, card: int, index: int = 0) -> None:
        super().__init__(N_("a {card} cannot be here, after all that was told before"), card=card)
        self.part = part
        self.index = index


def knows_all(cards: Sequence[int]) -> bool:
    """Whether a deck or an order of cards is told in full, without ``UNKNOWN`` cards."""
    return UNKNOWN not in cards


def public_entry(entry: Entry, game: Game) -> Entry:
    """A deal or reshuffle as everybody saw it happen: all cards ``UNKNOWN`` but an open discard.

    ``game`` is the game just after the entry; a ply is returned as it is.
    """
    if isinstance(entry, Deal):
        return Deal(entry.round, public_deck(game))
    if isinstance(entry, Reshuffle):
        return Reshuffle(public_order(game, len(entry.order)))
    return entry


def public_deck(game: Game) -> tuple[int, ...]:
    """What everybody sees of the deck just after it was dealt."""
    deck = [UNKNOWN] * DECK_SIZE
    deck[place_of_discard(game)] = visible_discard(game.state)
    return tuple(deck)


def place_of_discard(game: Game) -> int:
    """Where in a deck the first discard lies: who has left is dealt no cards (rules 2.2, 2.15)."""
    return remaining_seats(game.state) * SLOTS


def public_order(game: Game, size: int) -> tuple[int, ...]:
    """What everybody sees of a reshuffle's order just after it."""
    order = [UNKNOWN] * size
    if game.ruleset.empty_draw == RESHUFFLE_ALL_FLIP_TOP:
        order[0] = visible_discard(game.state)
    return tuple(order)


def positions(game: Game) -> Iterator[tuple[Entry, Game]]:
    """Every entry of a game's log with the game as it was just after it.

    The game yielded is one and the same object, moved on at each step; copy it to keep it.
    """
    replay = Replay(game.players, game.ruleset)
    for entry in game.log:
        replay.enter(entry)
        yield entry, replay.game


class Replay:
    """A game that is played as told; ``game`` is where it stands.

    In a round whose deck was not told, every card that is shown is put where it was seen, and
    the others lie in an arbitrary order (the same every time). The log of ``game`` then holds
    ``UNKNOWN`` for the cards that were not told.

    >>> replay = Replay(["Ana", "Ben"], Ruleset())
    >>> replay.deal(None, discard=12).deck.count(UNKNOWN)
    149
    >>> replay.game.view().discard_top
    12
    """

    def __init__(self, players: Sequence[str], ruleset: Ruleset) -> None:
        self.game = Game(players, ruleset)
        self._deck_is_known = True
        self._pile_is_known = True
        self._hand_is_unknown = False

    def enter(self, entry: Entry) -> Entry:
        """Play an entry of a log; returns it as it is now in the log of ``game``."""
        if isinstance(entry, Ply):
            return self.play(entry)
        cards = entry.deck if isinstance(entry, Deal) else entry.order
        told = cards if knows_all(cards) else None
        if isinstance(entry, Deal):
            return self.deal(told, _or_none(cards[place_of_discard(self.game)]))
        return self.reshuffle(told, _or_none(cards[0]))

    def deal(self, deck: Sequence[int] | None, discard: int | None = None) -> Deal:
        """Begin a round; without a deck its first discard is told, None if it lies face down.

        Raises as ``Game.deal`` does, and MalformedError when the first discard is missing.
        """
        known = deck is not None
        deal = self.game.deal(self._arbitrary_deck(discard) if deck is None else deck)
        self._deck_is_known = self._pile_is_known = known
        self._hand_is_unknown = False
        if not known:
            deal = Deal(deal.round, public_deck(self.game))
            self.game.log[-1] = deal
        return deal

    def _arbitrary_deck(self, discard: int | None) -> list[int]:
        deck = SeededChance(ARBITRARY).deck(self.game.state.round + 1)
        if discard is None:
            if self.game.needs_deal and self.game.ruleset.first_discard != FACE_DOWN:
                raise MalformedError(N_("the first discard lies face up, but was not told"))
            return deck
        if discard not in deck:
            raise Misfit("discard", discard)
        first, other = place_of_discard(self.game), deck.index(discard)
        deck[first], deck[other] = deck[other], deck[first]
        return deck

    def reshuffle(self, order: Sequence[int] | None, discard: int | None = None) -> Reshuffle:
        """Make a new draw pile; without an order the discard that lies open after it is told.

        Raises as ``Game.reshuffle`` does, Misfit when that discard cannot be, MalformedError when
        the order is not told in a round whose deck is.
        """
        if order is not None:
            self.expect_order(order)
            self._pile_is_known = True
            return self.game.reshuffle(order)
        if self.game.needs_reshuffle and self._pile_is_known:
            raise MalformedError(
                N_("the order of the reshuffle is missing: what is drawn in this round is told")
            )
        entry = self.game.reshuffle(self._arbitrary_order(discard))
        entry = Reshuffle(public_order(self.game, len(entry.order)))
        self.game.log[-1] = entry
        return entry

    def expect_order(self, order: Sequence[int]) -> None:
        """An order that is going to be told may tell which card the first discard is."""
        s = self.game.state
        if self._deck_is_known or not s.discard_down or not self.game.needs_reshuffle:
            return
        more = Counter(order) - Counter(self.game.cards_to_reshuffle[1:])
        if more.total() == 1:
            Unseen(s).put((FIRST_DISCARD, 0), *more)

    def _arbitrary_order(self, discard: int | None) -> list[int]:
        s = self.game.state
        flipped = s.rules.empty_draw == RESHUFFLE_ALL_FLIP_TOP and self.game.needs_reshuffle
        if flipped and discard is not None and discard not in self.game.cards_to_reshuffle:
            if not s.discard_down:
                raise Misfit("discard", discard)
            self._put(Unseen(s), (FIRST_DISCARD, 0), discard, "discard")
        cards = self.game.cards_to_reshuffle if self.game.needs_reshuffle else []
        order = SeededChance(ARBITRARY).reshuffle(cards, s.round, s.reshuffles + 1)
        if flipped and discard is not None:
            order.remove(discard)
            order.insert(0, discard)
        return order

    def play(self, told: Ply) -> Ply:
        """Play an action with what it is told to have shown; returns what it has shown.

        Whoever cares compares the two. Raises as ``Game.play`` does, and Misfit for a card that
        cannot be where it was told to be.
        """
        game = self.game
        if not self._deck_is_known and not game.refusal(told.action, told.seat):
            self._settle(told)
        ply = game.play(told.action, told.seat)
        if verb_of(told.action) == DRAW and told.card is None:
            self._hand_is_unknown = not self._pile_is_known
            ply = replace(ply, card=None)
            game.log[-1] = ply
        return ply

    def _settle(self, told: Ply) -> None:
        """Put every card that this action shows for the first time where it was seen."""
        unseen = Unseen(self.game.state, self._pile_is_known, self._hand_is_unknown)
        place = self._place_of_card(told)
        if place is not None and told.card is not None:
            self._put(unseen, place, told.card, "card")
        cell = told.seat * SLOTS + slot_of(told.action)
        if verb_of(told.action) == SWAP_VERB and told.replaced is not None and self._hidden(cell):
            self._put(unseen, (CELL, cell), told.replaced, "replaced")
        for index, turned in enumerate(told.turned_up):
            cell = turned.seat * SLOTS + turned.slot
            if self._hidden(cell):
                self._put(unseen, (CELL, cell), turned.card, "turned_up", index)

    def _place_of_card(self, told: Ply) -> Place | None:
        """Where the card of this action lies unseen; None if it is known already."""
        s = self.game.state
        verb = verb_of(told.action)
        if verb == DRAW:
            return (DRAW_PILE, s.draw_size - 1) if s.draw_size and not self._pile_is_known else None
        if verb == TAKE:
            return (FIRST_DISCARD, 0) if s.discard_size == 1 and s.discard_down else None
        if verb in (FLIP_VERB, REVEAL_VERB):
            return CELL, told.seat * SLOTS + slot_of(told.action)
        if verb in (SWAP_VERB, DISCARD) or (verb == LEAVE and s.turn == told.seat):
            unknown, self._hand_is_unknown = self._hand_is_unknown, False
            return (HAND, 0) if unknown else None
        return None

    def _hidden(self, cell: int) -> bool:
        return HIDDEN + LOWEST <= self.game.state.cells[cell] <= HIDDEN + HIGHEST

    def _put(self, unseen: Unseen, place: Place, card: int, part: str, index: int = 0) -> None:
        if not unseen.put(place, card):
            raise Misfit(part, card, index)


def _or_none(card: int) -> int | None:
    return None if card == UNKNOWN else card
