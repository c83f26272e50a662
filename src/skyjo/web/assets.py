"""Static files under names that hold a hash of their content, so that none is ever stale.

A page names a file by ``Assets.url``; the answer may be kept for ever. A changed file has another
name, and pages themselves are never kept.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

PREFIX: Final = "/static/"
FOLDER: Final = Path(__file__).parent / "static"
#: Files in the folder that are not for browsers.
_NOT_SERVED: Final = {".md", ".txt", ".py", ""}
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_COMPRESSED: Final = (".js", ".css", ".svg", ".webmanifest", ".json")
FOR_EVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent; ``packed`` is empty when packing does not pay."""

    url: str
    kind: str
    content: bytes
    packed: bytes


class Assets:
    """All static files, read once; ``build`` changes whenever any of them does.

    >>> Assets(FOLDER).url("vendor/htmx-4.0.1.min.js").startswith("/static/vendor/htmx-4.0.1.min.")
    True
    """

    def __init__(self, folder: Path) -> None:
        self._by_name = {
            path.relative_to(folder).as_posix(): _asset(path, folder)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in _NOT_SERVED
        }
        self._by_url = {asset.url: asset for asset in self._by_name.values()}
        self.build = hashlib.sha256("".join(sorted(self._by_url)).encode()).hexdigest()[:12]

    def url(self, name: str) -> str:
        """The address of a file by its name below the folder; KeyError if there is none."""
        return self._by_name[name].url

    def get(self, url: str) -> Asset | None:
        """The file at an address, None if there is none (any more)."""
        return self._by_url.get(url)

    def respond(self, request: Request) -> Response | None:
        """The answer to a request for a static file, None if there is no such file."""
        asset = self.get(request.url.path)
        if asset is None:
            return None
        headers = {"cache-control": FOR_EVER, "vary": "accept-encoding"}
        if asset.packed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(asset.packed, headers=headers, media_type=asset.kind)
        return Response(asset.content, headers=headers, media_type=asset.kind)


def _asset(path: Path, folder: Path) -> Asset:
    content = path.read_bytes()
    place = path.relative_to(folder)
    digest = hashlib.sha256(content).hexdigest()[:12]
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    packed = gzip.compress(content, 9, mtime=0) if path.suffix in _COMPRESSED else b""
    return Asset(
        url=f"{PREFIX}{place.with_suffix(f'.{digest}{path.suffix}').as_posix()}",
        kind=kind or "application/octet-stream",
        content=content,
        packed=packed if len(packed) < len(content) else b"",
    )
