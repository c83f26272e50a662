"""``skyjo play``: a game in this terminal."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from skyjo.cli import options
from skyjo.cli.faults import as_usage
from skyjo.cli.rules import ruleset_from
from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_, _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skyjo.cli.hotseat import HotSeat
    from skyjo.cli.players import Player
    from skyjo.cli.screen import Screen
    from skyjo.rules.ruleset import Ruleset

EXIT_ENDED: Final = 1


@click.command(
    help=N_(
        "Play a game in this terminal: people who share the keyboard, and bots. Without --players"
        " it asks who plays. The game is recorded as it goes on and can always be resumed."
    )
)
@click.option(
    "--players",
    metavar=N_("NAMES"),
    help=N_("Who plays, 2 to 8 names with commas; these are bots: {bots}, bot:cmd:COMMAND."),
)
@options.RULESET
@options.KNOBS
@click.option(
    "--seed", metavar=N_("SEED"), help=N_("Play with the same decks and bots again: any word.")
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar=N_("FILE"),
    help=N_("Record the game in this new file instead of one in your own folder."),
)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar=N_("FILE"),
    help=N_("Go on with the recorded game where it stopped."),
)
@click.option(
    "--allow-program",
    "programs",
    multiple=True,
    metavar="cmd:COMMAND",
    help=N_("With --resume: start this program, which plays in the record; else it is refused."),
)
@click.option("--auto", is_flag=True, help=N_("Let bots play to the end without any input."))
@options.PLAIN
def play(
    *,
    players: str | None,
    ruleset: str | None,
    knobs: tuple[str, ...],
    seed: str | None,
    record: Path | None,
    resume: Path | None,
    programs: tuple[str, ...],
    auto: bool,
    plain: bool,
) -> int:
    """Play or resume a game; 1 if the input ended before the game did."""
    from skyjo.cli.screen import screen

    shown = screen(plain)
    if resume is not None:
        clash = {"--players": players, "--ruleset": ruleset, "--set": knobs, "--seed": seed}
        _refuse_with_resume({**clash, "--record": record})
        return _resumed(resume, programs, auto, shown)
    rules = ruleset_from(ruleset, knobs)
    seated = _players(players, auto, shown)
    return _new_game(seated, rules, seed=seed, record=record, auto=auto, shown=shown)


def _refuse_with_resume(options: dict[str, Any]) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise click.UsageError(
            _("{options} cannot be given with --resume.", options=", ".join(given))
        )


def _players(text: str | None, auto: bool, shown: Screen) -> list[Player]:
    from skyjo.cli.players import read_players

    if text is not None:
        with as_usage():
            seated = read_players(text)
    elif auto:
        raise click.UsageError(_("--auto needs --players, all of them bots."))
    else:
        seated = _asked_players(shown)
    if auto:
        _only_bots(seated)
    return seated


def _asked_players(shown: Screen) -> list[Player]:
    from skyjo import bots
    from skyjo.cli.players import read_players

    shown.say(_("Who plays? 2 to 8 names with commas; {key} explains it.", key="?"))
    shown.say(_("Bots: {names}", names=", ".join(f"bot:{name}" for name in bots.LADDER)))
    while True:
        try:
            text = shown.ask(_("Players:"))
        except EOFError:
            raise click.Abort from EOFError()
        if text.strip() in ("", "?"):
            _explain_players(shown)
            continue
        try:
            return read_players(text)
        except SkyjoError as error:
            shown.say(str(error))


def _explain_players(shown: Screen) -> None:
    from skyjo import bots

    shown.say(
        _(
            "Type the names in the order in which you sit, for instance: {example}",
            example="Ana, Ben, bot:casual",
        )
    )
    shown.say(_("These are bots; several may be of the same kind:"))
    for name in bots.LADDER:
        shown.say(f"  bot:{name}: {bots.says(name)}")
    others = [f"bot:{name}" for name in bots.names() if name not in bots.LADDER]
    shown.say(_("Others, to measure with: {names}", names=", ".join(others)))
    shown.say(_("bot:cmd:COMMAND is a program of your own that plays."))


def _only_bots(seated: Sequence[Player]) -> None:
    from skyjo.words import list_of

    people = [player.name for player in seated if player.bot is None]
    if people:
        raise click.UsageError(
            _("--auto is for bots only, and these are people: {names}", names=list_of(people))
        )


def _new_game(
    seated: Sequence[Player],
    rules: Ruleset,
    *,
    seed: str | None,
    record: Path | None,
    auto: bool,
    shown: Screen,
) -> int:
    from skyjo.cli.hotseat import HotSeat
    from skyjo.cli.players import SEED_TAG, bot_tags, start_programs
    from skyjo.game import Game
    from skyjo.record import RecordWriter

    game = Game([player.name for player in seated], rules)
    chosen = str(secrets.randbits(53))
    if seed is not None:
        with as_usage():
            chosen = checked_seed(seed)
    start_programs(seated)
    _tell_doubts(seated, rules, shown)
    writer = None
    if record is not None or not auto:
        now = datetime.now(UTC).astimezone()
        tags = {"Date": now.strftime("%Y-%m-%d"), SEED_TAG: chosen, **bot_tags(seated)}
        path = record or new_record_path(now)
        writer = RecordWriter.create(path, game, tags)
        shown.say(_("The game is recorded in {file}.", file=path))
    elif seed is None:
        shown.say(_("Seed: {seed}", seed=chosen))
    return _run(HotSeat(game, seated, seed=chosen, screen=shown, writer=writer, auto=auto))


def _resumed(path: Path, programs: Sequence[str], auto: bool, shown: Screen) -> int:
    from skyjo.cli.hotseat import HotSeat, penalty_mark
    from skyjo.cli.players import SEED_TAG, players_of_record, start_programs
    from skyjo.record import RecordWriter

    game, tags, writer = RecordWriter.resume(path)
    with writer:
        if game.is_over:
            shown.say(_("This game is over."))
            shown.sheet(game.score_sheet, penalty_mark(game.ruleset))
            return 0
        seated = players_of_record(game.players, tags, programs)
        if auto:
            _only_bots([each for seat, each in enumerate(seated) if not game.state.left[seat]])
        start_programs(seated)
        _tell_doubts(seated, game.ruleset, shown)
        seed = tags.get(SEED_TAG) or str(secrets.randbits(53))
        return _run(HotSeat(game, seated, seed=seed, screen=shown, writer=writer, auto=auto))


def _tell_doubts(seated: Sequence[Player], rules: Ruleset, shown: Screen) -> None:
    """What people should know of a bot under these rules."""
    from skyjo import bots

    named = dict.fromkeys(player.bot.name for player in seated if player.bot is not None)
    for said in filter(None, (bots.doubts(name, rules) for name in named)):
        shown.say(said)


def _run(session: HotSeat) -> int:
    """Play until the end, or until somebody stops; then say how to go on."""
    from skyjo.cli.hotseat import Stopped
    from skyjo.cli.players import lost_decisions, tell_result

    status = 0
    try:
        session.run()
        tell_result(session.players, session.game)
    except Stopped as stopped:
        status = EXIT_ENDED if stopped.ended else 0
        _say_how_to_go_on(session, after_prompt=stopped.ended)
    except KeyboardInterrupt:
        _say_how_to_go_on(session, after_prompt=True)
        raise
    except OSError:
        _say_how_to_go_on(session, after_prompt=True)
        raise
    finally:
        if session.writer is not None:
            session.writer.close()
        for line in lost_decisions(session.players):
            click.echo(line, err=True)
    return status


def _say_how_to_go_on(session: HotSeat, after_prompt: bool) -> None:
    """On standard error, so that it is seen when the output goes into a pipe."""
    from skyjo.cli.players import programs

    lines = [""] if after_prompt else []
    if session.writer is not None:
        words = ["play", "--resume", str(session.writer.path)]
        for program in programs(session.players):
            words += ["--allow-program", program]
        command = f"{own_name()} {shlex.join(words)}"
        lines.append(_("The game is kept. To go on: {command}", command=command))
    else:
        lines.append(_("The game was not recorded."))
    with suppress(OSError):
        sys.stdout.flush()
    sys.stderr.write("\n".join(lines) + "\n")


def own_name() -> str:
    """How this program can be called again from here, as the shell understands it."""
    name = os.environ.get("SKYJO_COMMAND")
    if name:
        return shlex.quote(name)
    started = Path(sys.argv[0])
    if started.stem == "__main__":
        return f"{shlex.quote(sys.executable)} -m skyjo"
    found = shutil.which(started.name)
    if started.parent == Path() or (found and Path(found).resolve() == started.resolve()):
        return shlex.quote(started.name)
    return shlex.quote(str(started))


def checked_seed(text: str) -> str:
    """A seed as it is stored. Raises MalformedError for one that is empty or too long.

    >>> checked_seed(" 7 ")
    '7'
    """
    seed = text.strip()
    if not seed or len(seed) > 100 or not seed.isprintable():
        raise MalformedError(N_("a seed is a word or number of at most 100 characters"))
    return seed


def games_folder() -> Path:
    """Where games are recorded when no file is named."""
    from platformdirs import user_data_path

    return user_data_path("skyjo", appauthor=False) / "games"


def new_record_path(now: datetime) -> Path:
    """A file that does not exist yet, named after the time; its folder is made."""
    folder = games_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stem = now.strftime("%Y-%m-%d-%H%M%S")
    path = folder / f"{stem}.skyjo"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.skyjo"
    return path
