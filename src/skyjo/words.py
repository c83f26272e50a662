"""What happens in a game, in sentences of the reader's language.

Terminal and web tell the same story. Every sentence is a message of its own; where the viewer is
the one who acts it begins with "You".

>>> from skyjo.chance import SeededChance
>>> from skyjo.game import Game
>>> game = Game(["Ana", "Ben"])
>>> _deal = game.deal(SeededChance(7).deck(1))
>>> ply = game.play("reveal r1c2", seat=0)
>>> tell(ply, game.players)
'Ana turns over C2: 2.'
>>> tell(ply, game.players, viewer_seat=0)
'You turn over C2: 2.'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from skyjo.i18n import N_, _, ngettext
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    LEAVE,
    PASS,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    slot_of,
    verb_of,
)
from skyjo.rules.deal import needs_reshuffle
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    GAME_OVER,
    MAY_REMOVE,
    MUST_SWAP,
    NO_CARD,
    NOBODY,
    OPENING_CARDS,
    PLACE_OR_DISCARD,
    REVEAL,
    ROUND_OVER,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.rules.plies import Line, Ply
from skyjo.rules.ruleset import KNOBS, OPTIONAL, PRESETS, Ruleset
from skyjo.rules.text import rules_text

if TYPE_CHECKING:
    from skyjo.game import RoundResult, ScoreSheet

Players: TypeAlias = Sequence[str]

#: What the viewer reads who does it, and what the others read of {player}.
Pair: TypeAlias = tuple[str, str]

MINUS: Final = "\N{MINUS SIGN}"
#: What stands for a minus sign in texts that are typed.
_HYPHEN: Final = re.compile(r"(?<!\w)-(?=\d)")
COLUMN_LABELS: Final = "ABCD"


# --- Numbers, places and names ----------------------------------------------------------------


def number(value: int) -> str:
    """A card's value or points with a real minus sign, which is wide and read out as one.

    >>> number(-2) == MINUS + "2", number(7)
    (True, '7')
    """
    return f"{MINUS}{-value}" if value < 0 else str(value)


def place_label(slot: int) -> str:
    """How a place of a grid is called: column letter, row number.

    >>> place_label(0), place_label(6)
    ('A1', 'C2')
    """
    return f"{COLUMN_LABELS[slot % COLUMNS]}{slot // COLUMNS + 1}"


def column_label(column: int) -> str:
    """How a column is called.

    >>> column_label(3)
    'D'
    """
    return COLUMN_LABELS[column]


def list_of(names: Sequence[str]) -> str:
    """Names as one enumeration.

    >>> list_of(["Ana", "Ben", "Cleo"])
    'Ana, Ben and Cleo'
    """
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def _pick(seat: int, players: Players, viewer: int | None, pair: Pair, **values: object) -> str:
    """The sentence of a pair that fits the viewer."""
    you, somebody = pair
    if seat == viewer:
        return _(you, **values)
    return _(somebody, player=players[seat], **values)


# --- One action -------------------------------------------------------------------------------

TAKES: Final = (
    N_("You take the {card} from the discard pile."),
    N_("{player} takes the {card} from the discard pile."),
)
DRAWS: Final = (N_("You draw the {card}."), N_("{player} draws the {card}."))
DRAWS_UNSEEN: Final = (N_("You draw a card."), N_("{player} draws a card."))
DISCARDS: Final = (N_("You discard the {card}."), N_("{player} discards the {card}."))
PASSES: Final = (N_("You pass."), N_("{player} passes."))
TURNS_OVER: Final = (
    N_("You turn over {place}: {card}."),
    N_("{player} turns over {place}: {card}."),
)
REPLACES: Final = (
    N_("You put the {card} on {place}, and the {replaced} goes on the discard pile."),
    N_("{player} puts the {card} on {place}, and the {replaced} goes on the discard pile."),
)
REPLACES_HIDDEN: Final = (
    N_("You put the {card} on {place}; the hidden card there was the {replaced}."),
    N_("{player} puts the {card} on {place}; the hidden card there was the {replaced}."),
)
LEAVES: Final = (N_("You leave the game."), N_("{player} leaves the game."))
COLUMN_GOES: Final = (
    N_("Your column {column} goes on the discard pile."),
    N_("Column {column} of {player} goes on the discard pile."),
)
ROW_GOES: Final = (
    N_("Your row {row} goes on the discard pile."),
    N_("Row {row} of {player} goes on the discard pile."),
)
CLOSES: Final = (
    N_("You have no hidden card left and close the round."),
    N_("{player} has no hidden card left and closes the round."),
)


def tell(ply: Ply, players: Players, viewer_seat: int | None = None) -> str:
    """What an action did, in one or a few sentences, as the viewer may tell it.

    The ply must be one that the viewer may know (``skyjo.rules.view.visible_log``).
    """
    parts = [_action(ply, players, viewer_seat)]
    at_once = [line for line in ply.lines if _goes_at_once(ply, line)]
    parts += [_line(line, players, viewer_seat) for line in at_once]
    if ply.closed:
        parts.append(_pick(ply.seat, players, viewer_seat, CLOSES))
    if ply.turned_up:
        parts.append(_("All hidden cards are turned over."))
    parts += [_line(line, players, viewer_seat) for line in ply.lines if line not in at_once]
    if ply.ends == "round":
        parts.append(_("The round is over."))
    elif ply.ends == "game":
        parts.append(_("The game is over."))
    return " ".join(part for part in parts if part)


def _action(ply: Ply, players: Players, viewer: int | None) -> str:
    """The sentence for the action itself; none for a column that its owner removes."""
    verb = verb_of(ply.action)
    if verb == LEAVE:
        return _leaving(ply, players, viewer)
    values: dict[str, str] = {}
    if ply.card is not None:
        values["card"] = number(ply.card)
    if slot_of(ply.action) >= 0:
        values["place"] = place_label(slot_of(ply.action))
    if verb == SWAP_VERB and ply.replaced is not None:
        pair = REPLACES_HIDDEN if ply.was_hidden else REPLACES
        return _pick(ply.seat, players, viewer, pair, replaced=number(ply.replaced), **values)
    if verb == DRAW and ply.card is None:
        return _pick(ply.seat, players, viewer, DRAWS_UNSEEN)
    pairs = {
        TAKE: TAKES,
        DRAW: DRAWS,
        DISCARD: DISCARDS,
        PASS: PASSES,
        FLIP_VERB: TURNS_OVER,
        REVEAL_VERB: TURNS_OVER,
    }
    return _pick(ply.seat, players, viewer, pairs[verb], **values) if verb in pairs else ""


def _leaving(ply: Ply, players: Players, viewer: int | None) -> str:
    leaves = _pick(ply.seat, players, viewer, LEAVES)
    if ply.card is None:
        return leaves
    laid_off = _("The {card} in hand goes on the discard pile.", card=number(ply.card))
    return f"{leaves} {laid_off}"


def _line(line: Line, players: Players, viewer: int | None) -> str:
    if line.is_column:
        return _pick(line.seat, players, viewer, COLUMN_GOES, column=column_label(line.index))
    return _pick(line.seat, players, viewer, ROW_GOES, row=line.index + 1)


def _goes_at_once(ply: Ply, line: Line) -> bool:
    """Whether the action completed the line, not the final reveal that may have followed."""
    slots = [slot for slot in range(SLOTS) if line.index == _across(slot, line.is_column)]
    shown_later = any(each.seat == line.seat and each.slot in slots for each in ply.turned_up)
    touched = slot_of(ply.action) in slots or slot_of(ply.action) < 0
    return line.seat == ply.seat and touched and not shown_later


def _across(slot: int, is_column: bool) -> int:
    return slot % COLUMNS if is_column else slot // COLUMNS


# --- Whose turn it is -------------------------------------------------------------------------

REVEALING: Final = N_("{player} is to turn over opening cards.")
ON_TURN: Final = N_("It is {player}'s turn.")
HAS_TAKEN: Final = N_("{player} has taken the {card} and looks for a place for it.")
HAS_DRAWN: Final = N_("{player} has drawn a card.")
HAS_DRAWN_CARD: Final = N_("{player} has drawn the {card}.")
IS_FLIPPING: Final = N_("{player} has discarded the drawn card and is to turn over a hidden one.")
IS_REMOVING: Final = N_("{player} may remove a column.")


def status(view: View, players: Players) -> str:
    """What the viewer is to do now, or whom everybody waits for; a sentence or two."""
    sentence = _whose_move(view, players)
    closing = _closing(view, players)
    return f"{sentence} {closing}" if closing else sentence


def _whose_move(view: View, players: Players) -> str:
    if view.phase == GAME_OVER:
        return _("The game is over.")
    if view.phase == ROUND_OVER:
        return _between_rounds(view, players)
    if view.phase == REVEAL:
        return _opening(view, players)
    if view.turn == view.seat:
        return _own_move(view)
    player = players[view.turn]
    if view.phase == MUST_SWAP:
        return _(HAS_TAKEN, player=player, card=number(view.hand))
    if view.phase == PLACE_OR_DISCARD and view.hand != UNKNOWN:
        return _(HAS_DRAWN_CARD, player=player, card=number(view.hand))
    sentences = {PLACE_OR_DISCARD: HAS_DRAWN, FLIP: IS_FLIPPING, MAY_REMOVE: IS_REMOVING}
    return _(sentences.get(view.phase, ON_TURN), player=player)


def _between_rounds(view: View, players: Players) -> str:
    if view.round == 0:
        return _("The first round has not been dealt yet.")
    if view.next_starter == NOBODY:
        return _("The round is over. The highest opening cards decide who starts the next one.")
    if view.next_starter == view.seat:
        return _("The round is over. You start the next one.")
    return _("The round is over. {player} starts the next one.", player=players[view.next_starter])


def _opening(view: View, players: Players) -> str:
    """The opening cards: the viewer's own first, unless another seat comes before."""
    waiting = [
        seat
        for seat in range(view.seats)
        if not view.left[seat] and view.hidden[seat] > SLOTS - OPENING_CARDS
    ]
    if view.turn in (NOBODY, view.seat) and view.seat in waiting:
        due = view.hidden[view.seat] - (SLOTS - OPENING_CARDS)
        return ngettext("Turn over {n} more card.", "Turn over {n} of your cards.", due)
    if view.turn != NOBODY:
        return _(REVEALING, player=players[view.turn])
    names = list_of([players[seat] for seat in waiting])
    return ngettext(
        "{names} has yet to turn over opening cards.",
        "{names} have yet to turn over opening cards.",
        len(waiting),
        names=names,
    )


