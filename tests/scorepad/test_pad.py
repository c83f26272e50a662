"""What may be asked of a pad, by whom and when; that nothing is lost; two who type at once."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.pads import Desk, entry
from tests.kit.tables import asynchronous

from skyjo.errors import MalformedError, SkyjoError, StaleError
from skyjo.scorepad import commands as co
from skyjo.scorepad import events as ev
from skyjo.scorepad.errors import FORBIDDEN, REFUSALS, UnknownPadError, forbidden, refused
from skyjo.table.errors import ForbiddenError, RefusedError, StoreError


async def refusal(desk: Desk, command: co.Command, who: str = "keeper") -> str:
    """The code of the error; nothing has changed."""
    before = await desk.stored()
    with pytest.raises((ForbiddenError, RefusedError, MalformedError, StaleError)) as error:
        await desk.do(command, who)
    assert await desk.stored() == before
    assert str(error.value)
    return error.value.code


async def points_of(desk: Desk) -> list[tuple[int | None, ...]]:
    return [each.entry.points for each in (await desk.see()).rounds]


@asynchronous
async def test_rounds_are_saved_and_survive_the_process() -> None:
    desk = Desk()
    await desk.create()
    await desk.save(10, 7, 30)
    seen = await desk.save(5, 6, 7)
    assert seen.reckoning.sheet.totals == (25, 13, 37)
    desk.restart()
    again = await desk.see()
    assert again.reckoning == seen.reckoning
    assert again.version == seen.version == 3


@asynchronous
async def test_a_mistake_in_round_two_is_corrected_in_round_six() -> None:
    desk = Desk()
    await desk.create()
    for number in range(6):
        await desk.save(number, 10, 11)
    second = (await desk.see()).rounds[1]
    seen = await desk.do(co.Correct(second.key, second.version, entry(1, 1, 11, closer=1)))
    assert seen.reckoning.sheet.totals == (15, 52, 66)
    change = seen.history[-1]
    assert (change.what, change.number) == ("round_corrected", 2)
    assert change.before
    assert change.after
    assert (change.before.points, change.after.points) == ((1, 10, 11), (1, 1, 11))
    assert seen.rounds[1].corrected == 1


@asynchronous
async def test_rounds_are_removed_undone_and_redone() -> None:
    desk = Desk()
    await desk.create()
    await desk.save(1, 2, 3)
    seen = await desk.save(4, 5, 6)
    first = seen.rounds[0]
    seen = await desk.do(co.RemoveRound(first.key, first.version))
    assert await points_of(desk) == [(4, 5, 6)]
    seen = await desk.do(co.Undo(seen.version))
    assert await points_of(desk) == [(1, 2, 3), (4, 5, 6)]
    seen = await desk.do(co.Undo(seen.version))
    assert await points_of(desk) == [(1, 2, 3)]
    seen = await desk.do(co.Redo(seen.version))
    assert await points_of(desk) == [(1, 2, 3), (4, 5, 6)]
    assert seen.may_redo
    await desk.do(co.Redo(seen.version))
    assert await points_of(desk) == [(4, 5, 6)]
    # A new change ends what could be had back.
    seen = await desk.save(7, 8, 9)
    assert not seen.may_redo
    assert await refusal(desk, co.Redo(seen.version)) == "nothing_to_redo"
    assert [each.what for each in seen.history][-4:] == [
        "undone",
        "redone",
        "redone",
        "round_saved",
    ]


@asynchronous
async def test_everything_can_be_taken_back_to_the_empty_sheet() -> None:
    desk = Desk()
    await desk.create()
    for number in range(5):
        await desk.save(number, 2, 3)
    for _ in range(5):
        await desk.do(co.Undo((await desk.see()).version))
    assert await points_of(desk) == []
    assert await refusal(desk, co.Undo((await desk.see()).version)) == "nothing_to_undo"
    desk.restart()
    for _ in range(5):
        await desk.do(co.Redo((await desk.see()).version))
    assert len(await points_of(desk)) == 5


@asynchronous
async def test_of_two_who_save_the_same_round_one_is_told() -> None:
    desk = Desk()
    await desk.create(entering="all")
    save = co.Save(1, entry(1, 2, 3))
    results = await asyncio.gather(
        desk.do(save, "Ana"), desk.do(save, "Ben"), return_exceptions=True
    )
    assert sorted(isinstance(each, StaleError) for each in results) == [False, True]
    assert await points_of(desk) == [(1, 2, 3)]


@asynchronous
async def test_two_who_correct_the_same_round_do_not_overwrite_each_other() -> None:
    desk = Desk()
    await desk.create(entering="all")
    await desk.save(1, 2, 3)
    seen = (await desk.save(4, 5, 6)).rounds
    await desk.do(co.Correct(seen[0].key, seen[0].version, entry(9, 2, 3)), "Ana")
    late = co.Correct(seen[0].key, seen[0].version, entry(8, 2, 3))
    assert await refusal(desk, late, "Ben") == "stale"
    assert await refusal(desk, co.RemoveRound(seen[0].key, seen[0].version), "Ben") == "stale"
    # Another round is another matter.
    await desk.do(co.Correct(seen[1].key, seen[1].version, entry(4, 4, 4)), "Ben")
    assert await points_of(desk) == [(9, 2, 3), (4, 4, 4)]


@asynchronous
async def test_undo_is_stale_when_somebody_has_changed_the_sheet_meanwhile() -> None:
    desk = Desk()
    await desk.create(entering="all")
    seen = await desk.save(1, 2, 3)
    await desk.save(4, 5, 6)
    assert await refusal(desk, co.Undo(seen.version), "Ben") == "stale"
    # What is only typed makes nobody stale.
    seen = await desk.see()
    await desk.do(co.Type(3, {0: 12}), "Ana")
    await desk.do(co.Undo(seen.version), "Ben")
    assert await points_of(desk) == [(1, 2, 3)]


@asynchronous
async def test_a_correction_after_undo_of_a_correction_sees_the_old_version_as_stale() -> None:
    desk = Desk()
    await desk.create()
    first = (await desk.save(1, 2, 3)).rounds[0]
    changed = await desk.do(co.Correct(first.key, first.version, entry(9, 2, 3)))
    back = await desk.do(co.Undo(changed.version))
    assert back.rounds[0].entry == first.entry
    assert back.rounds[0].version not in (first.version, changed.rounds[0].version)


# --- typing together --------------------------------------------------------------------------


@asynchronous
async def test_everybody_types_their_own_points_and_the_last_one_saves() -> None:
    desk = Desk()
    await desk.create(entering="own")
    for seat, name in enumerate(("Ana", "Ben", "Cleo")):
        seen = await desk.do(co.Claim(seat), name)
        assert seen.mine == seen.may_type == (seat,)
    await desk.do(co.Type(1, {0: 5}, closer=0), "Ana")
    await desk.do(co.Type(1, {1: 12}), "Ben")
    assert await refusal(desk, co.Type(1, {0: 6}), "Ben") == "not_yours"
    assert await refusal(desk, co.Type(1, closer=1), "Cleo") == "not_yours"
    assert await refusal(desk, co.Type(1, closer=-1), "Cleo") == "not_yours"
    assert await refusal(desk, co.Save(1, entry(None, None, 3)), "Cleo") == "only_looking"
    seen = await desk.do(co.Type(1, {2: 30}), "Cleo")
    assert seen.may_save
    seen = await desk.do(co.Save(1, entry(None, None, None, closer=-1)), "Cleo")
    assert seen.rounds[0].entry == entry(5, 12, 30)
    assert seen.history[-1].by == 2
    assert seen.draft.points == [None, None, None]
    assert await refusal(desk, co.Type(1, {2: 30}), "Cleo") == "stale"
    assert await refusal(desk, co.Save(1, entry(1, 2, 3)), "Cleo") == "stale"


@asynchronous
async def test_what_is_typed_survives_a_flat_battery_and_can_be_taken_away() -> None:
    desk = Desk()
    await desk.create()
    grid = (1, 2, 3, 4) * 3
    await desk.do(co.Type(1, {0: 5, 1: 30}, {1: grid}, closer=1))
    desk.restart()
    draft = (await desk.see()).draft
    assert (draft.points, draft.closer, draft.cards[1]) == ([5, 30, None], 1, grid)
    await desk.do(co.Type(1, {0: None}, closer=-1))
    await desk.do(co.Type(1, {0: None}))
    assert (await desk.see()).draft.points == [None, 30, None]
    seen = await desk.do(co.Save(1, entry(7, None, 9)))
    assert seen.rounds[0].entry.points == (7, 30, 9)
    assert seen.rounds[0].entry.cards_of(1) == grid


@asynchronous
async def test_rights() -> None:
    desk = Desk()
    await desk.create()
    await desk.save(1, 2, 3)
    first = (await desk.see()).rounds[0]
    entering: list[co.Command] = [co.Type(2, {0: 1}), co.Save(2, entry(1, 2, 3))]
    for command in entering:
        assert await refusal(desk, command, "Zoe") == "only_looking"
    for command in (
        co.Correct(first.key, first.version, entry(1, 2, 4)),
        co.RemoveRound(first.key, first.version),
        co.Undo(99),
        co.Redo(99),
        co.End(),
        co.Reopen(),
        co.Rename(0, "Zoe"),
        co.ChooseRuleset("family"),
        co.ChooseEntering("all"),
        co.Leave(0),
        co.Return(0),
    ):
        assert await refusal(desk, command, "Zoe") == "not_keeper"
    await desk.do(co.Claim(0), "Zoe")
    assert await refusal(desk, co.Claim(0), "Ben") == "taken"
    assert await refusal(desk, co.Release(0), "Ben") == "not_keeper"
    await desk.do(co.Rename(0, "Zoe"), "Zoe")
    await desk.do(co.Release(0))
    await desk.do(co.Claim(0), "Ben")
    look = await desk.authority.scene(desk.pad_id, desk.secret("keeper"), only_look=True)
    assert (look.code, look.is_keeper, look.may_type, look.may_save) == ("", False, (), False)


@asynchronous
async def test_another_device_keeps_the_pad_by_the_link() -> None:
    desk = Desk()
    await desk.create()
    with pytest.raises(ForbiddenError):
        await desk.authority.keeper_link(desk.pad_id, desk.secret("Ben"))
    token = await desk.authority.keeper_link(desk.pad_id, desk.secret("keeper"))
    with pytest.raises(ForbiddenError):
        await desk.authority.keep(desk.pad_id, desk.secret("Ben"), token[:-1] + "x")
    seen = await desk.authority.keep(desk.pad_id, desk.secret("Ben"), token)
    assert seen.is_keeper
    assert [head.id for head in await desk.authority.mine(desk.secret("Ben"))] == [desk.pad_id]


# --- what is refused, and what is not ---------------------------------------------------------


@asynchronous
async def test_faults_of_entries() -> None:
    desk = Desk()
    await desk.create()
    assert await refusal(desk, co.Save(1, entry(1, None, 3))) == "points_missing"
    assert await refusal(desk, co.Save(1, entry(1, 2))) == "malformed"
    assert await refusal(desk, co.Save(1, entry(1, 2, 10_000))) == "malformed"
    assert await refusal(desk, co.Save(1, entry(1, 2, 3, closer=3))) == "no_such_player"
    assert await refusal(desk, co.Save(1, entry(1, 2, 3, penalty="maybe"))) == "malformed"
    assert await refusal(desk, co.Save(2, entry(1, 2, 3))) == "stale"
    assert await refusal(desk, co.Type(1, {3: 1})) == "no_such_player"
    assert await refusal(desk, co.Type(1, {0: 1}, {0: (1, 2)})) == "malformed"
    assert await refusal(desk, co.Correct(0, 1, entry(1, 2, 3))) == "stale"
    # Strange is not forbidden.
    await desk.save(-18, 3, 400, closer=-1)


@asynchronous
async def test_a_check_tells_what_would_be_saved() -> None:
    desk = Desk()
    await desk.create()
    plain = await desk.check(5, 7, 30)
    assert (plain.mark, plain.penalised) == ("", False)
    due = await desk.check(10, 7, 30)
    assert due.penalised
    assert "20" in due.mark
    assert (await desk.check(10, 7, 30, penalty="no")).mark != due.mark
    assert (await desk.check(10, 7, 30, closer=-1)).mark == "nobody_closed"
    await desk.save(1, 2, 3)
    second = await desk.authority.check(desk.pad_id, None, entry(10, 7, 30), key=0)
    assert (second.at, second.penalised, len(second.reckoning.sheet.rounds)) == (0, True, 1)


@asynchronous
async def test_the_end_and_what_follows() -> None:
    desk = Desk()
    await desk.create(ruleset="official target=50")
    seen = await desk.save(1, 20, 50)
    assert seen.is_over
    assert seen.reckoning.sheet.winners == (0,)
    assert await refusal(desk, co.Save(2, entry(1, 2, 3))) == "pad_over"
    assert await refusal(desk, co.Type(2, {0: 3})) == "pad_over"
    await desk.do(co.Claim(1), "Ben")
    made = await asyncio.gather(
        desk.authority.rematch(desk.pad_id, desk.secret("keeper")),
        desk.authority.rematch(desk.pad_id, desk.secret("Ben")),
    )
    assert made[0].id == made[1].id != desk.pad_id
    assert (made[0].names, made[0].rounds) == (seen.names, ())
    assert (await desk.see()).next_code == made[0].code
    again = await desk.authority.scene(made[0].id, desk.secret("Ben"))
    assert again.mine == (1,)
    # The round that ended the game was entered wrongly.
    first = seen.rounds[0]
    seen = await desk.do(co.Correct(first.key, first.version, entry(1, 20, 30)))
    assert not seen.is_over


@asynchronous
async def test_a_game_is_ended_early_and_goes_on_again() -> None:
    desk = Desk()
    await desk.create()
    with pytest.raises(RefusedError):
        await desk.authority.rematch(desk.pad_id, desk.secret("keeper"))
    await desk.save(1, 2, 3)
    seen = await desk.do(co.End())
    assert (seen.is_over, seen.ended, seen.reckoning.sheet.winners) == (True, True, (0,))
    seen = await desk.do(co.Reopen())
    assert not seen.is_over


@asynchronous
async def test_rules_that_were_chosen_wrongly_reckon_anew() -> None:
    desk = Desk()
    await desk.create()
    await desk.save(10, 10, 30)
    seen = await desk.do(co.ChooseRuleset("lenient"))
    assert seen.reckoning.sheet.totals == (10, 10, 30)
    assert seen.history[-1].what == "ruleset_chosen"


@asynchronous
async def test_somebody_goes_home_and_comes_back() -> None:
    desk = Desk()
    await desk.create()
    await desk.save(1, 2, 3)
    await desk.do(co.Type(2, {0: 4}, closer=0))
    seen = await desk.do(co.Leave(0))
    assert (seen.draft.points, seen.draft.closer) == ([None] * 3, -1)
    assert await refusal(desk, co.Leave(1)) == "too_few_left"
    assert await refusal(desk, co.Type(2, {0: 4})) == "has_left"
    assert await refusal(desk, co.Save(2, entry(4, 5, 6, closer=0))) == "has_left"
    seen = await desk.save(None, 5, 6, closer=1)
    assert seen.reckoning.sheet.totals == (1, 7, 9)
    await desk.do(co.Return(0))
    seen = await desk.save(2, 5, 6)
    assert seen.reckoning.sheet.totals == (3, 12, 15)


@asynchronous
async def test_names() -> None:
    desk = Desk()
    for names, code in (
        (["Ana"], "too_few_players"),
        (["Ana", " ana "], "name_twice"),
        (list("ABCDEFGHI"), "too_many_players"),
        (["Ana", "x" * 30], "malformed"),
    ):
        with pytest.raises(SkyjoError) as error:
            await desk.create(names)
        assert error.value.code == code
    seen = await desk.create(["Ana", "  ", "Ben", ""])
    assert seen.names == ("Ana", "Ben")
    assert await refusal(desk, co.Rename(0, "BEN")) == "name_twice"


def test_every_code_has_its_sentence() -> None:
    for code in FORBIDDEN:
        assert str(forbidden(code))
    for code in REFUSALS:
        assert str(refused(code, name="A", other="B", players="A", most=8))


# --- the store --------------------------------------------------------------------------------


class Fickle(MemoryStore):
    """Fails once after it has written."""

    fails = False

    async def append(self, *args: Any, **options: Any) -> None:
        await super().append(*args, **options)
        if self.fails:
            self.fails = False
            raise StoreError("the disk is full")


@asynchronous
async def test_a_store_that_fails_after_writing_loses_and_doubles_nothing() -> None:
    store = Fickle()
    desk = Desk(store)
    await desk.create()
    store.fails = True
    with pytest.raises(StoreError):
        await desk.save(1, 2, 3)
    assert await points_of(desk) == [(1, 2, 3)]


@asynchronous
async def test_two_processes_over_one_store_make_every_change_once() -> None:
    store = MemoryStore()
    one, two = Desk(store, seed=1), Desk(store, seed=2)
    await one.create(entering="all")
    two.pad_id = one.pad_id
    await two.see()  # has it in memory from now on
    await one.save(1, 2, 3)
    with pytest.raises(StaleError):
        await two.do(co.Save(1, entry(7, 8, 9)), "Ben")
    await two.do(co.Type(2, {0: 5}), "Ben")
    await one.do(co.Save(2, entry(None, 5, 6, closer=1)))
    assert await points_of(one) == [(1, 2, 3), (5, 5, 6)]


@asynchronous
async def test_a_pad_is_not_a_table_and_events_of_the_future_are_refused() -> None:
    desk = Desk()
    made = await desk.create()
    assert (await desk.authority.find(made.code.lower())).id == made.id
    for code in ("", "nonsense", "00000000"):
        with pytest.raises(UnknownPadError):
            await desk.authority.find(code)
    with pytest.raises(StoreError):
        ev.decode({"event": "something_new", "format": 1})
    with pytest.raises(StoreError):
        ev.decode({"event": "undone", "format": 2})
    assert ev.decode({"event": "undone", "format": 1, "later": 1}) == ev.Undone()


@pytest.mark.parametrize("seed", range(20))
@asynchronous
async def test_whatever_is_done_the_store_folds_to_the_same_pad(seed: int) -> None:
    rng = random.Random(seed)
    desk = Desk(seed=seed)
    await desk.create(entering=rng.choice(["keeper", "own", "all"]))
    for _ in range(60):
        seen = await desk.see()
        points = [rng.choice([None, *range(-3, 30)]) for _ in range(3)]
        line = rng.choice(seen.rounds) if seen.rounds else None
        commands: list[co.Command] = [
            co.Type(seen.number, {rng.randrange(3): points[0]}, closer=rng.randrange(-1, 3)),
            co.Save(seen.number, entry(*points, closer=rng.randrange(-1, 3))),
            co.Save(seen.number, entry(*points, closer=rng.randrange(-1, 3))),
            co.Correct(line.key, line.version, entry(*points)) if line else co.Undo(99),
            co.RemoveRound(line.key, line.version) if line else co.Redo(99),
            co.Undo(seen.version),
            co.Redo(seen.version),
            co.Leave(rng.randrange(3)),
            co.Return(rng.randrange(3)),
            co.Claim(rng.randrange(3)),
            co.Release(1),
            co.Rename(0, "Zoe"),
            co.End() if rng.random() < 0.5 else co.Reopen(),
        ]
        command = rng.choice(commands)
        try:
            await desk.do(command, rng.choice(["keeper", "keeper", "Ana"]))
        except SkyjoError:
            pass
        else:
            kept = await desk.stored()
            seen = await desk.see()
            assert kept.version == seen.version
            assert kept.reckoning == seen.reckoning
            assert kept.rounds == seen.rounds
            assert kept.draft == seen.draft
            assert list(seen.history) == kept.history
