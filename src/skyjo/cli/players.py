"""Who plays: ``Ana,Ben,bot:greedy`` as a person types it, and as a record tells it again."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from skyjo import bots
from skyjo.bots import Bot
from skyjo.bots.process import (
    START_SECONDS,
    Fault,
    ProcessPolicy,
    in_words,
    lost_in_words,
    parts_of,
)
from skyjo.cli.records import printable
from skyjo.errors import IllegalActionError, MalformedError
from skyjo.i18n import N_, _
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.table.names import BOT_PREFIX, clean_name, free_name, same_name

if TYPE_CHECKING:
    from skyjo.game import Game

SEED_TAG: Final = "Seed"
#: How long a program may take to end once it has heard how the game ended.
GOODBYE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Player:
    """Whoever occupies a seat of a game in a terminal; ``bot`` is None for a person."""

    name: str
    bot: Bot | None = None


def read_players(text: str) -> list[Player]:
    """The players of a list with commas; bots of the same kind are numbered.

    A comma in the command of a program is quoted, as for a shell.

    Raises MalformedError for a name that is empty, too long or taken and for an unknown bot,
    IllegalActionError (``player_count``) for fewer than 2 or more than 8.

    >>> [player.name for player in read_players("Ana, bot:greedy, bot:greedy")]
    ['Ana', 'bot:greedy', 'bot:greedy 2']
    """
    players: list[Player] = []
    for part in parts_of(text):
        players.append(_read_player(part, [player.name for player in players]))
    if not MIN_SEATS <= len(players) <= MAX_SEATS:
        raise IllegalActionError(
            "player_count",
            N_("Skyjo is played by 2 to 8 players, not by {count}."),
            count=len(players),
        )
    return players


def _read_player(text: str, taken: Iterable[str]) -> Player:
    if text[: len(BOT_PREFIX)].casefold() == BOT_PREFIX:
        bot = bots.make(text[len(BOT_PREFIX) :])
        return Player(free_name(f"{BOT_PREFIX}{bot.name}", taken), bot)
    name = clean_name(text)
    if any(same_name(name, other) for other in taken):
        raise MalformedError(N_("two players cannot both be called {name}"), name=name)
    return Player(name)


def bot_tags(players: Sequence[Player]) -> dict[str, str]:
    """The tags by which a record tells bots from people, as the web writes them, too.

    >>> bot_tags(read_players("Ana, bot:greedy"))
    {'Bot2': 'greedy'}
    """
    seats = enumerate(players, 1)
    return {f"Bot{place}": each.bot.name for place, each in seats if each.bot is not None}


def players_of_record(
    names: Sequence[str], tags: Mapping[str, str], programs: Iterable[str] = ()
) -> list[Player]:
    """The players of a recorded game: those with a tag ``Bot2`` are bots again.

    A record may come from anybody: of the bots that are programs only those are started that are
    among ``programs``, word for word. Raises MalformedError for any other, and for a bot that does
    not exist here.

    >>> seated = players_of_record(["Ana", "Clever"], {"Bot2": "greedy"})
    >>> [player.bot is not None for player in seated]
    [False, True]
    """
    allowed = {_program(each) for each in programs}
    specs = recorded_bots(names, tags)
    return [
        Player(name, _allowed_bot(specs[seat], allowed) if seat in specs else None)
        for seat, name in enumerate(names)
    ]


def recorded_bots(names: Sequence[str], tags: Mapping[str, str]) -> dict[int, str]:
    """The bots of a recorded game by seat.

    Records of earlier versions had no tags for bots, but names like ``bot:greedy 2``; they can be
    told by their seed, which only this program writes.

    >>> recorded_bots(["bot:greedy 2", "bot:x"], {"Bot2": "random"})
    {1: 'random'}
    >>> recorded_bots(["bot:greedy 2", "Ana"], {"Seed": "7"})
    {0: 'greedy'}
    """
    tagged = {
        seat: tags[f"Bot{seat + 1}"].strip()
        for seat in range(len(names))
        if f"Bot{seat + 1}" in tags
    }
    if tagged or SEED_TAG not in tags:
        return tagged
    return {
        seat: _old_spec(name.removeprefix(BOT_PREFIX))
        for seat, name in enumerate(names)
        if name.startswith(BOT_PREFIX)
    }


def _old_spec(text: str) -> str:
    return text if text.startswith(bots.PROGRAM) else text.partition(" ")[0]


def _program(text: str) -> str:
    """A program as somebody allows it, with or without what stands before it among players."""
    return text.strip().removeprefix(BOT_PREFIX)


def _allowed_bot(spec: str, allowed: Container[str]) -> Bot:
    if spec.startswith(bots.PROGRAM) and spec not in allowed:
        shown = printable(spec)
        raise MalformedError(
            N_(
                "this record wants to start the program '{command}'; if you know it and want that,"
                " add: {option}"
            ),
            command=shown.removeprefix(bots.PROGRAM),
            option=f"--allow-program {shlex.quote(shown)}",
        )
    return bots.make(spec)


def start_programs(players: Iterable[Player]) -> None:
    """Start the bots that are programs. Raises MalformedError for one that does not even start."""
    for player, policy in _policies(players):
        try:
            policy.start()
        except Fault as fault:
            raise MalformedError(
                N_("{bot} cannot be started: {why}"),
                bot=printable(player.name),
                why=in_words(fault, max(policy.seconds, START_SECONDS)),
            ) from fault


def lost_decisions(players: Iterable[Player]) -> list[str]:
    """A line for every program that has lost decisions, as in the arena."""
    return [
        _("{bot} lost decisions: {faults}", bot=player.name, faults=lost_in_words(policy.faults))
        for player, policy in _policies(players)
        if policy.faults
    ]


def tell_result(players: Iterable[Player], game: Game) -> None:
    """Tell the bots that are programs how the game has ended, and let them end."""
    for seat, player in enumerate(players):
        if player.bot is not None and isinstance(player.bot.policy, ProcessPolicy):
            player.bot.policy.finish(game.view(seat))
            player.bot.policy.close(GOODBYE_SECONDS)


def programs(players: Iterable[Player]) -> list[str]:
    """The commands of the bots that are programs, as ``--allow-program`` takes them."""
    names = [player.bot.name for player in players if player.bot is not None]
    return sorted({name for name in names if name.startswith(bots.PROGRAM)})


def _policies(players: Iterable[Player]) -> list[tuple[Player, ProcessPolicy]]:
    return [
        (player, player.bot.policy)
        for player in players
        if player.bot is not None and isinstance(player.bot.policy, ProcessPolicy)
    ]
