"""What may be asked of a table, by whom and when."""

from __future__ import annotations

import pytest
from tests.kit.tables import Room, asynchronous, is_between_rounds, is_over

from skyjo.errors import IllegalActionError, MalformedError, RulesetError, StaleError
from skyjo.table import commands as co
from skyjo.table import decide
from skyjo.table.errors import (
    FORBIDDEN,
    REFUSALS,
    ForbiddenError,
    RefusedError,
    UnknownTableError,
    forbidden,
    refused,
)


async def refusal(room: Room, name: str, command: co.Command) -> str:
    """The code of the error; the table has not changed."""
    before = await room.stored()
    with pytest.raises(
        (ForbiddenError, RefusedError, IllegalActionError, MalformedError, StaleError, RulesetError)
    ) as error:
        await room.do(name, command)
    assert await room.stored() == before
    assert str(error.value)
    return error.value.code


# --- the lobby --------------------------------------------------------------------------------


@asynchronous
async def test_people_and_bots_sit_down_in_order() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.join("Ben")
    joined = await room.do("Ana", co.AddBot("any"))
    assert joined.seat == 3
    seen = await room.see("Ben")
    assert [(seat.name, seat.kind, seat.mine, seat.is_host) for seat in seen.seats] == [
        ("Ana", "person", False, True),
        ("Any", "bot", False, False),
        ("Ben", "person", True, False),
        ("Any 2", "bot", False, False),
    ]
    assert (seen.mine, seen.open_seats, seen.phase) == ((2,), 4, "lobby")


@asynchronous
async def test_a_code_as_people_type_it_opens_the_table() -> None:
    room = Room()
    await room.create("Ana")
    code = (await room.see()).code
    typed = f" {code[:4].lower()}-{code[4:]} ".replace("0", "o")
    joined = await room.authority.join(typed, room.secret("Ben"), "Ben")
    assert joined.seat == 1
    again = await room.authority.join(code, room.secret("Ben"), "Ben")
    assert again == joined, "two taps on join take one seat"
    for wrong in ("", "ABC", "00000000", "x" * 10_000, code[:-1] + "\N{SNOWMAN}"):
        with pytest.raises(UnknownTableError):
            await room.authority.join(wrong, room.secret("Cleo"), "Cleo")


@asynchronous
async def test_eight_seats_and_no_more() -> None:
    room = Room()
    await room.create("Ana", bots=["any"] * 7)
    assert (await room.see()).may_join is False
    assert await refusal(room, "Ben", co.Join("Ben")) == "table_full"
    assert await refusal(room, "Ana", co.AddBot("any")) == "table_full"
    with pytest.raises(RefusedError, match="eight seats"):
        await room.create("Ana", bots=["any"] * 8)


@asynchronous
async def test_names_are_told_apart_and_cleaned() -> None:
    room = Room()
    await room.create("Ana")
    assert await refusal(room, "Ben", co.Join(" ANA ")) == "name_taken"
    assert await refusal(room, "Ben", co.Join("x" * 10_000)) == "malformed"
    assert await refusal(room, "Ben", co.Join("\u202e\u200b ")) == "malformed"
    await room.do("Ben", co.Join("<b>Ben</b>\u202e\n"))
    assert (await room.see()).seats[1].name == "<b>Ben</b>"
    await room.do("Ben", co.Rename(1, "Benno"))
    await room.do("Ben", co.Rename(1, "BENNO"))
    assert await refusal(room, "Ben", co.Rename(1, "ana")) == "name_taken"
    assert await refusal(room, "Ana", co.Rename(1, "Fool")) == "not_your_seat"
    assert (await room.see()).seats[1].name == "BENNO"


@asynchronous
async def test_only_the_host_arranges_the_table() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.join("Ben")
    for command in (
        co.AddBot("any"),
        co.Remove(1),
        co.HandOver(2),
        co.ChooseRuleset("plain"),
        co.ChoosePace("slow"),
        co.Start(),
    ):
        assert await refusal(room, "Ben", command) == "not_host"
        assert await refusal(room, "a stranger", command) == "not_host"


@asynchronous
async def test_the_host_removes_people_and_bots() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.join("Ben", "Cleo")
    seen = await room.see("Ana")
    await room.do("Ana", co.Remove(1, seen.version))
    stale = co.Remove(2, seen.version)
    assert await refusal(room, "Ana", stale) == "stale", "seat 2 is Cleo's by now, it was Ben's"
    await room.do("Ana", co.Remove(1, (await room.see()).version))
    assert [seat.name for seat in (await room.see()).seats] == ["Ana", "Cleo"]
    assert (await room.see("Ben")).onlooker
    assert await refusal(room, "Ana", co.Remove(7)) == "no_such_seat"


