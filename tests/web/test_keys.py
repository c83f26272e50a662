"""The key file: made once, whole, for its owner only."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skyjo.errors import SkyjoError
from skyjo.web import keys


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        key = keys.load_or_make(tmp_path)
    finally:
        os.umask(before)
    assert mode(tmp_path / keys.NAME) == 0o600
    assert keys.load_or_make(tmp_path) == key
    assert len(key) == 64
    assert [path.name for path in tmp_path.iterdir()] == [keys.NAME]


def test_the_file_is_never_open_to_others_not_even_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever exists when the content is flushed to disk is closed to others already."""
    seen: list[int] = []
    fsync = os.fsync

    def looking(handle: int) -> None:
        seen.extend(mode(path) for path in tmp_path.iterdir())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", looking)
    before = os.umask(0)
    try:
        keys.load_or_make(tmp_path)
    finally:
        os.umask(before)
    assert seen == [0o600]


def test_a_key_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    key = keys.load_or_make(tmp_path)
    (tmp_path / keys.NAME).chmod(0o644)
    assert keys.load_or_make(tmp_path) == key
    assert mode(tmp_path / keys.NAME) == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64, b"g" * 64])
def test_a_damaged_key_is_told_and_kept(tmp_path: Path, content: bytes) -> None:
    (tmp_path / keys.NAME).write_bytes(content)
    with pytest.raises(SkyjoError, match="backup"):
        keys.load_or_make(tmp_path)
    assert (tmp_path / keys.NAME).read_bytes() == content


def test_a_failing_disk_leaves_no_half_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        keys.load_or_make(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_many_starts_at_once_leave_one_whole_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: keys.load_or_make(tmp_path), range(16)))
    assert [path.name for path in tmp_path.iterdir()] == [keys.NAME]
    assert len(keys.load_or_make(tmp_path)) == 64
