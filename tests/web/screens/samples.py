"""Sample scenes for looking at pages: real games in chosen moments, and the pages around them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from markupsafe import Markup

from skyjo import bots
from skyjo.chance import SeededChance
from skyjo.game import Game
from skyjo.rules.actions import DRAW
from skyjo.rules.layout import (
    CHOOSE,
    FLIP,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    REVEAL,
    UNKNOWN,
)
from skyjo.rules.plies import Ply
from skyjo.rules.ruleset import FACE_DOWN, OPTIONAL, PLAYER_CHOICE, Ruleset
from skyjo.table.model import Phase, Seat, Table
from skyjo.table.rights import Attendance
from skyjo.table.scene import Scene, scene
from skyjo.web import qr

NAMES = ("Ana", "Ben", "Magdalena", "Юрко", "Zoë", "עדה", "Jean-Baptiste", "Ö")
ME = "me"
NOW = 1_800_000_000.0
LINK = "http://192.168.1.23:8000/t/KQWX7M2P"


def moves(game: Game, seed: int) -> Iterator[Game]:
    """Play a whole game with greedy bots; the game before every action."""
    chance = SeededChance(seed)
    policy = bots.make("greedy").policy
    reshuffles = 0
    while not game.is_over:
        if game.needs_deal:
            game.deal(chance.deck(len(game.rounds) + 1))
            reshuffles = 0
        yield game
        turn = game.turn
        seat = (
            turn
            if turn is not None
            else next(s for s in range(len(game.players)) if game.legal_actions(s))
        )
        action = policy(game.view(seat), random.Random(f"{seed} {game.plies}"))
        if action == DRAW and game.needs_reshuffle:
            reshuffles += 1
            cards = game.cards_to_reshuffle
            game.reshuffle(chance.reshuffle(cards, len(game.rounds) + 1, reshuffles))
        game.play(action, seat)
        if game.needs_deal:
            yield game
    yield game


def until(
    players: int, stop: Callable[[Game], bool], ruleset: Ruleset | None = None, seed: int = 3
) -> Game:
    """A game played up to the first moment that fits, in the first game that has one."""
    for number in range(seed, seed + 50):
        for game in moves(Game(NAMES[:players], ruleset), number):
            if stop(game):
                return game
    raise ValueError("no such moment in fifty games")


def table_of(game: Game | None, players: int, mine: tuple[int, ...] = (0,), **more: Any) -> Table:
    """A table with this game, people and bots on its seats."""
    table = Table("t1", code="KQWX7M2P", version=117, host=0, changed_at=NOW)
    for place in range(players):
        bot = "greedy" if place in (1, 5) else ""
        holders = frozenset({ME}) if place in mine else frozenset({f"h{place}"} - {"h1", "h5"})
        table.seats.append(Seat(place, NAMES[place], bot, frozenset() if bot else holders))
    table.game = game
    if game is not None:
        table.phase = Phase.OVER if game.is_over else Phase.PLAYING
        table.ruleset = game.ruleset
        if table.between_rounds:
            table.continue_at = NOW + 25
    for name, value in more.items():
        setattr(table, name, value)
    return table


def seen(
    table: Table, holder: str = ME, away: tuple[int, ...] = (), idle: tuple[int, ...] = ()
) -> Scene:
    """What one holder sees of it."""
    seats = range(len(table.seats))
    return scene(
        table,
        holder,
        Attendance(
            tuple(NOW - 300 if seat in away else None for seat in seats),
            tuple(NOW - 300 if seat in idle else None for seat in seats),
        ),
        NOW,
    )


def at(phase: int, *, turn: int = 0, round_: int = 2, turns: int = 4) -> Callable[[Game], bool]:
    """The moment when a seat is in a phase of its turn."""

    def fits(game: Game) -> bool:
        state = game.state
        return (
            state.round == round_
            and state.phase == phase
            and state.turn == turn
            and state.turns[turn] >= turns
        )

    return fits


def variables(table: Table, holder: str = ME, **more: Any) -> dict[str, Any]:
    """The variables of the table's templates."""
    away, idle, take = more.pop("away", ()), more.pop("idle", ()), more.pop("take", False)
    over = table.phase == Phase.OVER
    return {
        "scene": seen(table, holder, away, idle),
        "base": "/t/KQWX7M2P",
        "here": "/t/KQWX7M2P",
        "take": take,
        "link": LINK,
        "qr": Markup(qr.svg(LINK)),
        "bots": bot_choices(),
        "doubts": {},
        "usual_bot": "casual",
        "seat_links": {},
        "replay": "/replay/x" if over else "",
        "record": "/replay/x/record" if over else "",
        "problem": "",
        "reload": 0,
        **more,
    }


def bot_choices() -> list[SimpleNamespace]:
    """The bots on offer."""
    return [
        SimpleNamespace(name=name, label=bots.label(name), says=bots.says(name))
        for name in bots.LADDER
    ]


def last_turns(game: Game) -> bool:
    """Somebody has closed the second round and seat 0 has its last turn."""
    state = game.state
    return state.round == 2 and state.finisher > 0 and state.turn == 0 and state.phase == CHOOSE


