"""A fault is refused at its place, with what was expected and what stands there."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from tests.record.told import TAGS, fault, read, read_one, small_game, without_decks

from skyjo.chance import SeededChance
from skyjo.errors import RecordError
from skyjo.game import Game
from skyjo.record import read_records, record_json, record_text
from skyjo.rules.actions import DRAW, TAKE, action_name

TEXT = record_text(small_game())
PUBLIC = without_decks(TEXT)


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, text
    return text.replace(old, new)


#: What is changed, into what, and the fault; line 6 is the deck, 7 the round, 8 the first action.
IN_BOTH = [
    # tags
    ('[Skyjo "1"]', '[Skyjo "2"]', "1:1: this is a record of version '2'; known is version 1"),
    ('[Skyjo "1"]', "[Skyjo 1]", '1:1: expected a tag such as [Name "value"]'),
    ('[Skyjo "1"]\n', "", '1:1: expected the first tag of a game, [Skyjo "1"]; here stands: \'['),
    ('[Player2 "Ben"]\n', "", "5:1: the tags end here, but Player2 is missing"),
    ('[Player2 "Ben"]', '[Player3 "Ben"]', ":1: the tags end here, but Player2 is missing"),
    ('[Player2 "Ben"]', '[Player9 "Ben"]', "3:1: expected Player1 to Player8; here stands: 'P"),
    ('[Player2 "Ben"]', '[Player1 "Ben"]', "3:1: the tag Player1 stands here twice"),
    ('[Player2 "Ben"]', '[Player2 "B\\en"]', '3:12: expected one of \\" \\\\ \\n \\r \\t \\u0000;'),
    ('[Player2 "Ben"]', '[Player2 "\\ud83c"]', "3:11: expected one of"),
    ('[Player2 "Ben"]', '[Player2 "Ben"', '3:1: expected a tag such as [Name "value"]'),
    ('[Player2 "Ben"]', '[Player2 "Ben"] x', "3:17: expected nothing after the tag; here stands"),
    ('[Player2 "Ben"]', '[Player2 "B\x00n"]', "3:12: a control character cannot stand here: '\\u0"),
    ('[Player2 "Ben"]', '[Player2 "B\rn"]', "3:12: a control character cannot stand here: '\\r'"),
    ('[Player2 "Ben"]', '[Player-2 "Ben"]', "3:2: expected the name of a tag, one word of"),
    ("official max_rounds", "oficial max_rounds", "4:1: there is no such ruleset: there is no pr"),
    ("turn_limit=1", "turn_limit=x", "4:1: there is no such ruleset: turn_limit is a whole number"),
    ("1 reveal r1c0", '[Date "x"]\n1 reveal r1c0', ":1: tags stand before the first entry of a g"),
    # the round
    ("round 1 discard", "round 2 discard", ":7: expected '1'; here stands: '2'"),
    ("round 1 discard", "round x discard", "expected "),
    ("round 1 discard 8", "round 1", "expected 'discard'; here stands: nothing"),
    ("round 1 discard 8", "round 1 discard 8 8", ":19: expected the end of the line; here stand"),
    # actions
    ("1 take: 8", "3 take: 8", ":1: expected the number of a seat, 1 to 2; here stands: '3'"),
    ("1 take: 8", "11 take: 8", ":1: expected the number of a seat, 1 to 2; here stands: '11'"),
    ("1 take: 8", "Ana take: 8", ":1: expected an action such as '1 draw: 5', or 'round', 'deck'"),
    ("1 take: 8", "1 grab: 8", ":3: expected one of take, draw, discard, pass, reveal, swap,"),
    ("1 take: 8", "1 take: 9", ":9: expected '8'; here stands: '9'"),
    ("1 take: 8", "1 take: 13", ":9: expected a card, -2 to 12; here stands: '13'"),
    ("1 take: 8", "1 take: ?", ":9: expected a card, -2 to 12; here stands: '?'"),
    ("1 take: 8", "1 take 8", ":8: expected the end of the line; here stands: '8'"),
    ("1 take: 8", "1 take", ":7: expected ':'; here stands: nothing"),
    ("1 take: 8", "2 take: 8", ":3: this cannot be played: It is not your turn."),
    ("1 take: 8", "1 reveal r0c0: 8", ":3: this cannot be played: "),
    ("1 take: 8", "1 take: 8 extra", ":11: expected the end of the line; here stands: 'extra'"),
    ("1 take: 8", "1 take: 8; jumps", ":12: expected 'closes', 'reveals', 'gone' or 'ends'; her"),
    ("1 take: 8", "1 take: 8; closes", ":10: expected the end of the line; here stands: ';'"),
    ("1 take: 8", "winner 1\n1 take: 8", ":1: no result is due here; here stands: 'winner'"),
    ("1 take: 8", "round 2 discard 8", ":1: no round can begin here"),
    ("1 take: 8", "reshuffle discard 8", ":1: no reshuffle is due here"),
    ("1 take: 8", "deck 1 2 3", ":1: no deck is due here"),
    ("1 take: 8", "[" * 50, ":1: expected a tag such as"),
    ("reveal r1c1: 7", "reveal r1c1: 7 for 3", "expected the end of the line; here stands: 'for'"),
    ("reveal r1c1: 7", "reveal r3c0: 7", ":10: expected a slot, r0c0 to r2c3; here stands: 'r3c0'"),
    ("reveal r1c1: 7", "remove r3c0", ":10: expected a column, c0 to c3; here stands: 'r3c0'"),
    ("reveal r1c1: 7", "reveal r2c3: 7", ":3: this cannot be played: This card lies face up alr"),
    ("8 for hidden -1", "8 for -1", "expected 'hidden'; here stands: '-1'"),
    ("8 for hidden -1", "8", "expected 'for'; here stands: nothing"),
    # the final reveal and the results
    (
        "1r0c1=12",
        "1r0c1",
        "expected a seat, a slot and a card such as 2r0c1=5; here stands: '1r0c1'",
    ),
    ("1r0c1=12", "9r0c1=12", "expected a seat, a slot and a card such as 2r0c1=5; here stands: '9"),
    ("1r0c1=12", "1r0c1=13", "expected a seat, a slot and a card such as 2r0c1=5; here stands: '1"),
    ("ends game", "ends", "expected 'round'; here stands: nothing"),
    ("ends game", "ends round", "expected 'game'; here stands: 'round'"),
    ("; ends game", "", "expected ';'; here stands: nothing"),
    (
        "ends game",
        "gone 1x1",
        "expected a seat and a column or row such as 2c1; here stands: '1x1'",
    ),
    ("ends game", "gone 1c1", "expected 'ends'; here stands: 'gone'"),
    ("score 81 49", "score 81 48", ":10: expected '49'; here stands: '48'"),
    ("score 81 49", "score 81* 49", ":7: expected '81'; here stands: '81*'"),
    ("total 81 49", "total 81", ":9: expected '49'; here stands: nothing"),
    ("winner 2", "winner 1", ":8: expected '2'; here stands: '1'"),
    ("winner 2", "winner 2 by forfeit", ":10: expected the end of the line; here stands: 'by'"),
    ("total 81 49\n", "", ":1: expected 'total'; here stands: 'winner'"),
    ("winner 2\n", "winner 2\n1 draw: 5\n", ":3: this cannot be played: The game is over."),
    ("winner 2\n", "winner 2\nround 2 discard 5\n", ":1: no round can begin here"),
]

WITH_DECK = [
    ("1r0c1=12", "2r0c1=12", "15:48: expected '1r0c1=12'; here stands: '2r0c1=12'"),
    ("deck 10 12 3", "deck 10 12 13", "6:12: expected a card, -2 to 12; here stands: '13'"),
    ("deck 10 12 3", "deck 10 12", "6:348: cards expected: 150; found here: 149"),
    (
        "deck 10 12 3",
        "deck 10 12 3 3",
        "one card of the value 3 too many; how many there are here: 10",
    ),
    (
        "deck 10 12 3",
        "deck 12 12 3",
        "one card of the value 12 too many; how many there are here: 10",
    ),
    ("round 1 discard 8", "round 1 discard 7", "7:17: expected '8'; here stands: '7'"),
    ("round 1 discard 8", "1 reveal r2c1: 8", "7:1: expected 'round'; here stands: '1'"),
    ("1 reveal r2c1: 8", "1 reveal r2c1: 7", "8:16: expected '8'; here stands: '7'"),
    ("for hidden -1", "for hidden 5", "expected '-1'; here stands: '5'"),
    ("1r0c1=12", "1r0c1=11", "expected '1r0c1=12'; here stands: '1r0c1=11'"),
]

WITHOUT_DECK = [
    ("1r0c1=12", "2r0c1=12", "14:125: a 2 cannot be here, after all that was told before"),
    ("round 1 discard 8", "round 1 discard ?", "6:17: the first discard lies face up, but was not"),
    ("round 1 discard 8", "round 1 discard x", "6:17: expected a card, -2 to 12; here stands: 'x'"),
    ("1r0c1=12", "1r0c1=12 1r0c1=11", "57: a 11 cannot be here"),
    (" 2r2c1=11", "", "expected '2r2c1="),
]


@pytest.mark.parametrize(("old", "new", "message"), IN_BOTH)
@pytest.mark.parametrize("text", [TEXT, PUBLIC], ids=["decks", "no decks"])
def test_a_fault_is_found_with_decks_and_without(
    text: str, old: str, new: str, message: str
) -> None:
    assert message in fault(edited(text, old, new))


@pytest.mark.parametrize(("old", "new", "message"), WITH_DECK)
def test_what_contradicts_the_deck_is_found(old: str, new: str, message: str) -> None:
    assert message in fault(edited(TEXT, old, new))


@pytest.mark.parametrize(("old", "new", "message"), WITHOUT_DECK)
def test_what_contradicts_itself_is_found(old: str, new: str, message: str) -> None:
    assert message in fault(edited(PUBLIC, old, new))


@pytest.mark.parametrize("text", [TEXT, PUBLIC], ids=["decks", "no decks"])
def test_the_line_and_the_file_are_named(text: str) -> None:
    line = text.splitlines().index("1 take: 8") + 1
    assert fault(text.replace("1 take: 8", "1 take: 9")) == (
        f"a.skyjo:{line}:9: expected '8'; here stands: '9'"
    )
    crlf = text.replace("1 take: 8", "  1 take: 9 # oh").replace("\n", "\r\n")
    assert fault(crlf) == f"a.skyjo:{line}:11: expected '8'; here stands: '9'"
    assert fault("\ufeff" + text + text.replace("1 take: 8", "1 take: 9")) == (
        f"a.skyjo:{line + text.count(chr(10))}:9: expected '8'; here stands: '9'"
    )


@pytest.mark.parametrize("told", [str, without_decks], ids=["decks", "no decks"])
def test_after_a_reshuffle_comes_its_draw(told: Callable[[str], str]) -> None:
    """Eight draw and discard; a record that was cut off at the reshuffle cannot go on otherwise."""
    game, chance = Game([f"P{n}" for n in range(8)]), SeededChance(5)
    game.deal(chance.deck(1))
    while not game.draw_is_due:
        seat = next(seat for seat in range(8) if game.legal_actions(seat))
        if game.needs_reshuffle:
            game.reshuffle(chance.reshuffle(game.cards_to_reshuffle, 1, 1))
        else:
            actions = [action_name(action) for action in game.legal_actions(seat)]
            # The last of them: a discard at once, and a flip in the last place.
            wanted = {"take": "draw"}.get(actions[0], actions[0])
            game.play(actions[-1] if wanted.startswith("flip") else wanted, seat)
    text = told(record_text(game))
    assert read_one(text).game.draw_is_due
    seat, top = game.state.turn + 1, game.view().discard_top
    assert "You have chosen already" in fault(f"{text}{seat} take: {top}\n")
    assert read_one(f"{text}{seat} leave\n").game.legal_actions() == [TAKE, DRAW]


def test_more_cards_than_there_are_cannot_be_told() -> None:
    """Without a deck the 150 cards still are what they are: there are five -2."""
    head = record_text(small_game()).split("\n\n")[0] + "\n"
    text = head + "round 1 discard -2\n"
    for seat, slot in [(1, "r0c0"), (1, "r0c1"), (2, "r0c0"), (2, "r0c1")]:
        text += f"{seat} reveal {slot}: -2\n"
    assert not fault(text)
    text += "1 draw: 3\n1 discard: 3\n"
    assert fault(text + "1 flip r0c2: -2\n") == (
        "a.skyjo:12:14: a -2 cannot be here, after all that was told before"
    )
    assert "13:27: a -2 cannot be here" in fault(
        text.replace("1 discard: 3\n", "\n# no flip\n") + "1 swap r0c2: 3 for hidden -2\n"
    )


def test_after_a_fault_the_next_game_is_read() -> None:
    wrong = TEXT.replace("1 take: 8", "1 take: 9")
    faults: list[RecordError] = []
    text = f"{wrong}\n{TEXT}[Skyjo\n{TEXT}{wrong}"
    records = list(read_records(BytesIO(text.encode()), "b", faults.append))
    assert [record_text(record.game) for record in records] == [TEXT] * 2
    assert [str(each).split(":")[1:3] for each in faults] == [
        ["12", "9"],
        ["38", "1"],
        ["68", "9"],
    ]


# --- JSON -------------------------------------------------------------------------------------

DOCUMENT: dict[str, Any] = json.loads(record_json(small_game(), TAGS))


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document, ensure_ascii=False)


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.pop(name)


def entry(index: int, **fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["log"][index].update(fields)


JSON_FAULTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (without("skyjo"), "the field 'skyjo' is missing here"),
    (without("log"), "the field 'log' is missing here"),
    (without("players"), "the field 'players' is missing here"),
    (lambda d: d.update(skyjo=1), "expected a text; here stands: '1'"),
    (lambda d: d.update(skyjo="2"), "this is a record of version '\\\"2\\\"'; known is version 1"),
    (lambda d: d.update(more=1), "the field 'more' is unknown here"),
    (lambda d: d.update(players=["Ana"]), "Skyjo is played by 2 to 8 players, not by 1."),
    (lambda d: d.update(players=["Ana", 5]), "expected a text; here stands: '5'"),
    (lambda d: d.update(players={}), "expected an array; here stands: {…}"),
    (lambda d: d.update(ruleset="x"), "there is no such ruleset: there is no preset 'x'"),
    (lambda d: d.update(tags=[]), "expected an object; here stands: […]"),
    (lambda d: d.update(tags={"a b": "c"}), "'a b' cannot be the name of a tag here"),
    (lambda d: d.update(tags={"Player1": "c"}), "'Player1' cannot be the name of a tag here"),
    (lambda d: d.update(tags={"A": 1}), "expected a text; here stands: '1'"),
    (lambda d: d["log"].append(5), "expected an object; here stands: '5'"),
    (lambda d: d["log"].append({}), "expected an action, a round or a reshuffle here"),
    (lambda d: d["log"].pop(0), "this cannot be played: The round is over"),
    (lambda d: d["log"].append(d["log"][1]), "this cannot be played: The game is over."),
    (entry(0, round=2), "expected 1; here stands: '2'"),
    (entry(0, discard=7), "expected 8; here stands: '7'"),
    (entry(0, discard=None), "expected 8; here stands: 'null'"),
    (entry(0, deck=[1, 2]), "cards expected: 150; found here: 2"),
    (entry(0, deck=[13]), "expected a card, -2 to 12; here stands: '13'"),
    (entry(0, deck=[True]), "expected a card, -2 to 12; here stands: 'true'"),
    (entry(0, deck=5), "expected an array; here stands: '5'"),
    (entry(1, seat=3), "expected the number of a seat, 1 to 2; here stands: '3'"),
    (entry(1, seat=True), "expected a whole number; here stands: 'true'"),
    (entry(1, action="reveal"), "expected an action such as 'swap r0c1'; here stands:"),
    (entry(1, card=9), "expected 8; here stands: '9'"),
    (entry(1, card="8"), "expected a card, -2 to 12; here stands: '\\\"8\\\"'"),
    (entry(1, closes=True), "the field 'closes' is wrong here"),
    (entry(1, other=True), "the field 'other' is wrong here"),
    (lambda d: d["log"][1].pop("card"), "the field 'card' is missing here"),
    (entry(6, was_hidden=1), "expected true; here stands: '1'"),
    (entry(6, was_hidden=False), "expected true; here stands: 'false'"),
    (entry(-1, reveals=[]), "values expected: 18; found here: 0"),
    (entry(-1, reveals=[5]), "expected an object; here stands: '5'"),
    (entry(-1, reveals=[{"seat": 9}]), "expected the number of a seat, 1 to 8; here stands: '9'"),
    (entry(-1, reveals=[{"seat": 1}]), "the field 'slot' is missing here"),
    (entry(-1, reveals=[{"seat": 1, "slot": "x"}]), "expected a slot, r0c0 to r2c3; here stands:"),
    (entry(-1, points=[81, 48]), "expected 49; here stands: '48'"),
    (entry(-1, points=[81, 49, 1]), "values expected: 2; found here: 3"),
    (entry(-1, totals=None), "expected [81, 49]; here stands: 'null'"),
    (entry(-1, winners=[1]), "expected 2; here stands: '1'"),
    (entry(-1, by_forfeit=True), "expected false; here stands: 'true'"),
]


@pytest.mark.parametrize(("change", "message"), JSON_FAULTS)
def test_a_fault_in_json_is_found(change: Callable[[dict[str, Any]], object], message: str) -> None:
    assert message in fault(changed(change))


def test_a_fault_in_json_has_its_place() -> None:
    pretty = json.dumps(json.loads(changed(entry(1, card=9))), indent=1)
    line = next(i for i, text in enumerate(pretty.splitlines(), 1) if '"card": 9' in text)
    assert fault(pretty) == f"a.skyjo:{line}:12: expected 8; here stands: '9'"
    in_one = changed(entry(1, card=9))
    column = in_one.index('"card": 9') + 9
    assert fault(in_one).startswith(f"a.skyjo:1:{column}: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "2:1: the text ends here in the middle of a game"),
        ("{}", "1:1: the field 'skyjo' is missing here"),
        ("{5: 1}", "1:2: expected the name of a field; here stands: '5'"),
        ('{"a" 1}', "1:6: expected ':'; here stands: '1'"),
        ('{"a": 1 2}', "1:9: expected ','; here stands: '2'"),
        ('{"a": 1,}', "1:9: expected the name of a field; here stands: '}'"),
        ('{"a": [1,]}', "1:10: expected a value; here stands: ']'"),
        ('{"a": 1, "a": 1}', "1:10: the field 'a' stands here twice"),
        ('{"a": NaN}', "1:7: expected a value; here stands: 'NaN'"),
        ('{"a": -Infinity}', "1:7: expected a value; here stands: '-Infinity'"),
        ('{"a": 1.5}', "1:7: expected a value; here stands: '1.5'"),
        ('{"a": 1e999}', "1:7: expected a value; here stands: '1e999'"),
        ('{"a": 01}', "1:7: expected a value; here stands: '01'"),
        ('{"a": ١}', "1:7: expected a value; here stands: '١'"),
        ('{"a": "\\ud800"}', "1:7: this is no text in JSON"),
        ('{"a": "\\x"}', "1:7: this is no text in JSON"),
        ('{"a": "x\n"}', "1:7: this is no text in JSON"),
        ('{"a": "x', "1:7: this is no text in JSON"),
        ('{"a": \x00}', "1:7: expected a value; here stands: '\\u0000'"),
        ("{} 5", "1:1: the field 'skyjo' is missing here"),
    ],
)
def test_what_is_no_json_is_refused(text: str, message: str) -> None:
    assert f"a.skyjo:{message}" in fault(text)


def test_after_a_fault_in_json_the_next_game_is_read() -> None:
    right = record_json(small_game())
    faults: list[RecordError] = []
    lines = [right, right[:-3], right, changed(entry(1, card=9)), "garbage", right, "5"]
    records = list(read_records(BytesIO("\n".join(lines).encode()), "b", faults.append))
    assert [record_text(record.game) for record in records] == [TEXT] * 2
    assert [int(str(each).split(":")[1]) for each in faults] == [3, 4, 5, 7]


def test_nothing_is_no_game() -> None:
    assert read("") == []
    assert read("\n\n# only a comment\n") == []
    assert read(" ") == []