def _own_move(view: View) -> str:
    if view.phase == CHOOSE:
        return _own_source(view)
    if view.phase == MUST_SWAP:
        return _("You took the {card}: choose a place for it.", card=number(view.hand))
    optional = view.rules.flip_after_discard == OPTIONAL
    if view.phase == PLACE_OR_DISCARD:
        card = number(view.hand)
        if optional:
            return _("You drew the {card}: swap it in, or discard it.", card=card)
        return _(
            "You drew the {card}: swap it in, or discard it and turn over a hidden card.",
            card=card,
        )
    if view.phase == FLIP:
        if optional:
            return _("Turn over one of your hidden cards, or pass.")
        return _("Turn over one of your hidden cards.")
    return _("You may remove a column of equal cards, or pass.")


def _own_source(view: View) -> str:
    if view.discard_top == NO_CARD:
        return _("Your turn: draw a card.")
    if view.draw_size == 0 and not needs_reshuffle(view):
        return _("Your turn: take the {card}; nothing is left to draw.", card=_top(view))
    if view.discard_top == UNKNOWN:
        return _("Your turn: take the hidden discard or draw.")
    return _("Your turn: take the {card} or draw.", card=_top(view))


def _top(view: View) -> str:
    return "?" if view.discard_top == UNKNOWN else number(view.discard_top)


