"""Draws docs/images/board.svg (see scripts/picture); the same picture on every machine."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from skyjo import SeededChance, bots, words
from skyjo.cli.board import RichScreen
from skyjo.game import Game
from skyjo.rules.layout import CHOOSE

OUT = Path(__file__).resolve().parent.parent / "docs" / "images" / "board.svg"
PLAYERS = ("Ana", "Ben", "Cleo")
SEED = 20
TURNS = 4
#: Rich names fonts on a server; the viewer's own will do.
FONT_FACES = re.compile(r"\s*@font-face \{.*?\n    \}", re.DOTALL)


def position() -> Game:
    """The first seat's turn after a few turns of three bots."""
    game, bot, chance = Game(PLAYERS), bots.make("greedy"), SeededChance(SEED)
    game.deal(chance.deck(1))
    while game.turn != 0 or game.state.turns[0] < TURNS or game.state.phase != CHOOSE:
        seat = next(seat for seat in range(len(PLAYERS)) if game.legal_actions(seat))
        game.play(bot.decide(game.view(seat), SEED, game.plies), seat)
    return game


def picture() -> str:
    """The terminal at that position as SVG."""
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        width=80,
        record=True,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    screen, game = RichScreen(console), position()
    for ply in list(game.visible_log())[-4:]:
        screen.say(words.tell(ply, game.players))  # type: ignore[arg-type]
    screen.board(game.view(0), game.players)
    screen.say(words.status(game.view(0), game.players))
    screen.say("Ana [t/d/?]: ")
    return FONT_FACES.sub("", console.export_svg(title="skyjo play", unique_id="skyjo"))


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(picture(), encoding="utf-8")
