"""Static files are named by their content and never stale (failures 34)."""

from __future__ import annotations

import gzip
from pathlib import Path

from starlette.requests import Request

from skyjo.web.assets import FOLDER, FOR_EVER, Assets


def request(path: str, encoding: str = "gzip, br") -> Request:
    headers = [(b"accept-encoding", encoding.encode())]
    return Request({"type": "http", "method": "GET", "path": path, "headers": headers,
                    "query_string": b"", "server": ("x", 80), "scheme": "http"})  # fmt: skip


def test_a_changed_file_has_another_name_and_the_old_name_is_gone(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a { color: red }")
    old = Assets(tmp_path)
    (tmp_path / "a.css").write_text("a { color: blue }")
    new = Assets(tmp_path)
    assert old.url("a.css") != new.url("a.css")
    assert old.build != new.build
    assert new.respond(request(old.url("a.css"))) is None


def test_files_may_be_kept_for_ever_and_are_packed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.min.js").write_text("let x = 1;\n" * 100)
    assets = Assets(tmp_path)
    url = assets.url("sub/a.min.js")
    assert url.startswith("/static/sub/a.min.")
    packed, plain = assets.respond(request(url)), assets.respond(request(url, "identity"))
    assert packed is not None
    assert plain is not None
    assert packed.headers["cache-control"] == FOR_EVER
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(bytes(packed.body)) == plain.body


def test_the_same_files_have_the_same_names_everywhere() -> None:
    assert Assets(FOLDER).build == Assets(FOLDER).build


def test_no_notes_of_ours_are_served() -> None:
    for path in FOLDER.rglob("*"):
        if path.suffix in {".md", ".txt"}:
            assert Assets(FOLDER).get(f"/static/{path.relative_to(FOLDER)}") is None
