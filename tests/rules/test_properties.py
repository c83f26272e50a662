"""What must hold in every position of every game: conservation, totality, secrecy, replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.kit.games import Setup, plies, setups
from tests.kit.lockstep import Pair
from tests.kit.rulesets import Chosen, rulesets

from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import ACTIONS, LEAVE, action_name
from skyjo.rules.deal import DECK
from skyjo.rules.layout import HIDDEN, HIGHEST, NO_CARD, PLACE_OR_DISCARD, SLOTS, State
from skyjo.rules.plies import Deal, Entry, Ply, Reshuffle
from skyjo.rules.ruleset import Ruleset


def cards_of(s: State) -> Counter[int]:
    """Every card wherever it lies."""
    cells = [card for card in s.cells[: SLOTS * s.seats] if card != layout.REMOVED]
    cards = [card - HIDDEN if card > HIGHEST else card for card in cells]
    cards += s.draw_pile[: s.draw_size] + s.discard_pile[: s.discard_size]
    return Counter(cards + ([] if s.hand == NO_CARD else [s.hand]))


@given(setups())
@settings(max_examples=60)
def test_every_action_conserves_the_150_cards(setup: Setup) -> None:
    deck = Counter(DECK)
    for pair in plies(setup, checked=False):
        s = pair.state
        if s.round:
            assert cards_of(s) == deck, pair.log[-1]
            hidden = [
                sum(HIDDEN - 2 <= card <= HIDDEN + HIGHEST for card in cells_of(s, seat))
                for seat in range(s.seats)
            ]
            assert s.hidden[: s.seats] == hidden


def cells_of(s: State, seat: int) -> list[int]:
    return s.cells[SLOTS * seat : SLOTS * seat + SLOTS]


@given(setups())
@settings(max_examples=40)
def test_every_position_that_is_not_over_has_a_legal_action(setup: Setup) -> None:
    for pair in plies(setup, checked=False):
        game = pair.game
        s = game.state
        legal = {seat: game.legal_actions(seat) for seat in range(s.seats)}
        if s.phase in (layout.ROUND_OVER, layout.GAME_OVER):
            assert not any(legal.values())
            assert game.needs_deal == (s.phase == layout.ROUND_OVER)
        elif s.phase == layout.REVEAL:
            assert any(legal.values())
        else:
            assert legal[s.turn]
            assert s.hidden[s.turn] or s.phase == layout.MAY_REMOVE
            assert not any(legal[seat] for seat in legal if seat != s.turn)
        if pair.plies % 7 == 0:
            for seat, actions in legal.items():
                allowed = [a for a in range(ACTIONS) if not game.refusal(a, seat) and a != LEAVE]
                assert allowed == sorted(actions)


@given(setups(), st.integers(1, 400))
@settings(max_examples=60)
def test_a_log_played_again_gives_the_same_game(setup: Setup, length: int) -> None:
    game = stop_after(setup, length).game
    again = replay(game, game.log, lambda entry: entry)
    assert again == game
    copy = game.copy()
    assert copy == game
    if not game.is_over:
        copy.play("leave", next(seat for seat in range(8) if not game.state.left[seat]))
        assert copy != game
        assert again == game


@given(setups(), st.integers(1, 400), st.integers(0, 2**32))
@settings(max_examples=120)
def test_cards_that_a_seat_cannot_see_do_not_change_what_it_sees(
    setup: Setup, length: int, seed: int
) -> None:
    """The same game with the cards permuted that the seat does not know looks the same to it."""
    pair = stop_after(setup, length)
    game, rng = pair.game, Random(seed)
    assume(game.state.round > 0 and not game.is_over)
    for seat in (None, *range(game.state.seats)):
        other = replay(game, game.log, permuted(game, seat, rng))
        assert other.view(seat).values() == game.view(seat).values()
        assert list(other.visible_log(seat)) == list(game.visible_log(seat))


@given(setups(), st.integers(40, 400), st.integers(0, 2**32))
@settings(max_examples=40)
def test_the_unseen_counts_are_those_of_the_cards_that_are_hidden(
    setup: Setup, length: int, seed: int
) -> None:
    """Whatever lies face down may do so, whatever is drawn next could be drawn."""
    game = stop_after(setup, length).game
    s = game.state
    assume(s.round > 0 and not game.is_over)
    hidden = Counter(
        card - HIDDEN for card in s.cells[: SLOTS * s.seats] if HIDDEN - 2 <= card < layout.UNKNOWN
    )
    for seat in (None, *range(s.seats)):
        view = game.view(seat)
        may_be_hidden = Counter({v - 2: n for v, n in enumerate(view.may_be_hidden)})
        may_be_drawn = Counter({v - 2: n for v, n in enumerate(view.may_be_drawn)})
        pile = Counter(s.draw_pile[: s.draw_size])
        assert min(view.may_be_hidden + view.may_be_drawn) >= 0
        assert pile <= may_be_drawn
        if not s.reshuffles:
            assert hidden <= may_be_hidden == may_be_drawn
        elif may_be_drawn.total() == pile.total() + (view.hand == layout.UNKNOWN):
            assert hidden <= may_be_hidden


@given(rulesets())
def test_a_ruleset_is_read_back_from_its_text(chosen: Chosen) -> None:
    base, overrides = chosen
    ruleset = Ruleset.preset(base, overrides)
    assert Ruleset.parse(ruleset.text()) == ruleset
    specified = oracle.make_rules(base, **overrides)
    for knob, value in specified.items():
        assert ruleset.value(knob) == ("none" if value is None else str(value).lower())


# --- playing on, playing again --------------------------------------------------------------


def stop_after(setup: Setup, length: int) -> Pair:
    """A random game after that many plies, or at its end."""
    pair = setup.pair(checked=False)
    for pair in plies(setup, checked=False):
        if pair.plies >= length:
            break
    return pair


def replay(game: Game, log: Sequence[Entry], change: Callable[[Entry], Entry]) -> Game:
    """A new game that goes the way of a log, its chance changed."""
    again = Game(game.players, game.ruleset)
    for entry in map(change, log):
        if isinstance(entry, Deal):
            again.deal(entry.deck)
        elif isinstance(entry, Reshuffle):
            again.reshuffle(entry.order)
        else:
            again.play(entry.action, entry.seat)
    return again


def permuted(game: Game, seat: int | None, rng: Random) -> Callable[[Entry], Entry]:
    """Replaces the last deck and reshuffle by one that is the same as far as the seat can tell."""
    s = game.state
    deal = max((e for e in game.log if isinstance(e, Deal)), key=lambda entry: entry.round)
    later = game.log[game.log.index(deal) :]
    shuffles = [entry for entry in later if isinstance(entry, Reshuffle)]
    undrawn = s.draw_size + (s.phase == PLACE_OR_DISCARD and s.turn != seat)
    places = hidden_places(game, deal)
    changed: dict[int, Any] = {}
    if not shuffles:
        places += range(150 - undrawn, 150)
        if s.discard_down:
            places.append(sum(not left for left in left_at(game, deal)) * SLOTS)
    else:
        last = shuffles[-1]
        tail = range(len(last.order) - undrawn, len(last.order))
        changed[id(last)] = Reshuffle(shuffled_at(last.order, list(tail), rng))
    changed[id(deal)] = Deal(deal.round, shuffled_at(deal.deck, places, rng))
    return lambda entry: changed.get(id(entry), entry)


def hidden_places(game: Game, deal: Deal) -> list[int]:
    """The places in the deck of the cards that still lie face down where they were dealt."""
    places, dealt = [], 0
    for seat, left in enumerate(left_at(game, deal)):
        if not left:
            cells = cells_of(game.state, seat)
            places += [dealt + i for i, c in enumerate(cells) if HIDDEN - 2 <= c < layout.UNKNOWN]
            dealt += SLOTS
    return places


def left_at(game: Game, deal: Deal) -> list[bool]:
    """Who had left before this deal."""
    before = game.log[: game.log.index(deal)]
    gone = {e.seat for e in before if isinstance(e, Ply) and action_name(e.action) == "leave"}
    return [seat in gone for seat in range(game.state.seats)]


def shuffled_at(cards: Sequence[int], places: list[int], rng: Random) -> tuple[int, ...]:
    """The same cards, those at the given places in a new order."""
    values = [cards[place] for place in places]
    rng.shuffle(values)
    result = list(cards)
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return tuple(result)
