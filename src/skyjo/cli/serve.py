"""``skyjo serve``: the browser table, on an embedded database, without anything else."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from skyjo.errors import SkyjoError
from skyjo.i18n import N_, _, current_language
from skyjo.locks import take

if TYPE_CHECKING:
    from skyjo.web.settings import Settings

PORTS_TO_TRY = 50
DATABASE_VARIABLE = "SKYJO_DATABASE"
LOCK_NAME = "server.lock"
#: Seconds that open connections have to end before they are cut.
PATIENCE = 2
#: A database up to so many bytes is read whole at the start.
QUICKLY_READ = 100_000_000


@click.command(help=N_("Open a table in the browser, for this computer and the network at home."))
@click.option(
    "--host",
    default="0.0.0.0",  # noqa: S104 - the others at home are to join
    metavar=N_("ADDRESS"),
    show_default=True,
    help=N_("Listen on this address only, 127.0.0.1 for this computer alone."),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    metavar=N_("NUMBER"),
    show_default=True,
    help=N_("Listen on this port; if it is taken, on the next free one."),
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    metavar=N_("FOLDER"),
    help=N_("Keep the games in this folder instead of the usual one for data of programs."),
)
@click.option(
    "--database",
    default="",
    envvar=DATABASE_VARIABLE,
    metavar=N_("URL"),
    help=N_(
        "Keep the games in this PostgreSQL database, postgresql://USER@HOST/NAME, instead of a"
        " file in the folder. The variable SKYJO_DATABASE names it, too, and shows nobody its"
        " password."
    ),
)
@click.option(
    "--base-url",
    default="",
    metavar=N_("ADDRESS"),
    help=N_("The address at which people reach the server, if a proxy stands before it."),
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar=N_("ADDRESS"),
    help=N_("Believe this proxy (address or network) when it tells who connects through it."),
)
@click.option(
    "--keep",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    metavar=N_("DAYS"),
    help=N_("Delete what nobody has changed for so many days; without this nothing is deleted."),
)
@click.option(
    "--bot",
    "programs",
    multiple=True,
    metavar=N_("NAME=COMMAND"),
    help=N_("Offer a program that speaks the line protocol as a bot of this name at the tables."),
)
@click.option(
    "--metrics-from",
    "watchers",
    multiple=True,
    metavar=N_("ADDRESS"),
    help=N_("Show /metrics to this address or network, beside this computer itself."),
)
@click.option(
    "--log",
    type=click.Choice(["quiet", "text", "json"]),
    default="quiet",
    show_default=True,
    help=N_("Write a line for every request, for people or for programs."),
)
def serve(
    *,
    host: str,
    port: int,
    data: Path | None,
    database: str,
    base_url: str,
    proxies: tuple[str, ...],
    keep: float | None,
    programs: tuple[str, ...],
    watchers: tuple[str, ...],
    log: str,
) -> None:
    """Listen first, tell where, and load the rest while the first browser connects."""
    from skyjo.web.limits import checked_networks
    from skyjo.web.logs import configure
    from skyjo.web.settings import checked_base_url

    base_url = checked_base_url(base_url) if base_url else ""
    trusted = checked_networks("--trusted-proxy", proxies)
    watching = checked_networks("--metrics-from", watchers)
    offered = checked_programs(programs)
    configure(log)
    shown_database = checked_database(database)
    folder = data_folder(data)
    with owner_of(folder) as note, listening(host, port, base_url) as listener:
        if not database:
            check_games(folder)
        taken = listener.getsockname()[1]
        shown = addresses(host, taken)
        note(base_url or shown[0], local_address(host, taken), shown_database)
        if port not in (0, taken):
            text = _("Port {port} is taken by another program; using {taken}.")
            click.echo(text.format(port=port, taken=taken), err=True)
        settings = settings_for(
            folder,
            database=database,
            base_url=base_url,
            shown=shown,
            trusted_proxies=trusted,
            metrics_from=watching,
            keep_days=keep,
            programs=offered,
        )
        if not database:
            # A file is there at once; a database may not be, and then nothing is open.
            announce(base_url, shown)
        run(listener, settings, opened=partial(announce, base_url, shown) if database else None)
    click.echo(_("Stopped. All games are kept; start again to go on."))


def checked_programs(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Name and command of each bot given as NAME=COMMAND; SkyjoError for one that is no such thing.

    >>> checked_programs(["Rex=./rex --fast"])
    (('Rex', './rex --fast'),)
    """
    from skyjo.bots import names
    from skyjo.bots.process import words_of
    from skyjo.table.names import clean_name

    programs: dict[str, str] = {}
    for text in texts:
        name, sign, command = text.partition("=")
        if not sign:
            raise SkyjoError(
                N_("--bot is a name and a command, NAME=COMMAND, not '{text}'."), text=text
            )
        name = clean_name(name)
        if name in programs or name in names():
            raise SkyjoError(
                N_("There is a bot '{name}' already; --bot needs another name."), name=name
            )
        words_of(command)
        programs[name] = command
    return tuple(programs.items())


