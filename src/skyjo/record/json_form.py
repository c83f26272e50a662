"""The JSON form of records: the same content as the text, for programs.

One game is one object, written in one line. Seats are numbered from 1 as in the text, unknown
cards are null::

    {"skyjo": "1", "players": ["Ana", "Ben"], "ruleset": "official", "tags": {"Seed": "7"},
     "log": [{"round": 1, "discard": 7, "deck": [5, 11, ...]},
             {"seat": 1, "action": "reveal r0c0", "card": 5},
             {"reshuffle": 1, "discard": 3, "deck": [...]},
             {"seat": 2, "action": "swap r0c1", "card": 7, "replaced": 3, "was_hidden": true,
              "closes": true, "reveals": [{"seat": 1, "slot": "r0c2", "card": 4}],
              "gone": [{"seat": 1, "line": "c2"}], "ends": "game", "points": [12, 9],
              "penalised": 2, "totals": [12, 18], "winners": [1], "by_forfeit": false}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from skyjo.errors import RecordError, RulesetError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.record.json_text import JsonText, Node
from skyjo.record.notation import (
    MAX_TAGS,
    OWN_TAG,
    TAG_NAME,
    VERSION,
    check_tags,
    checked_points,
)
from skyjo.record.parsing import ToldPly, shortened
from skyjo.record.reader import OnFault, Record
from skyjo.record.replay import knows_all, positions
from skyjo.record.told import ToldGame, rewritten
from skyjo.rules.actions import ACTIONS, DRAW, action_name, slot_name
from skyjo.rules.layout import HIGHEST, LOWEST, MAX_SEATS, MIN_SEATS, SLOTS, UNKNOWN
from skyjo.rules.plies import Deal, Entry, Ply, TurnedUp
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import visible_discard

_ACTIONS: Final = {action_name(action): action for action in range(ACTIONS)}
_SLOTS: Final = {slot_name(slot): slot for slot in range(SLOTS)}
#: What some programs take for the end of a line.
_LINE_BREAKS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
_FIELDS: Final = ("skyjo", "players", "ruleset", "tags", "log")


# --- writing ------------------------------------------------------------------------------------


def record_json(game: Game, tags: Mapping[str, str] | None = None) -> str:
    """A game's record in JSON, in one line, with everything that is known.

    >>> print(record_json(Game(["Ana", "Ben"]), {"Date": "2026-11-29"}))
    {"skyjo": "1", "players": ["Ana", "Ben"], "ruleset": "official",
     "tags": {"Date": "2026-11-29"}, "log": []}
    """
    check_tags(game.players, tags or {})
    text = json.dumps(
        {
            "skyjo": VERSION,
            "players": list(game.players),
            "ruleset": game.ruleset.text(),
            "tags": dict(tags or {}),
            "log": [entry_form(entry, now) for entry, now in positions(game)],
        },
        ensure_ascii=False,
    )
    return text.translate(_LINE_BREAKS)


def entry_form(entry: Entry, game: Game) -> dict[str, Any]:
    """An entry as JSON has it, with the results it brings; ``game`` stands just after it."""
    if isinstance(entry, Ply):
        return ply_form(entry) | result_form(entry, game)
    form: dict[str, Any]
    if isinstance(entry, Deal):
        form = {"round": entry.round}
    else:
        form = {"reshuffle": game.state.reshuffles}
    form["discard"] = _card(visible_discard(game.state))
    cards = entry.deck if isinstance(entry, Deal) else entry.order
    if knows_all(cards):
        form["deck"] = list(cards)
    return form


def _card(card: int | None) -> int | None:
    return None if card == UNKNOWN else card


def ply_form(ply: Ply) -> dict[str, Any]:
    """An action as JSON has it; what does not apply is left out."""
    form: dict[str, Any] = {"seat": ply.seat + 1, "action": action_name(ply.action)}
    if ply.card is not None or ply.action == DRAW:
        form["card"] = ply.card
    if ply.replaced is not None:
        form["replaced"] = ply.replaced
        form["was_hidden"] = ply.was_hidden
    if ply.closed:
        form["closes"] = True
    if ply.turned_up:
        form["reveals"] = [
            {"seat": turned.seat + 1, "slot": slot_name(turned.slot), "card": turned.card}
            for turned in ply.turned_up
        ]
    if ply.lines:
        form["gone"] = [{"seat": line.seat + 1, "line": line.name} for line in ply.lines]
    if ply.ends:
        form["ends"] = ply.ends
    return form


def result_form(ply: Ply, game: Game) -> dict[str, Any]:
    """The results that an action brings: of the round, of the game, or none."""
    form: dict[str, Any] = {}
    if not ply.ends:
        return form
    by_forfeit = game.score_sheet.by_forfeit
    if not by_forfeit:
        result = game.rounds[-1]
        form["points"] = [
            None if points is None else checked_points(points) for points in result.points
        ]
        if result.penalised and result.finisher is not None:
            form["penalised"] = result.finisher + 1
        form["totals"] = [checked_points(total) for total in result.totals]
    if ply.ends == "game":
        form["winners"] = [seat + 1 for seat in game.winners]
        form["by_forfeit"] = by_forfeit
    return form


# --- reading ------------------------------------------------------------------------------------


class JsonReader:
    """Reads the games of a stream of JSON."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._text = JsonText(stream, path)

    def records(self, on_fault: OnFault | None = None) -> Iterator[Record]:
        """Every game in turn. A fault is raised; or told, and the next game is read."""
        while True:
            try:
                document = self._text.document()
            except RecordError as error:
                if on_fault is None:
                    raise
                on_fault(error)
                self._text.skip()
                continue
            if document is None:
                return
            try:
                record = read_document(document)
            except RecordError as error:
                if on_fault is None:
                    raise
                on_fault(error)
            else:
                yield record


