"""What every request passes: origins, sizes, headers, sessions (failures 26 to 30)."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from skyjo.web.security import same_origin


@pytest.mark.parametrize(
    ("origin", "host", "base_url", "same"),
    [
        ("http://192.0.2.7:8000", "192.0.2.7:8000", "", True),
        ("HTTP://Table.Local:8000", "table.local:8000", "", True),
        ("http://table.local", "table.local:80", "", True),
        ("https://play.example.org", "play.example.org", "", True),
        ("https://play.example.org", "play.example.org:443", "", True),
        ("https://play.example.org", "127.0.0.1:8000", "https://play.example.org", True),
        ("http://[::1]:8000", "[::1]:8000", "", True),
        ("http://evil.example", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8001", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8000.evil.example", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8000@evil.example", "192.0.2.7:8000", "", False),
        ("https://play.example.org.evil.example", "127.0.0.1", "https://play.example.org", False),
        ("null", "192.0.2.7:8000", "", False),
        ("", "192.0.2.7:8000", "", False),
        ("file://", "", "", False),
        ("http://", "", "", False),
        ("http://[", "[", "", False),
        ("http://a:99999999", "a", "", False),
        ("chrome-extension://abc", "abc", "", False),
    ],
)
def test_origins(origin: str, host: str, base_url: str, same: bool) -> None:
    assert same_origin(origin, Headers({"host": host}), base_url) is same