def checked_database(url: str) -> str:
    """The URL of a PostgreSQL database without its password; SkyjoError for anything else."""
    if not url:
        return ""
    from skyjo.store import shown_url

    shown = shown_url(url)
    if not shown.startswith("postgresql:"):
        raise SkyjoError(
            N_(
                "--database is a PostgreSQL database, postgresql://USER@HOST/NAME. A file is"
                " chosen by its folder: --data FOLDER."
            )
        )
    return shown


def data_folder(named: Path | None, *, make: bool = True) -> Path:
    """The folder for database and key; if ``make``, it is there then, for its owner only."""
    if named is None:
        from platformdirs import user_data_path

        named = user_data_path("skyjo", appauthor=False)
    if make:
        named.mkdir(mode=0o700, parents=True, exist_ok=True)
    return named


def check_games(folder: Path) -> None:
    """SkyjoError if the database of the folder is damaged or cannot be opened."""
    import sqlite3
    from contextlib import closing

    from skyjo.web.settings import DATABASE_NAME

    path = folder / DATABASE_NAME
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
            # The whole file as long as that takes no time to speak of.
            check = "quick_check(1)" if path.stat().st_size <= QUICKLY_READ else "schema_version"
            (found,) = connection.execute(f"PRAGMA {check}").fetchone()
    except sqlite3.OperationalError as error:
        raise SkyjoError(
            N_(
                "{path} cannot be opened: {reason}. See to it that you may read and write it, or"
                " name another folder with --data."
            ),
            path=path,
            reason=error,
        ) from error
    except sqlite3.DatabaseError as error:
        raise _damaged(path, str(error)) from error
    if isinstance(found, str) and found != "ok":
        raise _damaged(path, " ".join(found.split()))


def _damaged(path: Path, reason: str) -> SkyjoError:
    return SkyjoError(
        N_(
            "{path} is damaged: {reason}. Put a backup in its place with 'skyjo restore FILE"
            " --replace', or move it elsewhere and start anew."
        ),
        path=path,
        reason=reason,
    )


class ServerRunsError(SkyjoError):
    """A server holds the folder.

    ``address`` is its address for people, ``local`` the one for programs on this computer.
    """

    def __init__(self, folder: Path, address: str, local: str) -> None:
        super().__init__(
            N_(
                "A server for {folder} is running already: {address}. Open that address, or"
                " name another folder with --data."
            ),
            folder=folder,
            address=address,
        )
        self.address = address
        self.local = local


# --- one server a folder --------------------------------------------------------------------


@contextmanager
def owner_of(folder: Path) -> Iterator[Callable[[str, str, str], None]]:
    """Hold the folder as long as the block runs; SkyjoError if another server holds it.

    Yields what notes the addresses at which the holder can be reached, by people and by commands
    on this computer, and its database if that is not in the folder. The operating system lets go
    of the lock when the process ends, however it ends.
    """
    path = folder / LOCK_NAME
    with path.open("a+", encoding="utf-8") as file:
        hand_over(path, folder)
        if not take(file):
            file.seek(0)
            address = file.readline().strip() or "?"
            raise ServerRunsError(folder, address, file.readline().strip())

        def note(address: str, local: str, database: str) -> None:
            file.truncate(0)
            file.write(f"{address}\n{local}\n{database}\n")
            file.flush()

        yield note


def hand_over(path: Path, folder: Path) -> None:
    """Give a file to the owner of the folder, when root has made it in a server's folder.

    The server itself, which is not root, could not open it otherwise.
    """
    if sys.platform == "win32" or os.geteuid() != 0:
        return
    owner = folder.stat()
    os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def noted_database(folder: Path) -> str:
    """The database of the last server of a folder, "" if it is the file in the folder."""
    path = folder / LOCK_NAME
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return lines[2] if len(lines) > 2 else ""


# --- listening ------------------------------------------------------------------------------


@contextmanager
def listening(host: str, port: int, base_url: str = "") -> Iterator[socket.socket]:
    """A listening socket on this port or, unless a proxy expects it there, the next free one.

    From now on browsers can connect; they wait until the application has been loaded.
    """
    last = min(port + PORTS_TO_TRY, 65536)
    for number in range(port, last) if port else [0]:
        try:
            listener = bound(host, number)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and base_url:
                raise SkyjoError(
                    N_(
                        "Port {port} is taken by another program, but it is where the proxy of"
                        " {base_url} looks for the server. End that program, or name another port"
                        " with --port, here and to the proxy."
                    ),
                    port=number,
                    base_url=base_url,
                ) from None
            if error.errno == errno.EADDRINUSE:
                continue
            raise cannot_listen(host, number, error) from None
        with listener:
            yield listener
            return
    raise SkyjoError(
        N_("All ports from {first} to {last} are taken. Name another one with --port."),
        first=port,
        last=last - 1,
    )


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens on this very port.

    It names TCP as its protocol: asyncio turns off the delay of small packets (40 ms for every
    answer) only for such sockets, and ``socket.create_server`` makes others.
    """
    family, kind, _protocol, _name, place = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(1024)
    except BaseException:
        listener.close()
        raise
    return listener


def cannot_listen(host: str, port: int, error: OSError) -> SkyjoError:
    """The sentence for an address that does not work at all."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return SkyjoError(
            N_("Port {port} may not be used by you. Name one above 1023 with --port."), port=port
        )
    return SkyjoError(
        N_("This computer cannot listen on '{host}': {reason}. Name another address with --host."),
        host=host,
        reason=error.strerror or str(error),
    )


