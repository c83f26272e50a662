"""A keeper whose phone is dead is replaced, and nobody else is."""

from __future__ import annotations

import pytest
from tests.kit.pads import Desk
from tests.kit.tables import asynchronous

from skyjo.errors import SkyjoError
from skyjo.scorepad import commands as co
from skyjo.scorepad.presence import AWAY_AFTER, MANY, Presence
from skyjo.table.errors import RefusedError


async def begun(**options: str) -> Desk:
    """A pad with one round, which Ben looks at, too."""
    desk = Desk()
    await desk.create(**options)
    await desk.save(5, 6, 7)
    await desk.do(co.Claim(1), "Ben")
    return desk


@asynchronous
async def test_a_keeper_who_has_been_away_is_replaced_visibly() -> None:
    desk = await begun()
    desk.clock.now += AWAY_AFTER - 1
    assert not (await desk.see("Ben")).may_take_over
    with pytest.raises(RefusedError, match="a moment ago"):
        await desk.authority.take_over(desk.pad_id, desk.secret("Ben"))
    desk.clock.now += 2
    assert (await desk.see("Ben")).may_take_over
    seen = await desk.authority.take_over(desk.pad_id, desk.secret("Ben"))
    assert seen.is_keeper
    assert not seen.may_take_over
    change = seen.history[-1]
    assert (change.what, change.by, change.text) == ("keeper_added", 1, "away")
    # He is there now, so that nobody else takes over; he enters the next round.
    assert not (await desk.see("Zoe")).may_take_over
    await desk.do(co.Save(2, seen.rounds[0].entry), "Ben")
    # Whoever kept it before has lost nothing.
    assert (await desk.see("keeper")).is_keeper
    again = await desk.authority.take_over(desk.pad_id, desk.secret("Ben"))
    assert again.version == seen.version + 1


@asynchronous
async def test_a_keeper_who_is_connected_or_looks_is_there() -> None:
    desk = await begun()
    with desk.authority.connected(desk.pad_id, desk.secret("keeper")):
        desk.clock.now += 10 * AWAY_AFTER
        assert not (await desk.see("Ben")).may_take_over
    desk.clock.now += AWAY_AFTER - 1
    assert not (await desk.see("Ben")).may_take_over
    await desk.see("keeper")
    desk.clock.now += AWAY_AFTER - 1
    assert not (await desk.see("Ben")).may_take_over
    # An onlooker who is there all the time does not stand for the keeper.
    with desk.authority.connected(desk.pad_id, desk.secret("Ben")):
        desk.clock.now += 2
        assert (await desk.see("Ben")).may_take_over
    # After a restart nobody knows who was there; the keeper has time to come back.
    desk.restart()
    assert not (await desk.see("Ben")).may_take_over


@asynchronous
async def test_neither_onlookers_nor_a_game_that_is_over_are_taken_over() -> None:
    desk = await begun()
    desk.clock.now += 2 * AWAY_AFTER
    looking = await desk.authority.scene(desk.pad_id, desk.secret("Ben"), only_look=True)
    assert not looking.may_take_over
    assert not (await desk.authority.scene(desk.pad_id)).may_take_over
    await desk.do(co.End())
    desk.clock.now += 2 * AWAY_AFTER
    assert not (await desk.see("Ben")).may_take_over
    with pytest.raises(RefusedError):
        await desk.authority.take_over(desk.pad_id, desk.secret("Ben"))


@asynchronous
async def test_the_link_of_a_keeper_is_told_and_a_rematch_tells_nothing() -> None:
    desk = await begun(ruleset="official target=5")
    link = await desk.authority.keeper_link(desk.pad_id, desk.secret("keeper"))
    seen = await desk.authority.keep(desk.pad_id, desk.secret("Ben"), link)
    assert (seen.history[-1].what, seen.history[-1].text) == ("keeper_added", "link")
    again = await desk.authority.rematch(desk.pad_id, desk.secret("Ben"))
    assert again.is_keeper
    assert not again.history


@asynchronous
async def test_what_has_been_deleted_is_gone_for_everybody() -> None:
    desk = await begun()
    await desk.store.delete([desk.pad_id])  # type: ignore[attr-defined]
    with pytest.raises(SkyjoError, match="There is no pad"):
        await desk.see("Ben")
    with pytest.raises(SkyjoError, match="There is no pad"):
        await desk.save(1, 2, 3)


def test_devices_are_forgotten_that_are_away_anyway() -> None:
    now = 0.0
    presence = Presence(lambda: now)
    with presence.connected("p", "here"):
        for number in range(MANY + 5):
            now += 1
            with presence.connected("p", f"onlooker {number}"):
                pass
        assert len(presence._devices) < MANY
        assert ("p", "here") in presence._devices
