"""What is in an observation, and that nothing is in it that a seat may not know."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.conftest import ROOT
from tests.kit.rulesets import random_ruleset

from skyjo.env import OBSERVATION_VERSION, observation_size, planes
from skyjo.env.observation import BY_SEAT, GENERAL, bounds, fill_observation
from skyjo.env.tables import Setting, Tables
from skyjo.rules.layout import HIDDEN, MAX_SEATS, NO_CARD, PLACE_OR_DISCARD, SLOTS, State, View
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import fill_view

PAGE = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")


def positions(seed: int) -> Iterator[tuple[Tables, State]]:
    """Every position of a random episode under random rules."""
    rng = random.Random(seed)
    ruleset = Ruleset.preset(*random_ruleset(rng))
    tables = Tables(1, Setting(rng.randint(2, 8), ruleset, "game", turn_limit=30))
    tables.begin([seed])
    for _ in range(300):
        yield tables, tables.state()
        if tables.ends[0]:
            return
        tables.step(rng.choice(np.flatnonzero(tables.masks[0]).tolist()))


def observed(state: State, seat: int) -> NDArray[np.int8]:
    view = View(state.rules)
    fill_view(state, seat, view)
    row = np.full((1, observation_size(state.seats)), 77, np.int8)
    fill_observation(view, row, 0)
    return row[0]


def by_name(row: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
    """The planes of an observation of three seats."""
    return {name: row[start : start + plane.length] for name, start, plane in planes(3)}


def unseen_places(s: State, seat: int) -> list[tuple[str, int]]:
    """Where the cards lie that a seat may not know."""
    places = [("cells", cell) for cell in range(s.seats * SLOTS) if s.cells[cell] < NO_CARD - 2]
    places = [place for place in places if s.cells[place[1]] > 12]
    places += [("draw_pile", place) for place in range(s.draw_size)]
    if s.discard_down:
        places.append(("discard_pile", 0))
    if s.hand != NO_CARD and s.phase == PLACE_OR_DISCARD and s.turn != seat:
        places.append(("hand", 0))
    return places


def card_at(s: State, place: tuple[str, int]) -> int:
    name, number = place
    if name == "hand":
        return s.hand
    card: int = getattr(s, name)[number]
    return card - HIDDEN if name == "cells" else card


def put(s: State, place: tuple[str, int], card: int) -> None:
    name, number = place
    if name == "hand":
        s.hand = card
    else:
        getattr(s, name)[number] = card + HIDDEN if name == "cells" else card


@pytest.mark.parametrize("seed", range(12))
def test_exchanging_unseen_cards_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    for number, (_tables, state) in enumerate(positions(seed)):
        if number % 5 or state.reshuffles:
            # After a reshuffle the cards of the draw pile are known, though not their order.
            continue
        for seat in range(state.seats):
            places = unseen_places(state, seat)
            cards = [card_at(state, place) for place in places]
            rng.shuffle(cards)
            other = state.copy()
            for place, card in zip(places, cards, strict=True):
                put(other, place, card)
            assert np.array_equal(observed(state, seat), observed(other, seat))
            compared += other.values() != state.values()
    assert compared


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_draw_pile_is_never_seen(seed: int) -> None:
    rng = random.Random(seed)
    for _tables, state in positions(seed):
        other = state.copy()
        pile = other.draw_pile[: other.draw_size]
        rng.shuffle(pile)
        other.draw_pile[: other.draw_size] = pile
        for seat in range(state.seats):
            assert np.array_equal(observed(state, seat), observed(other, seat))


@pytest.mark.parametrize("seed", range(8))
def test_every_number_is_written_and_in_its_range(seed: int) -> None:
    for tables, state in positions(seed):
        low, high = bounds(state.seats)
        for seat in range(state.seats):
            row = observed(state, seat)
            assert (np.array(low) <= row).all()
            assert (row <= np.array(high)).all()
        assert np.array_equal(tables.observations[0], observed(state, int(tables.seats[0])))


def test_sizes_are_what_the_planes_say() -> None:
    for seats in range(2, MAX_SEATS + 1):
        name, start, plane = planes(seats)[-1]
        assert name == f"seat{seats - 1}.left"
        assert start + plane.length == observation_size(seats) == len(bounds(seats)[0])
    assert observation_size(2) <= 256
    with pytest.raises(ValueError, match="2 to 8"):
        planes(9)


def test_every_plane_says_what_it_shows() -> None:
    """A position by hand, read through the names of the planes."""
    tables = Tables(1, Setting(3, "official max_rounds=4", "game", compiled=False))
    tables.begin([5])
    for action in (4, 9, 5, 6, 8, 10, 1):
        tables.step([action])
    state = tables.state()
    seat = state.turn
    row = observed(state, seat)
    other = observed(state, (seat + 1) % 3)
    part, seen = by_name(row), by_name(other)
    assert part["phase"].tolist() == [0, 0, 0, 1, 0, 0]
    hand = ("hand", "hand_known", "hand_unknown")
    assert [part[name].item() for name in hand] == [state.hand, 1, 0]
    assert [seen[name].item() for name in hand] == [0, 0, 1]
    assert part["discard"] == state.discard_pile[0]
    sizes = ("draw_size", "discard_size", "rounds_left")
    assert [part[name].item() for name in sizes] == [112, 1, 3]
    assert part["may_be_drawn"].sum() == 112 + 30
    assert seen["may_be_drawn"].sum() == 112 + 30 + 1
    for place in range(3):
        cells = state.cells[(seat + place) % 3 * SLOTS :][:SLOTS]
        assert part[f"seat{place}.cards"].tolist() == [c if c <= 12 else 0 for c in cells]
        assert part[f"seat{place}.face_down"].tolist() == [int(c > 12) for c in cells]
        assert part[f"seat{place}.gone"].sum() == 0
        assert part[f"seat{place}.hidden"] == 10
        assert part[f"seat{place}.on_turn"] == part[f"seat{place}.starter"] == (place == 0)
        assert seen[f"seat{(place + 2) % 3}.cards"].tolist() == part[f"seat{place}.cards"].tolist()


def test_totals_are_in_percent_of_the_target() -> None:
    state = State(2, Ruleset(target=50))
    state.totals[:2] = [-3, 40]
    start = {name: at for name, at, _ in planes(2)}["seat0.total"]
    assert observed(state, 0)[start] == -6
    assert observed(state, 1)[start] == 80
    state.totals[0] = 10**9
    assert observed(state, 0)[start] == 127


@pytest.mark.parametrize("alike", [15, 16, 150])
def test_more_equal_cards_than_the_deck_has_stay_at_the_end(alike: int) -> None:
    """Bots are also asked in games that were dealt from a deck of their own."""
    state = State(2, Ruleset())
    state.draw_pile[:alike] = [5] * alike
    state.draw_size = alike
    seen = {name: observed(state, 0)[at] for name, at, _ in planes(2)}
    seen |= {name: observed(state, 0)[at + 7] for name, at, _ in planes(2) if "may" in name}
    assert (seen["may_be_hidden"], seen["may_be_drawn"]) == (15, 15)
    assert seen["draw_size"] == min(alike, 127)


def test_another_observation_is_another_version() -> None:
    """When this fails on purpose, raise OBSERVATION_VERSION and write the new digest down."""
    digest = hashlib.blake2b(digest_size=8)
    for seats in (2, 5):
        tables = Tables(4, Setting(seats, "family-columns", "game"))
        tables.begin([1, 2, 3, 4])
        for _ in range(400):
            tables.step(tables.sample())
            digest.update(tables.observations.tobytes() + tables.masks.tobytes())
    assert {OBSERVATION_VERSION: digest.hexdigest()} == {1: "30244ed6dff48aab"}


def test_the_page_has_every_plane() -> None:
    for plane in (*GENERAL, *BY_SEAT):
        low, high = str(plane.low), str(plane.high)
        numbers = rf"{plane.length} \| {low} \.\. {high}"
        row = rf"\| `{plane.name}` \| {numbers} \| {re.escape(plane.says)} \|"
        assert re.search(row, PAGE), plane.name
    assert f"version {OBSERVATION_VERSION}" in PAGE


@pytest.mark.parametrize("compiled", [False, True])
def test_a_very_long_round_stays_in_range(compiled: bool) -> None:
    """A round of swaps may go on for ever; the counts stay at the ends of their ranges."""
    tables = Tables(1, Setting(2, turn_limit=0, compiled=compiled))
    tables.begin([1])
    for turns in (100, 127, 128, 32_767, 32_768, 1_000_000):
        if compiled:
            tables._states["turns"][0] = turns
            tables._states["reshuffles"][0] = turns
        else:
            tables._states[0].turns[:] = [turns] * 8
            tables._states[0].reshuffles = turns
        seen = {name: tables.observe(0)[start] for name, start, _ in planes(2)}
        assert seen["seat0.turns"] == seen["seat1.turns"] == seen["reshuffles"] == min(turns, 127)


@pytest.mark.parametrize("ruleset", ["family", "plain empty_draw=reshuffle_all_flip_top"])
def test_eight_seats_that_only_draw_stay_in_range(ruleset: str) -> None:
    """The draw pile runs out again and again."""
    rules = f"{ruleset} penalty_flat=1000000"
    tables = Tables(1, Setting(8, rules, "game", turn_limit=60, compiled=False))
    tables.begin([3])
    low, high = (np.array(each) for each in bounds(8))
    reshuffles = 0
    while not tables.ends[0]:
        for seat in range(8):
            row = tables.observe(seat)
            assert ((low <= row) & (row <= high)).all()
        # Draw; then discard, and pass where that is allowed.
        mask = tables.masks[0]
        wanted = [action for action in (1, 2, 3) if mask[action]]
        tables.step((wanted or np.flatnonzero(mask).tolist())[:1])
        reshuffles = max(reshuffles, tables.state().reshuffles)
        if tables.state().round > 3:
            break
    assert reshuffles > 0