def _closing(view: View, players: Players) -> str:
    """A reminder, while last turns are played, of who closed the round."""
    if view.finisher == NOBODY or view.phase in (ROUND_OVER, GAME_OVER):
        return ""
    if view.finisher == view.seat:
        return _("You closed the round; the others play their last turns.")
    player = players[view.finisher]
    if view.turn == view.seat:
        return _("{player} closed the round: this is your last turn.", player=player)
    if view.seat != NOBODY and view.pending[view.seat]:
        return _("{player} closed the round: you have one more turn.", player=player)
    return _("{player} closed the round.", player=player)


# --- The end of a round and of the game -------------------------------------------------------

#: By whether it is a tie and whether the total is punished: what the finisher reads, what the
#: player reads who has as few points or fewer, and what the others read.
PENALTIES: Final = {
    (True, False): (
        N_("You closed the round, but {other} has as few points: your {raw} count as {points}."),
        N_("{player} closed the round, but you have as few points: {raw} count as {points}."),
        N_("{player} closed the round, but {other} has as few points: {raw} count as {points}."),
    ),
    (False, False): (
        N_("You closed the round, but {other} has fewer points: your {raw} count as {points}."),
        N_("{player} closed the round, but you have fewer points: {raw} count as {points}."),
        N_("{player} closed the round, but {other} has fewer points: {raw} count as {points}."),
    ),
    (True, True): (
        N_("You closed the round, but {other} has as few points: your total becomes {total}."),
        N_("{player} closed the round, but you have as few points: the total becomes {total}."),
        N_("{player} closed the round, but {other} has as few points: the total becomes {total}."),
    ),
    (False, True): (
        N_("You closed the round, but {other} has fewer points: your total becomes {total}."),
        N_("{player} closed the round, but you have fewer points: the total becomes {total}."),
        N_("{player} closed the round, but {other} has fewer points: the total becomes {total}."),
    ),
}
CLOSED_AS_LOWEST: Final = (
    N_("You closed the round and have the fewest points."),
    N_("{player} closed the round and has the fewest points."),
)
CLOSED: Final = (N_("You closed the round."), N_("{player} closed the round."))