@asynchronous
async def test_the_host_chooses_rules_and_pace() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.do("Ana", co.ChooseRuleset("family target=50"))
    assert (await room.see()).ruleset.text() == "family target=50"
    assert await refusal(room, "Ana", co.ChooseRuleset("family target=zero")) == "ruleset"
    assert await refusal(room, "Ana", co.ChooseRuleset("official " * 1000)) == "malformed"
    assert await refusal(room, "Ana", co.ChoosePace("lightning")) == "malformed"
    assert await refusal(room, "Ana", co.AddBot("deep thought")) == "no_such_bot"
    await room.do("Ana", co.ChoosePace("slow"))
    assert (await room.see()).pace == "slow"


@asynchronous
async def test_nobody_starts_alone_or_twice() -> None:
    room = Room()
    await room.create("Ana")
    assert (await room.see("Ana")).may_start is False
    assert await refusal(room, "Ana", co.Start()) == "too_few_seats"
    await room.join("Ben")
    assert (await room.see("Ana")).may_start
    await room.do("Ana", co.Start())
    for command in (co.Start(), co.AddBot("any"), co.Remove(1), co.Rename(0, "Anna")):
        assert await refusal(room, "Ana", command) == "already_started"
    assert await refusal(room, "Cleo", co.Join("Cleo")) == "already_started"


@asynchronous
async def test_solo_against_bots_in_one_command() -> None:
    room = Room()
    joined = await room.create("Ana", bots=["any", "first"], start=True)
    seen = await room.see("Ana")
    assert (seen.phase, seen.acting, seen.legal[0]) == ("playing", 0, 4)
    assert joined.version == seen.version
    with pytest.raises(RefusedError):
        await room.create("Ana", start=True)


# --- playing ----------------------------------------------------------------------------------


@asynchronous
async def test_every_kind_of_refusal_has_its_own_code() -> None:
    room = Room()
    await room.create("Ana")
    await room.join("Ben")
    assert await refusal(room, "Ana", co.Act(0, "draw", 3)) == "not_started"
    await room.do("Ana", co.Start())
    version = (await room.see()).version
    assert await refusal(room, "Ben", co.Act(0, "reveal r0c0", version)) == "not_your_seat"
    assert await refusal(room, "Ana", co.Act(5, "reveal r0c0", version)) == "not_your_seat"
    assert await refusal(room, "Ana", co.Act(0, "cheat", version)) == "malformed"
    assert await refusal(room, "Ana", co.Act(0, 999, version)) == "malformed"
    assert await refusal(room, "Ana", co.Act(0, True, version)) == "malformed"
    assert await refusal(room, "Ana", co.Act(0, "reveal r0c0", None)) == "malformed"
    assert await refusal(room, "Ana", co.Act(0, "reveal r0c0", version + 1)) == "stale"
    assert await refusal(room, "Ana", co.Act(0, "reveal r0c0", 1)) == "stale"
    assert await refusal(room, "Ana", co.Act(0, "draw", version)) == "wrong_phase"
    assert await refusal(room, "Ana", co.Act(0, "reveal r3c0", version)) == "bad_position"
    with pytest.raises(UnknownTableError):
        await room.authority.do("nowhere", room.secret("Ana"), co.Act(0, "draw", 1))
    with pytest.raises(MalformedError):
        await room.authority.do(room.table_id, "short", co.Act(0, "draw", 1))


@asynchronous
async def test_in_the_opening_nobody_makes_the_others_stale() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    seen = (await room.see()).version
    await room.do("Ana", co.Act(0, "reveal r0c0", seen))
    await room.do("Ben", co.Act(1, "reveal r0c0", seen))
    assert await refusal(room, "Ana", co.Act(0, "reveal r0c1", seen)) == "stale", "a second tap"
    await room.do("Ana", co.ChoosePace("slow"))
    await room.do("Ana", co.Act(0, "reveal r0c1", seen + 1))


@asynchronous
async def test_a_reshuffle_is_stored_with_its_draw() -> None:
    room = Room(seed=3)
    names = [f"P{number}" for number in range(8)]
    await room.playing(*names, ruleset="official turn_limit=30")
    while not (await room.see()).between_rounds:
        for name in names:
            seen = await room.see(name)
            if seen.acting is None:
                continue
            # Draw and put it on the first card, for ever: nobody turns all cards up.
            action = 1 if 1 in seen.legal else 16 if 16 in seen.legal else seen.legal[0]
            await room.do(name, co.Act(seen.acting, action, seen.version))
    kinds = [type(event).__name__ for _at, event in await room.stored()]
    assert "Reshuffled" in kinds
    assert kinds[kinds.index("Reshuffled") + 1] == "Acted"
    assert await room.table() == (await room.authority._presents.open(room.table_id)).table