def read_document(document: Node) -> Record:
    """The record of one object; RecordError at the first fault."""
    for name, node in document.value.items():
        if name not in _FIELDS:
            raise node.place.fault(N_("the field '{name}' is unknown here"), name=shortened(name))
    version = document.field("skyjo", str)
    if version.value != VERSION:
        raise version.fault(
            N_("this is a record of version {found}; known is version {version}"), version=VERSION
        )
    told = ToldGame(_players(document), _ruleset(document))
    tags = _tags(document.value.get("tags"))
    for entry in document.field("log", list).value:
        _enter(entry, told)
    return Record(told.game, tags, document.place.line)


def _players(document: Node) -> list[str]:
    node = document.field("players", list)
    if not MIN_SEATS <= len(node.value) <= MAX_SEATS:
        raise node.place.fault(
            N_("Skyjo is played by 2 to 8 players, not by {count}."), count=len(node.value)
        )
    return [_text(player) for player in node.value]


def _text(node: Node) -> str:
    if not isinstance(node.value, str):
        raise node.fault(N_("expected a text; here stands: {found}"))
    try:
        check_tags([node.value], {})
    except RecordError as error:
        raise rewritten(error, node.place) from error
    return node.value


def _ruleset(document: Node) -> Ruleset:
    node = document.field("ruleset", str)
    try:
        return Ruleset.parse(node.value)
    except RulesetError as error:
        raise node.place.fault(
            N_("there is no such ruleset: {reason}"), reason=shortened(str(error), 300)
        ) from error


def _tags(node: Node | None) -> dict[str, str]:
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise node.fault(N_("expected an object; here stands: {found}"))
    tags = {name: _text(value) for name, value in node.value.items()}
    for name, value in node.value.items():
        if not TAG_NAME.fullmatch(name) or OWN_TAG.fullmatch(name):
            raise value.place.fault(
                N_("'{name}' cannot be the name of a tag here"), name=shortened(name)
            )
    if len(tags) > MAX_TAGS:
        raise node.place.fault(N_("a game has at most {most} tags"), most=MAX_TAGS)
    return tags


