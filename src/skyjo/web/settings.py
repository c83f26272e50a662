"""What whoever starts the server may choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from skyjo.errors import SkyjoError
from skyjo.i18n import DEFAULT_LANGUAGE, N_
from skyjo.web.limits import Limits

DATABASE_NAME = "skyjo.sqlite3"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one server.

    ``data`` is the folder with database and key; ``database`` a database URL that is used instead
    of the file there; ``base_url`` the address at which people reach the server, when a proxy
    stands before it; ``shown`` the addresses in the local network, the best one first;
    ``language`` is spoken to browsers that ask for none of ours; ``trusted_proxies`` are believed
    when they tell a client's address; ``metrics_from`` are networks that may read the metrics,
    beside this computer; what nobody has changed for ``keep_days`` is deleted (None: nothing is);
    ``programs`` are bots that are programs of the operator's, a name and a command each; ``limits``
    is what everybody may do. Times are seconds, sizes bytes.
    """

    data: Path
    key: str
    database: str = ""
    base_url: str = ""
    shown: tuple[str, ...] = ()
    language: str = DEFAULT_LANGUAGE
    body_limit: int = 16_384
    import_limit: int = 8_000_000
    socket_message_limit: int = 4_096
    reload_seconds: int = 4
    trusted_proxies: tuple[str, ...] = ()
    metrics_from: tuple[str, ...] = ()
    keep_days: float | None = None
    programs: tuple[tuple[str, str], ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def database_url(self) -> str:
        """The database: the one that was named, or the file in the data folder."""
        return self.database or f"sqlite+aiosqlite:///{(self.data / DATABASE_NAME).absolute()}"


def checked_base_url(text: str) -> str:
    """An address without the last slash; SkyjoError if no browser could use it.

    >>> checked_base_url("https://play.example.org/")
    'https://play.example.org'
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise SkyjoError(
            N_("--base-url is an address like https://play.example.org, not '{text}'."), text=text
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise SkyjoError(
            N_("--base-url names a host of its own, without a path; '{text}' has more than that."),
            text=text,
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}"