def tables() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every moment worth looking at, with its name."""
    for players in (2, 3, 4, 5, 6, 8):
        yield f"choose{players}", variables(table_of(until(players, at(CHOOSE)), players))
    for players in (2, 8):
        yield (
            f"picked{players}",
            variables(table_of(until(players, at(CHOOSE)), players), take=True),
        )
        yield f"drawn{players}", variables(table_of(until(players, at(PLACE_OR_DISCARD)), players))
        yield f"flip{players}", variables(table_of(until(players, at(FLIP)), players))
        other = until(players, at(PLACE_OR_DISCARD, turn=1))
        yield f"other{players}", variables(table_of(other, players))
        yield f"reveal{players}", variables(table_of(until(players, opening), players))
        yield f"roundend{players}", variables(table_of(until(players, after_round(2)), players))
        yield (
            f"over{players}",
            variables(table_of(until(players, lambda game: game.is_over), players)),
        )
        yield (
            f"lobby{players}",
            variables(table_of(None, players), away=(2,) if players > 2 else ()),
        )
    yield "last8", variables(table_of(until(8, last_turns), 8))
    yield "away8", variables(table_of(until(8, at(CHOOSE, turn=2)), 8), away=(2, 4), idle=(3,))
    alike = table_of(until(8, at(CHOOSE)), 8)
    for number, seat in enumerate(alike.seats[1:], 1):
        seat.name = f"Greedy {number}" if number > 1 else "Greedy"
    yield "alike8", variables(alike)
    yield "onlooker4", variables(table_of(until(4, at(MUST_SWAP, turn=1)), 4), holder="nobody")
    yield "shared3", variables(table_of(until(3, at(CHOOSE)), 3, mine=(0, 2)))
    chosen = Ruleset(column_removal=PLAYER_CHOICE)
    removing = until(2, lambda game: at_turn(game, MAY_REMOVE), chosen)
    yield "remove2", variables(table_of(removing, 2))
    optional = Ruleset(flip_after_discard=OPTIONAL, first_discard=FACE_DOWN)
    yield "optional2", variables(table_of(until(2, at(FLIP), optional), 2))
    yield "facedown2", variables(table_of(until(2, hidden_top, optional), 2))
    given_up = table_of(until(3, at(CHOOSE, turn=1)), 3, phase=Phase.OVER, abandoned=True)
    yield "abandoned3", variables(given_up)
    left = until(4, at(CHOOSE, turn=1))
    left.play("leave", 3)
    table = table_of(left, 4)
    table.seats[3].left = True
    table.seats[2].stand_in = "away"
    yield "left4", variables(table, away=(2,))
    guest = variables(table_of(None, 3, mine=(2,)), host=0)
    yield "guest3", guest


def at_turn(game: Game, phase: int) -> bool:
    """Seat 0 is in this phase of its turn, in any round."""
    return game.state.phase == phase and game.turn == 0


def hidden_top(game: Game) -> bool:
    """Seat 0 may take a discard that lies face down."""
    return at_turn(game, CHOOSE) and game.view().discard_top == UNKNOWN


def opening(game: Game) -> bool:
    """The opening cards are being turned."""
    return game.state.phase == REVEAL and game.state.hidden[0] == 11


def after_round(number: int) -> Callable[[Game], bool]:
    """The end of a round."""
    return lambda game: len(game.rounds) == number and game.needs_deal


def replayed(players: int) -> dict[str, Any]:
    """A replay in the second round."""
    game = until(players, at(PLACE_OR_DISCARD, turn=1))
    return {
        "view": game.view(),
        "names": list(NAMES[:players]),
        "at": 80,
        "last": 200,
        "ply": next(entry for entry in reversed(game.log) if isinstance(entry, Ply)),
        "round": 2,
        "sheet": game.score_sheet,
        "rounds": [(1, 0), (2, 60), (3, 140)],
        "base": "/replay/x",
        "record": "/replay/x/record",
    }


def pages() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The other pages: name, template, variables."""
    game = SimpleNamespace
    games = [
        game(
            url="/t/A",
            code="KQWX7M2P",
            players=["Ana", "Ben", "עדה"],
            stage="playing",
            your_turn=True,
            problem="",
        ),
        game(
            url="/t/B",
            code="B3H9T2ZZ",
            players=["Ana"],
            stage="lobby",
            your_turn=False,
            problem="",
        ),
        game(
            url="/t/C",
            code="C8H9T2ZZ",
            players=["Ana", "Юрко"],
            stage="over",
            your_turn=False,
            problem="",
        ),
    ]
    start = {
        "name": "",
        "games": [],
        "bots": bot_choices(),
        "quick": game(bot="casual", count=2),
        "code": "",
        "problem": "",
        "gone": False,
    }
    yield "start-new", "start.html", start
    yield (
        "start-games",
        "start.html",
        start
        | {
            "name": "Ana",
            "games": games,
            "problem": "There is no table with this code. Check it with the host.",
        },
    )
    yield (
        "join",
        "join.html",
        {"code": "KQWX7M2P", "players": ["Ana", "Ben"], "name": "", "free": 6, "problem": ""},
    )
    yield "settings", "settings.html", {"back": "/"}
    yield "error", "error.html", {"status": 404, "problem": "There is no such page.", "back": ""}
    yield "rules", "rules.html", {}
    for step in (1, 4, 6, 10, 13):
        yield f"how{step}", "how.html", {"step": step}
    for players in (2, 8):
        yield f"replay{players}", "replay.html", replayed(players)
    table = table_of(until(3, at(CHOOSE)), 3)
    links = {
        "seat_links": {0: LINK + "/seat/abcdefghijklmnop"},
        "qrs": {0: Markup(qr.svg(LINK + "/seat/abcdefghijklmnop"))},
    }
    yield "seats", "seats.html", variables(table) | links
    yield "leave", "leave.html", variables(table) | {"seat": 0}
    yield "claim", "claim.html", variables(table) | {"token": "abc", "seat": 0}