# --- telling --------------------------------------------------------------------------------


def addresses(host: str, port: int) -> tuple[str, ...]:
    """Every address of the start page in the local network, the best one first."""
    from skyjo.web.addresses import hosts, url

    return tuple(url(each, port) for each in hosts(host))


def local_address(host: str, port: int) -> str:
    """The address of the start page for programs on this computer.

    >>> local_address("0.0.0.0", 8000)
    'http://127.0.0.1:8000/'
    """
    from skyjo.web.addresses import WILDCARDS, url

    if host not in WILDCARDS:
        return url(host, port)
    return url("::1" if host == "::" else "127.0.0.1", port)


def announce(base_url: str, shown: tuple[str, ...]) -> None:
    """Tell the addresses, and draw the first one for the cameras of telephones.

    An address that only this computer can open is not drawn: no telephone gets there.
    """
    from skyjo.web.addresses import is_for_this_computer

    first = f"{base_url}/" if base_url else shown[0]
    lonely = is_for_this_computer(urlsplit(first).netloc)
    if base_url:
        click.echo(_("The table is open at:"))
    elif lonely:
        click.echo(_("The table is open, for this computer alone:"))
    else:
        click.echo(_("The table is open. Everybody in this network can join at:"))
    for address in dict.fromkeys((first, *shown)):
        click.echo(f"  {address}")
    code = "" if lonely else drawn(first)
    if code:
        click.echo(f"\n{code}", nl=False)
    click.echo(_("Ctrl-C closes it; all games are kept."))
    sys.stdout.flush()


def drawn(address: str) -> str:
    """The QR code, or nothing if the output cannot show the characters of which it is made.

    No telephone looks into the journal of a service either.
    """
    from skyjo.web.qr import for_terminal

    terminal = sys.stdout.isatty()
    if not terminal and "JOURNAL_STREAM" in os.environ:
        return ""
    colours = terminal and os.environ.get("TERM", "dumb") != "dumb"
    code = for_terminal(address, colours=colours)
    try:
        code.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return code


def alone(database: str, on_lost: Callable[[], None]) -> AbstractAsyncContextManager[None]:
    """Have no other server use the same database; a file is held together with its folder."""
    if not database:
        return nullcontext()
    from skyjo.store import only_server

    return only_server(database, on_lost)


# --- running --------------------------------------------------------------------------------


def settings_for(folder: Path, **options: Any) -> Settings:
    """The settings of this server, with the key of the folder."""
    from skyjo.web.keys import load_or_make
    from skyjo.web.settings import Settings

    return Settings(
        data=folder,
        key=load_or_make(folder),
        language=current_language(),
        **options,
    )


def run(
    listener: socket.socket, settings: Settings, opened: Callable[[], None] | None = None
) -> None:
    """Serve until Ctrl-C or SIGTERM; whoever is connected is told to come back later.

    ``opened`` is called when the database is open.
    """
    import asyncio

    import uvicorn

    from skyjo.web.app import create_app
    from skyjo.web.connections import (
        LightSocketProtocol,
        PatientProtocol,
        Places,
        allow_many_files,
        collect_garbage_seldom,
        notice_who_vanishes,
    )

    PatientProtocol.places = Places.of_files(allow_many_files(), settings.trusted_proxies)
    collect_garbage_seldom()
    notice_who_vanishes(listener)
    app = create_app(settings)

    class Server(uvicorn.Server):
        """Ends the streams before the connections."""

        def handle_exit(self, sig: int, frame: object) -> None:
            """End the streams first: nobody waits for a page that is only listening."""
            app.state.site.closing.set()
            super().handle_exit(sig, frame)  # type: ignore[arg-type]

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=settings.socket_message_limit,
        log_config=None,
        http=PatientProtocol,
        ws=LightSocketProtocol,
        timeout_graceful_shutdown=PATIENCE,
        lifespan="off",
    )

    server = Server(config)

    lost = False

    def on_lost() -> None:
        nonlocal lost
        lost = server.should_exit = True
        app.state.site.closing.set()

    async def until_stopped() -> None:
        # Entered here and not by uvicorn, so that a database of a newer program is a sentence.
        async with alone(settings.database, on_lost), app.router.lifespan_context(app):
            if opened is not None:
                opened()
            await server.serve([listener])
        if lost:
            raise SkyjoError(
                N_("Another server has taken the database over, so this one has stopped.")
            )

    def stop(_number: int, _frame: object) -> None:
        # Before uvicorn listens to signals, and once more when it has ended because of one.
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    asyncio.run(until_stopped())