@asynchronous
async def test_the_next_round_waits_until_everybody_is_ready() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    assert await refusal(room, "Ana", co.Ready(0)) == "stale"
    seen = await room.play_on("Ana", "Ben", until=is_between_rounds)
    assert seen.sheet is not None
    assert len(seen.sheet.rounds) == 1
    await room.do("Ana", co.Ready(0, seen.version))
    await room.do("Ana", co.Ready(0, seen.version))
    assert [seat.ready for seat in (await room.see()).seats] == [True, False]
    assert (await room.see("Ana")).may_ready == ()
    await room.do("Ben", co.Ready(1, seen.version))
    later = await room.see()
    assert later.view is not None
    assert (later.view.round, later.between_rounds, later.continue_at) == (2, False, None)
    assert await refusal(room, "Ben", co.Ready(1, seen.version)) == "stale"


@asynchronous
async def test_a_game_to_the_end_and_what_is_refused_then() -> None:
    room = Room()
    await room.playing("Ana", "Ben", bots=["any"])
    seen = await room.play_on("Ana", "Ben", until=is_over)
    assert seen.sheet is not None
    assert seen.sheet.winners
    assert await refusal(room, "Ana", co.Act(0, "draw", seen.version)) == "game_over"
    assert await refusal(room, "Cleo", co.Join("Cleo")) == "table_over"
    assert await refusal(room, "Ana", co.Start()) == "table_over"
    assert await refusal(room, "Ana", co.StandIn(2)) == "table_over"
    assert await refusal(room, "Ana", co.Ready(0)) == "stale"
    heads = await room.authority.mine(room.secret("Ben"))
    assert [(head.id, head.phase) for head in heads] == [(room.table_id, "over")]


# --- leaving ----------------------------------------------------------------------------------


@asynchronous
async def test_leaving_the_lobby_frees_the_seat_and_passes_the_host_on() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.join("Ben")
    await room.do("Ana", co.Leave(0))
    seen = await room.see("Ben")
    assert [seat.name for seat in seen.seats] == ["Any", "Ben"]
    assert seen.is_host
    assert (await room.see("Ana")).onlooker
    await room.do("Ben", co.Leave(1))
    gone = await room.see()
    assert (gone.phase, gone.abandoned) == ("over", True)
    assert await refusal(room, "Cleo", co.Join("Cleo")) == "table_abandoned"


@asynchronous
async def test_leaving_for_good_follows_the_rules() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.do("Ana", co.Leave(0, (await room.see()).version))
    seen = await room.see("Ben")
    assert seen.view is not None
    assert (seen.view.left[0], seen.seats[0].left, seen.is_host) == (1, True, True)
    assert await refusal(room, "Ana", co.Leave(0)) == "has_left"
    assert await refusal(room, "Ana", co.Act(0, "reveal r0c0", seen.version)) == "not_in_game"
    assert await refusal(room, "Ana", co.StandIn(1)) == "not_at_the_table"
    await room.do("Cleo", co.Act(2, "leave", seen.version))
    seen = await room.see("Ben")
    assert seen.sheet is not None
    assert (seen.phase, seen.sheet.winners, seen.sheet.by_forfeit) == ("over", (1,), True)
    assert not seen.abandoned


@asynchronous
async def test_when_the_last_person_leaves_the_bots_do_not_play_on() -> None:
    room = Room()
    await room.create("Ana", bots=["any", "any"], start=True)
    await room.do("Ana", co.Leave(0))
    seen = await room.see("Ana")
    assert (seen.phase, seen.abandoned, seen.acting) == ("over", True, None)
    assert seen.may_rematch is False
    await room.wait(100)
    assert (await room.see()).version == seen.version
    (head,) = await room.authority.mine(room.secret("Ana"))
    assert head.phase == "over"


# --- bots that stand in -------------------------------------------------------------------------