def explain_penalty(result: RoundResult, players: Players, viewer_seat: int | None = None) -> str:
    """Why the finisher of a round is punished and what it costs; "" without a penalty."""
    seat = result.finisher
    if seat is None or not result.penalised:
        return ""
    raw, points = result.raw[seat], result.points[seat]
    if raw is None or points is None:  # a leaver is never punished
        return ""
    scores = [(score, other) for other, score in enumerate(result.raw) if score is not None]
    lowest = min(entry for entry in scores if entry[1] != seat)
    to_finisher, to_lowest, to_others = PENALTIES[lowest[0] == raw, points == raw]
    sentence = to_finisher if seat == viewer_seat else to_others
    if lowest[1] == viewer_seat:
        sentence = to_lowest
    return _(
        sentence,
        player=players[seat],
        other=players[lowest[1]],
        raw=number(raw),
        points=number(points),
        total=number(result.totals[seat]),
    )


def tell_round(result: RoundResult, players: Players, viewer_seat: int | None = None) -> str:
    """How a round ended: who closed it, with the penalty or without."""
    seat = result.finisher
    if seat is None:
        return _("Nobody closed the round.")
    penalty = explain_penalty(result, players, viewer_seat)
    if penalty:
        return penalty
    raw = result.raw[seat]
    if raw is not None and raw == min(score for score in result.raw if score is not None):
        return _pick(seat, players, viewer_seat, CLOSED_AS_LOWEST)
    return _pick(seat, players, viewer_seat, CLOSED)


def tell_end(sheet: ScoreSheet, viewer_seat: int | None = None) -> str:
    """Who has won; "" while the game runs."""
    if not sheet.winners:
        return ""
    winner = sheet.winners[0]
    points = number(sheet.totals[winner])
    if sheet.by_forfeit:
        pair = (
            N_("You win, because nobody else is left."),
            N_("{player} wins, because nobody else is left."),
        )
        return _pick(winner, sheet.players, viewer_seat, pair)
    if len(sheet.winners) == 1:
        pair = (
            N_("You win with a total of {total}."),
            N_("{player} wins with a total of {total}."),
        )
        return _pick(winner, sheet.players, viewer_seat, pair, total=points)
    names = list_of([sheet.players[seat] for seat in sheet.winners])
    return _("{names} win together with a total of {total}.", names=names, total=points)


# --- Rulesets ---------------------------------------------------------------------------------


def rules_in_words(ruleset: Ruleset) -> list[tuple[str, list[str]]]:
    """The complete rules as the ruleset plays them: titles, each with its paragraphs.

    >>> rules_in_words(Ruleset())[0][0]
    'Cards and players'
    """
    return [
        (
            _(section.title),
            [
                _HYPHEN.sub(
                    MINUS,
                    " ".join(_(sentence.message, **sentence.values) for sentence in paragraph),
                )
                for paragraph in section.paragraphs
            ],
        )
        for section in rules_text(ruleset)
    ]


def about_ruleset(ruleset: Ruleset) -> list[str]:
    """A ruleset in a few lines: what its preset is, then one line for each knob that differs.

    >>> about_ruleset(Ruleset(target=50))[1]
    'Points that end the game: 50'
    """
    preset = ruleset.nearest_preset()
    lines = [_(PRESETS[preset].says)]
    for knob in KNOBS:
        if knob.name in ruleset.overrides(preset):
            now = getattr(ruleset, knob.name)
            value = next((_(each.says) for each in knob.values if each.number == now), "")
            value = value or (_("none") if knob.none and now == 0 else str(now))
            lines.append(_("{knob}: {value}", knob=_(knob.label), value=value))
    return lines
