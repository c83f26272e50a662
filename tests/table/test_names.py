"""No person is called like a bot, at a table or on a pad."""

from __future__ import annotations

import pytest
from tests.kit.tables import Room, asynchronous

from skyjo.errors import MalformedError
from skyjo.scorepad.decide import begin
from skyjo.table import commands as co

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
