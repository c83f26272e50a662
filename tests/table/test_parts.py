"""Keys, codes, names, events and the publisher by themselves."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.tables import asynchronous

from skyjo.errors import MalformedError
from skyjo.table import events as ev
from skyjo.table import keys
from skyjo.table.errors import StoreError
from skyjo.table.names import LONGEST_NAME, clean_name, free_name
from skyjo.table.ports import Notice
from skyjo.table.publisher import LocalPublisher

# --- keys ---------------------------------------------------------------------------------------


def test_codes_hold_no_letters_that_look_alike() -> None:
    token = random.Random(1).randbytes
    codes = {keys.new_code(token) for _ in range(2000)}
    assert len(codes) == 2000
    assert set("".join(codes)) == set(keys.CODE_LETTERS)
    assert len(set(keys.CODE_LETTERS)) == 30
    assert not set(keys.CODE_LETTERS) & set("OILBSU")
    for code in codes:
        assert keys.clean_code(code) == code
        assert keys.clean_code(f"{code[:4]} {code[4:].lower()}") == code


@pytest.mark.parametrize("typed", ["oіIВsU12", "OIL8 5V12", "0118-5v12", "оіlв5u12"])
def test_letters_that_look_alike_are_read_as_one(typed: str) -> None:
    assert keys.clean_code(typed) == "01185V12"


@given(st.text(max_size=200))
def test_any_text_is_a_code_or_none(text: str) -> None:
    code = keys.clean_code(text)
    assert code == "" or (len(code) == keys.CODE_LENGTH and set(code) <= set(keys.CODE_LETTERS))


@pytest.mark.parametrize("secret", ["", "x" * 31, "x" * 201])
def test_secrets_have_a_sensible_length(secret: str) -> None:
    with pytest.raises(MalformedError, match="32 to 200"):
        keys.holder_of(secret)


def test_links_differ_by_table_seat_and_renewal() -> None:
    links = {keys.link_token(*of) for of in [("a", 0, 0), ("b", 0, 0), ("a", 1, 0), ("a", 0, 1)]}
    assert len(links) == 4
    assert all(len(link) == 32 for link in links)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("  Ana  Maria\t", "Ana Maria"),
        ("<script>alert(1)", "<script>alert(1)"),
        ("\u202eEve\u202c\u200f", "Eve"),
        ("Zoe\u0301", "Zo\u00e9"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("Ґанна", "Ґанна"),
        ("Ben\x00\x1b[31m", "Ben[31m"),
        ("שלום", "שלום"),
    ],
)
def test_names_keep_what_is_visible(typed: str, stored: str) -> None:
    assert clean_name(typed) == stored


@pytest.mark.parametrize("typed", ["", "   ", "\u200b\u200d", "\u0301", "\ud800", "\u3164"[:0]])
def test_invisible_names_are_refused(typed: str) -> None:
    with pytest.raises(MalformedError, match="at least one letter"):
        clean_name(typed)


@pytest.mark.parametrize("typed", ["x" * 25, "x" * 10_000, "\u0301" * 10_000])
def test_long_names_are_refused(typed: str) -> None:
    with pytest.raises(MalformedError, match="24 characters"):
        clean_name(typed)


@given(st.text(max_size=60))
def test_any_name_is_stored_as_it_will_be_read(text: str) -> None:
    try:
        name = clean_name(text)
    except MalformedError:
        return
    assert 0 < len(name) <= LONGEST_NAME
    assert clean_name(name) == name
    assert json.loads(json.dumps(name)) == name
    name.encode()


def test_free_names_are_numbered() -> None:
    assert free_name("Any", []) == "Any"
    assert free_name("Any", ["any", "ANY 2", "Any 4"]) == "Any 3"


# --- events -------------------------------------------------------------------------------------

EVENTS: list[ev.Event] = [
    ev.Created("CODE", "secret", "official", "slow", 12.5, "before"),
    ev.SeatTaken(1, "Ана", holders=("a", "b")),
    ev.SeatTaken(2, "Bot", bot="greedy"),
    ev.SeatFreed(1, removed=True),
    ev.Renamed(1, "Ben"),
    ev.HostChanged(2),
    ev.RulesetChosen("plain"),
    ev.PaceChosen("none"),
    ev.Started(),
    ev.Dealt((1, -2, 12)),
    ev.Reshuffled((3,)),
    ev.Acted(0, 44, "stand_in"),
    ev.Readied(1),
    ev.StandInCame(1, "idle"),
    ev.StandInWent(1),
    ev.HolderAdded(1, "h"),
    ev.LinkRenewed(1, "h"),
    ev.RematchMade("t2"),
    ev.Abandoned(),
]


def test_every_kind_of_event_is_tried() -> None:
    assert {type(event) for event in EVENTS} == set(ev.Event.__args__)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_come_back_from_json(event: ev.Event) -> None:
    data = json.loads(json.dumps(ev.encode(event)))
    assert ev.decode(data) == event
    assert set(data) == {"event", "format", *(field.name for field in fields(event))}


@pytest.mark.parametrize(
    "data", [{}, {"event": "levitated"}, {"event": "readied", "format": 2, "seat": 0}]
)
def test_events_of_a_newer_program_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="newer version"):
        ev.decode(data)


# --- the publisher ------------------------------------------------------------------------------


@asynchronous
async def test_a_slow_reader_gets_the_newest_notice_and_blocks_nobody() -> None:
    publisher = LocalPublisher()
    publisher.publish(Notice("t", 1))
    async with publisher.subscribe("t") as slow, publisher.subscribe("t") as other:
        for version in range(2, 10_000):
            publisher.publish(Notice("t", version))
        publisher.publish(Notice("t", 5))
        publisher.publish(Notice("u", 10_001))
        assert (await anext(slow)).version == 9_999
        publisher.publish(Notice("t", 10_000))
        assert (await anext(slow)).version == 10_000
        assert (await anext(other)).version == 10_000
        assert publisher.readers("t") == 2
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await anext(slow)
        publisher.publish(Notice("t", 10_001))
        assert (await anext(slow)).version == 10_001
    assert publisher.readers("t") == 0


@asynchronous
async def test_subscriptions_end_with_the_publisher() -> None:
    publisher = LocalPublisher()
    async with publisher.subscribe("t") as notices:
        publisher.publish(Notice("t", 1))
        publisher.close()
        assert [notice.version async for notice in notices] == [1]
        assert [notice async for notice in notices] == []