@asynchronous
async def test_somebody_lets_a_bot_play_for_oneself_and_comes_back() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    await room.do("Ben", co.StandIn(1))
    await room.settle()
    assert (await room.see("Ben")).seats[1].stand_in == "asked"
    assert (await room.see("Ben")).acting is None, "the bot has turned the opening cards"
    assert await refusal(room, "Ben", co.StandIn(1)) == "bot_plays_already"
    await room.touch("Ben")
    assert (await room.see()).seats[1].stand_in, "looking on does not end it"
    await room.do("Ben", co.Back(1))
    assert not (await room.see()).seats[1].stand_in
    assert await refusal(room, "Ben", co.Back(1)) == "no_bot_plays"
    assert await refusal(room, "Ana", co.Back(1)) == "not_your_seat"


@asynchronous
async def test_whoever_is_here_keeps_the_seat() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.wait(30, "Ana", "Ben", "Cleo")
    assert await refusal(room, "Ana", co.StandIn(1)) == "not_away"
    assert await refusal(room, "Cleo", co.StandIn(1)) == "not_host"
    assert await refusal(room, "a stranger", co.StandIn(1)) == "not_at_the_table"
    assert await refusal(room, "Ana", co.StandIn(9)) == "no_such_seat"
    await room.do("Ana", co.Act(0, "reveal r0c0", (await room.see()).version))


@asynchronous
async def test_no_bot_stands_in_before_the_start_or_for_a_bot() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    assert await refusal(room, "Ana", co.StandIn(0)) == "not_started"
    await room.do("Ana", co.Start())
    assert await refusal(room, "Ana", co.StandIn(1)) == "not_a_person"


# --- the host -----------------------------------------------------------------------------------


@asynchronous
async def test_the_host_hands_over() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    await room.join("Ben")
    assert await refusal(room, "Ana", co.HandOver(1)) == "not_a_person"
    await room.do("Ana", co.HandOver(2, (await room.see()).version))
    assert (await room.see("Ben")).is_host
    assert not (await room.see("Ana")).may_choose_rules


@asynchronous
async def test_a_host_who_is_here_stays_the_host() -> None:
    room = Room()
    await room.create("Ana")
    await room.join("Ben")
    assert await refusal(room, "Ben", co.TakeHost(1)) == "host_is_here"
    assert await refusal(room, "a stranger", co.TakeHost(1)) == "not_your_seat"
    assert (await room.see("Ben")).may_take_host is False


@asynchronous
async def test_a_lobby_does_not_wait_for_a_missing_or_sleeping_host() -> None:
    room = Room()
    await room.create("Ana")
    await room.join("Ben")
    await room.wait(20, "Ben")
    assert (await room.see("Ben")).may_take_host
    await room.do("Ben", co.TakeHost(1))
    assert (await room.see("Ben")).is_host
    await room.wait(170, "Ana", "Ben")
    assert (await room.see("Ana")).may_take_host is False
    await room.wait(20, "Ana", "Ben")
    assert (await room.see("Ana")).may_take_host, "Ben has the page open and does nothing"
    await room.do("Ana", co.TakeHost(0))
    await room.do("Ana", co.Start())


# --- devices --------------------------------------------------------------------------------------


@asynchronous
async def test_a_second_seat_on_the_same_device() -> None:
    room = Room()
    await room.create("Ana")
    joined = await room.do("Ana", co.Join("Grandma"))
    assert joined.seat == 1
    await room.do("Ana", co.Start())
    seen = await room.see("Ana")
    assert (seen.mine, seen.acting) == ((0, 1), 0)
    await room.act("Ana")
    await room.act("Ana")
    seen = await room.see("Ana")
    assert seen.acting == 1, "the page turns to who is to act"
    assert seen.view is not None
    assert seen.view.seat == 1


@asynchronous
async def test_a_personal_link_moves_the_seat_and_can_be_renewed() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    link = await room.authority.personal_link(room.table_id, room.secret("Ben"), 1)
    assert link == await room.authority.personal_link(room.table_id, room.secret("Ben"), 1)
    phone = room.secret("Ben's phone")
    joined = await room.authority.claim(room.table_id, phone, link)
    assert joined.seat == 1
    assert (await room.see("Ben's phone")).acting == 1
    await room.do("Ben's phone", co.RenewLink(1))
    assert (await room.see("Ben")).onlooker, "all other devices are off the seat"
    for wrong in (link, "", "x" * 32, "\ud800"):
        with pytest.raises(ForbiddenError, match="not valid any more"):
            await room.authority.claim(room.table_id, room.secret("thief"), wrong)
    with pytest.raises(ForbiddenError):
        await room.authority.personal_link(room.table_id, room.secret("Ben"), 1)
    assert [head.id for head in await room.authority.mine(phone)] == [room.table_id]
    assert await room.authority.mine(room.secret("Ben")) == []


