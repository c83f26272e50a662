"""Who deals in bulk play: decks, draws and reshuffles, shuffled only as far as cards are seen.

A round needs the 12 cards of every grid, the first discard, and as many cards of the draw pile as
are drawn. Each of them is picked at random from what is left at the moment it is needed (the inside
of a Fisher-Yates shuffle), so that the order is that of a complete shuffle, at the price of the
cards that are used.
"""

from __future__ import annotations

from typing import Final

from skyjo.rules.deal import (
    DECK,
    deal,
    needs_reshuffle,
    remaining_seats,
    reshuffle,
    reshuffled_cards,
)
from skyjo.rules.layout import DECK_SIZE, SLOTS, State
from skyjo.rules.ruleset import RESHUFFLE_ALL_FLIP_TOP
from skyjo.sim.dice import Dice, below, stream

#: What the numbers of a generator are for (beside the number of the round or game).
CARDS: Final = 0
PLAY: Final = 1

DEALER_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("fresh", DECK_SIZE, "small"),
    ("deck", DECK_SIZE, "small"),
    ("order", DECK_SIZE, "small"),
)


class Dealer:
    """Working space for decks, and the generators of cards and of play.

    ``fresh`` is the sorted deck, ``deck`` the one being dealt, ``order`` that of a reshuffle.
    ``cards`` feeds every shuffle of a round, ``play`` all decisions of the policies: what the
    policies do never changes the order of the deck.
    """

    __slots__ = ("cards", "deck", "fresh", "order", "play")
    FIELDS = DEALER_FIELDS

    def __init__(self) -> None:
        self.fresh = list(DECK)
        self.deck = list(DECK)
        self.order = list(DECK)
        self.cards = Dice()
        self.play = Dice()


def deal_round(s: State, d: Dealer, seed: int, number: int) -> None:
    """Begin the next round with the deck that the seed has for this number."""
    d.cards.state = stream(seed, CARDS, number)
    for place in range(DECK_SIZE):
        d.deck[place] = d.fresh[place]
    for place in range(remaining_seats(s) * SLOTS + 1):
        other = place + below(d.cards, DECK_SIZE - place)
        card = d.deck[place]
        d.deck[place] = d.deck[other]
        d.deck[other] = card
    deal(s, d.deck)


def before_draw(s: State, d: Dealer) -> None:
    """Reshuffle if need be, and decide which card of the draw pile is its top."""
    if needs_reshuffle(s):
        shuffle_discards(s, d)
    other = below(d.cards, s.draw_size)
    top = s.draw_size - 1
    card = s.draw_pile[top]
    s.draw_pile[top] = s.draw_pile[other]
    s.draw_pile[other] = card


def shuffle_discards(s: State, d: Dealer) -> None:
    """The discards become the draw pile; only a card that is turned up is picked at once."""
    count = reshuffled_cards(s)
    for place in range(count):
        d.order[place] = s.discard_pile[place]
    if s.rules.empty_draw == RESHUFFLE_ALL_FLIP_TOP:
        other = below(d.cards, count)
        card = d.order[0]
        d.order[0] = d.order[other]
        d.order[other] = card
    reshuffle(s, d.order)