def _enter(node: Node, told: ToldGame) -> None:
    """Play one entry and compare everything that it says."""
    if not isinstance(node.value, dict):
        raise node.fault(N_("expected an object; here stands: {found}"))
    entry: Entry
    if "action" in node.value:
        entry = told.ply(_told_ply(node, len(told.game.players)))
    elif "deck" in node.value:
        deck = node.field("deck", list)
        cards = [(_checked_card(card), card.place) for card in deck.value]
        entry = told.deck(cards, deck.place, deck.place)
    else:
        is_deal = "round" in node.value
        if not is_deal and "reshuffle" not in node.value:
            raise node.place.fault(N_("expected an action, a round or a reshuffle here"))
        discard = node.value.get("discard", node)
        known = None if discard is node or discard.value is None else _checked_card(discard)
        entry = told.event(is_deal, known, node.place, discard.place)
    try:
        form = entry_form(entry, told.game)
    except RecordError as error:
        raise rewritten(error, node.place) from error
    compare(node, form)


def _told_ply(node: Node, seats: int) -> ToldPly:
    seat = node.field("seat", int)
    if not 1 <= seat.value <= seats:
        raise seat.fault(
            N_("expected the number of a seat, 1 to {seats}; here stands: {found}"), seats=seats
        )
    action = node.field("action", str)
    if action.value not in _ACTIONS:
        raise action.fault(N_("expected an action such as 'swap r0c1'; here stands: {found}"))
    places = {"action": action.place}
    cards: dict[str, int | None] = {}
    for name in ("card", "replaced"):
        told = node.value.get(name)
        if told is not None:
            places[name] = told.place
            cards[name] = None if told.value is None else _checked_card(told)
    reveals = node.field("reveals", list).value if "reveals" in node.value else []
    ply = Ply(
        seat.value - 1,
        _ACTIONS[action.value],
        cards.get("card"),
        cards.get("replaced"),
        turned_up=tuple(_turned_up(turned) for turned in reveals),
    )
    return ToldPly(ply, places, [turned.value["card"].place for turned in reveals])


def _turned_up(node: Node) -> TurnedUp:
    if not isinstance(node.value, dict):
        raise node.fault(N_("expected an object; here stands: {found}"))
    seat = node.field("seat", int)
    if not 1 <= seat.value <= MAX_SEATS:
        raise seat.fault(
            N_("expected the number of a seat, 1 to {seats}; here stands: {found}"),
            seats=MAX_SEATS,
        )
    slot = node.field("slot", str)
    if slot.value not in _SLOTS:
        raise slot.fault(N_("expected a slot, r0c0 to r2c3; here stands: {found}"))
    return TurnedUp(seat.value - 1, _SLOTS[slot.value], _checked_card(node.field("card", int)))


def _checked_card(node: Node) -> int:
    card = node.value
    if not isinstance(card, int) or isinstance(card, bool) or not LOWEST <= card <= HIGHEST:
        raise node.fault(N_("expected a card, -2 to 12; here stands: {found}"))
    return card


def compare(node: Node, expected: Any) -> None:
    """Raise RecordError at the first value that is not what it should be."""
    value = node.value
    if isinstance(expected, dict) and isinstance(value, dict):
        for name, part in value.items():
            if name not in expected:
                raise part.place.fault(N_("the field '{name}' is wrong here"), name=shortened(name))
            compare(part, expected[name])
        for name in expected:
            if name not in value:
                raise node.place.fault(N_("the field '{name}' is missing here"), name=name)
    elif isinstance(expected, list) and isinstance(value, list):
        for part, should_be in zip(value, expected, strict=False):
            compare(part, should_be)
        if len(value) != len(expected):
            raise node.place.fault(
                N_("values expected: {wanted}; found here: {count}"),
                wanted=len(expected),
                count=len(value),
            )
    elif type(value) is not type(expected) or value != expected:
        raise node.fault(
            N_("expected {expected}; here stands: {found}"),
            expected=json.dumps(expected, ensure_ascii=False),
        )
