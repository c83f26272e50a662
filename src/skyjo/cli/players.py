"""Who plays: ``Ana,Ben,bot:greedy`` as a person types it, and as a record tells it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from skyjo import bots
from skyjo.bots import Bot
from skyjo.errors import IllegalActionError, MalformedError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.table.names import clean_name, free_name, same_name

BOT_PREFIX: Final = "bot:"


@dataclass(frozen=True, slots=True)
class Player:
    """Whoever occupies a seat of a game in a terminal; ``bot`` is None for a person."""

    name: str
    bot: Bot | None = None


def read_players(text: str) -> list[Player]:
    """The players of a list with commas; bots of the same kind are numbered.

    Raises MalformedError for a name that is empty, too long or taken and for an unknown bot,
    IllegalActionError (``player_count``) for fewer than 2 or more than 8.

    >>> [player.name for player in read_players("Ana, bot:greedy, bot:greedy")]
    ['Ana', 'bot:greedy', 'bot:greedy 2']
    """
    players: list[Player] = []
    for part in text.split(","):
        players.append(_read_player(part.strip(), [player.name for player in players]))
    if not MIN_SEATS <= len(players) <= MAX_SEATS:
        raise IllegalActionError(
            "player_count",
            N_("Skyjo is played by 2 to 8 players, not by {count}."),
            count=len(players),
        )
    return players


def _read_player(text: str, taken: Iterable[str]) -> Player:
    if text.startswith(BOT_PREFIX):
        bot = bots.make(text.removeprefix(BOT_PREFIX))
        return Player(free_name(f"{BOT_PREFIX}{bot.name}", taken), bot)
    name = clean_name(text)
    if any(same_name(name, other) for other in taken):
        raise MalformedError(N_("two players cannot both be called {name}"), name=name)
    return Player(name)


def players_of_record(names: Sequence[str]) -> list[Player]:
    """The players of a recorded game: ``bot:greedy 2`` is a bot again, all others are people.

    Raises MalformedError for a bot that does not exist here.

    >>> [player.bot is not None for player in players_of_record(["Ana", "bot:greedy 2"])]
    [False, True]
    """
    return [_recorded(name) for name in names]


def _recorded(name: str) -> Player:
    if not name.startswith(BOT_PREFIX):
        return Player(name)
    return Player(name, bots.make(name.removeprefix(BOT_PREFIX).partition(" ")[0]))