@asynchronous
async def test_a_seat_does_not_collect_devices_for_ever() -> None:
    room = Room()
    await room.create("Ana")
    link = await room.authority.personal_link(room.table_id, room.secret("Ana"), 0)
    for number in range(7):
        await room.authority.claim(room.table_id, room.secret(f"device {number}"), link)
    await room.authority.claim(room.table_id, room.secret("device 3"), link)
    with pytest.raises(RefusedError, match="8 devices"):
        await room.authority.claim(room.table_id, room.secret("one more"), link)


# --- a rematch ---


@asynchronous
async def test_a_rematch_in_one_tap_with_the_same_secrets() -> None:
    room = Room()
    await room.playing("Ana", "Ben", bots=["any"])
    with pytest.raises(RefusedError, match="not over yet"):
        await room.authority.rematch(room.table_id, room.secret("Ana"))
    await room.play_on("Ana", "Ben", until=is_over)
    assert (await room.see("Ben")).may_rematch
    following = await room.authority.rematch(room.table_id, room.secret("Ben"))
    assert following == await room.authority.rematch(room.table_id, room.secret("Ana"))
    assert (await room.see("Ana")).next_table == following
    for name, place in (("Ana", 0), ("Ben", 2)):
        seen = await room.see(name, following)
        assert (seen.mine, seen.phase, seen.previous_table) == ((place,), "playing", room.table_id)
        assert seen.acting == place
        assert seen.seats[0].is_host
    with pytest.raises(ForbiddenError):
        await room.authority.rematch(room.table_id, room.secret("a stranger"))


@asynchronous
async def test_a_rematch_does_not_wait_for_who_has_gone() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo", "Dan")
    await room.play_on("Ana", "Ben", "Cleo", "Dan", until=is_over)
    await room.do("Dan", co.Leave(3))
    await room.wait(20, "Ben", "Cleo")
    assert (await room.see("Ben")).rematch_absent == ("Ana",)
    following = await room.authority.rematch(room.table_id, room.secret("Ben"))
    seen = await room.see("Ana", following)
    assert [(seat.name, seat.stand_in) for seat in seen.seats] == [
        ("Ana", "away"),
        ("Ben", ""),
        ("Cleo", ""),
    ]
    assert seen.seats[1].is_host, "the old host is away, so it is who asked"
    await room.authority.touch(following, room.secret("Ana"))
    assert not (await room.see("Ana", following)).seats[0].stand_in
    assert (await room.see("Dan", following)).onlooker


@asynchronous
async def test_who_is_away_can_be_left_out_of_the_rematch() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.play_on("Ana", "Ben", "Cleo", until=is_over)
    await room.wait(20, "Cleo")
    with pytest.raises(RefusedError, match="Nobody is left"):
        await room.authority.rematch(room.table_id, room.secret("Cleo"), leave_out_absent=True)
    await room.touch("Ben")
    following = await room.authority.rematch(
        room.table_id, room.secret("Cleo"), leave_out_absent=True
    )
    seen = await room.see("Cleo", following)
    assert [seat.name for seat in seen.seats] == ["Ben", "Cleo"]
    assert seen.is_host


# --- records and errors ---


@asynchronous
async def test_the_record_of_a_running_game_has_no_deck() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    with pytest.raises(RefusedError):
        await room.authority.record(room.table_id)
    await room.do("Ana", co.Start())
    running = await room.authority.record(room.table_id, room.secret("Ana"))
    assert '[Player1 "Ana"]' in running
    assert '[Bot2 "any"]' in running
    await room.play_on("Ana", until=is_over)
    whole = await room.authority.record(room.table_id)
    assert "\ndeck " not in running
    assert whole.count("\ndeck ") == 2


@asynchronous
async def test_a_table_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room()
    await room.playing("Ana", "Ben", ruleset="official max_rounds=1")
    await room.do("Ana", co.StandIn(0))
    await room.do("Ana", co.Back(0))
    monkeypatch.setattr(decide, "MOST_CHANGES", (await room.see()).version)
    assert await refusal(room, "Ana", co.StandIn(0)) == "too_many_changes"
    # It can be played to its end, and left.
    await room.play_on("Ana", "Ben", until=is_over)
    assert (await room.see("Ana")).phase == "over"
    await room.do("Ben", co.Leave(1))


def test_every_code_has_a_sentence() -> None:
    for code in FORBIDDEN:
        assert forbidden(code).code == code
    values = {"name": "Ana", "names": "any", "most": 8, "reason": "it is new"}
    for code in REFUSALS:
        assert refused(code, **values).code == code
        assert "{" not in str(refused(code, **values))
