"""No person is called like a bot, like nobody, or like somebody else, at a table or on a pad."""

from __future__ import annotations

import pytest
from tests.kit.tables import Room, asynchronous

from skyjo.errors import MalformedError
from skyjo.scorepad.decide import begin
from skyjo.table import commands as co
from skyjo.table.errors import RefusedError
from skyjo.table.names import clean_name

CALLED_LIKE_A_BOT = ["bot:greedy", "Bot:cmd:x", " b\u202eot: x"]
SAID = "A name cannot begin with bot:"


@pytest.mark.parametrize("name", CALLED_LIKE_A_BOT)
def test_nobody_at_a_table_is_called_like_a_bot(name: str) -> None:
    @asynchronous
    async def tried() -> None:
        room = Room()
        with pytest.raises(MalformedError, match=SAID):
            await room.create(name)
        await room.create("Ana")
        before = await room.stored()
        for attempt in (
            room.join(name),
            room.do("Ana", co.Rename(0, name)),
            room.do("Ana", co.AddBot("any", name)),
        ):
            with pytest.raises(MalformedError, match=SAID):
                await attempt
        assert await room.stored() == before

    tried()


@pytest.mark.parametrize("name", CALLED_LIKE_A_BOT)
def test_nobody_on_a_pad_is_called_like_a_bot(name: str) -> None:
    with pytest.raises(MalformedError, match=SAID):
        begin(["Ana", name], "official")


@pytest.mark.parametrize(
    "name", ["\u3164", "\u2800 \u2800", "\uffa0\u115f", "\u200d", "\u00ad", "\U000e0100"]
)
def test_a_name_that_shows_nothing_is_none(name: str) -> None:
    with pytest.raises(MalformedError, match="at least one letter"):
        clean_name(name)


@pytest.mark.parametrize(
    "name",
    ["Ana\u200d", "\u200cAna", "An\ufe0fa", "Ana\u3164", "A\u034fna", "Ana\U000e0101", "ana\u2060"],
)
def test_nobody_takes_a_name_that_looks_like_another_one(name: str) -> None:
    @asynchronous
    async def tried() -> None:
        room = Room()
        await room.create("Ana")
        with pytest.raises(RefusedError) as error:
            await room.join(name)
        assert error.value.code == "name_taken"

    tried()


def test_emoji_and_scripts_that_need_joiners_keep_them() -> None:
    for name in ("👨\u200d👩\u200d👧", "❤\ufe0f", "می\u200cخواهم"):
        assert clean_name(name) == name
