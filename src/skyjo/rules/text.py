"""The complete rules in words, as a ruleset plays them.

Every sentence that depends on a knob is chosen by the same numbers that the rules compare, so
that text and behaviour cannot part. Sentences are only marked for translation here; whoever shows
them translates and fills them in (``skyjo.words.rules_in_words``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from skyjo.i18n import N_
from skyjo.rules import ruleset as r
from skyjo.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Sentence:
    """One or a few sentences: a message id, and the values of its placeholders."""

    message: str
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the rules.

    ``number`` is that of the section in docs/rules.md, ``title`` a message id, and a paragraph is
    a tuple of sentences that follow each other.
    """

    number: str
    title: str
    paragraphs: tuple[tuple[Sentence, ...], ...]


def rules_text(rules: Ruleset) -> tuple[Section, ...]:
    """The rules as this ruleset plays them, in the order in which one explains them.

    >>> [section.number for section in rules_text(Ruleset())][:3]
    ['2.1', '2.2', '2.3']
    """
    return (
        _section("2.1", N_("Cards and players"), [Sentence(CARDS)], [Sentence(AIM)]),
        _section("2.2", N_("The deal"), [Sentence(DEAL)], [Sentence(NOBODY_LOOKS)]),
        _section("2.3", N_("The discard pile"), [Sentence(FIRST_DISCARD[rules.first_discard])]),
        _section("2.4", N_("The opening cards"), [Sentence(OPENING[rules.reveal_order])]),
        _section("2.6", N_("Who starts"), *_starter(rules)),
        _section("2.7", N_("A turn"), *_turn(rules)),
        _section("2.9", N_("Columns and rows"), *_lines(rules)),
        _section("2.14", N_("When the draw pile is empty"), *_empty_draw(rules)),
        _section("2.10", N_("The end of a round"), *_round_end(rules)),
        _section("2.11", N_("The final reveal"), *_final_reveal(rules)),
        _section("2.12", N_("The penalty"), *_penalty(rules)),
        _section("2.13", N_("The end of the game"), *_game_end(rules)),
        _section(
            "2.15", N_("When somebody leaves"), [Sentence(LEAVING)], [Sentence(LEAVERS_PLACE)]
        ),
        _section("2.16", N_("What everybody may know"), [Sentence(PUBLIC)]),
    )


def _section(number: str, title: str, *paragraphs: list[Sentence]) -> Section:
    return Section(number, title, tuple(tuple(each) for each in paragraphs if each))


# --- Before the first turn (rules 2.1 to 2.6) -------------------------------------------------

CARDS: Final = N_(
    "Skyjo is played by 2 to 8 players with 150 cards: five of -2, ten of -1, fifteen of 0 and ten"
    " of each value from 1 to 12."
)
AIM: Final = N_(
    "Every card that lies in front of you at the end of a round counts its value. A game goes over"
    " several rounds, and whoever has the fewest points at its end wins."
)
DEAL: Final = N_(
    "Before every round all 150 cards are shuffled. Everybody gets twelve of them and lays them"
    " out face down as a grid of three rows and four columns."
)
NOBODY_LOOKS: Final = N_("Nobody looks at a hidden card, not even at their own.")
FIRST_DISCARD: Final = {
    r.FACE_UP: N_(
        "The next card is laid face up beside the draw pile and begins the discard pile. Only the"
        " top card of the discard pile may be taken."
    ),
    r.FACE_DOWN: N_(
        "The next card is laid face down beside the draw pile and begins the discard pile. Nobody"
        " knows it until somebody takes it and has to place it face up, or until it is shuffled"
        " into a new draw pile. Only the top card of the discard pile may be taken."
    ),
}
OPENING: Final = {
    r.FREE: N_(
        "Everybody turns over any two of their own cards. They need not wait for each other; play"
        " begins when all have done so."
    ),
    r.SEAT_ORDER: N_(
        "One player after the other, beginning with the first seat, turns over any two of their"
        " own cards."
    ),
}
HIGHEST_STARTS: Final = {
    True: N_("In every round the player whose two opening cards have the highest sum starts."),
    False: N_("In the first round the player whose two opening cards have the highest sum starts."),
}
STARTER_TIE: Final = {
    r.HIGHEST_CARD_THEN_SEAT: N_(
        "If several have it, the highest single card decides, and if that is shared as well, the"
        " first seat among them."
    ),
    r.SEAT: N_("If several have it, the first seat among them starts."),
}
FINISHER_STARTS: Final = N_(
    "Every later round is started by the player who closed the round before, punished or not."
)
WINNER_STARTS: Final = {
    r.ROUND: N_(
        "Every later round is started by the player with the fewest points in the round before,"
        " counted after the penalty."
    ),
    r.TOTAL: N_(
        "Every later round is started by the player with the fewest points in the round before,"
        " counted without the penalty."
    ),
}
WINNER_TIE: Final = N_(
    "If several have the fewest, it is the one who closed the round if that is one of them,"
    " otherwise the first of them clockwise from there."
)
STARTER_LEFT: Final = N_(
    "If the player who should start has left, the next remaining player clockwise starts."
)
CLOCKWISE: Final = N_("Turns go round clockwise.")


def _starter(rules: Ruleset) -> list[list[Sentence]]:
    always = rules.next_starter == r.HIGHEST_SUM
    first = [Sentence(HIGHEST_STARTS[always]), Sentence(STARTER_TIE[rules.starter_tiebreak])]
    later = []
    if rules.next_starter == r.FINISHER:
        later = [Sentence(FINISHER_STARTS)]
    elif rules.next_starter == r.ROUND_WINNER:
        later = [Sentence(WINNER_STARTS[rules.penalty_scope]), Sentence(WINNER_TIE)]
    return [first, [*later, Sentence(STARTER_LEFT)], [Sentence(CLOCKWISE)]]


# --- A turn (rules 2.7 to 2.9, 2.14) ----------------------------------------------------------

SOURCE: Final = N_("On your turn you either take the top discard or draw from the draw pile.")
TAKEN: Final = N_(
    "A card taken from the discard pile must be swapped into your grid: it replaces one of your"
    " cards, face up or hidden. It may not be put back."
)
DRAWN: Final = {
    r.MANDATORY: N_(
        "A drawn card is seen by you alone at first. Either swap it into your grid in the same"
        " way, or discard it; then you must turn over one of your hidden cards."
    ),
    r.OPTIONAL: N_(
        "A drawn card is seen by you alone at first. Either swap it into your grid in the same"
        " way, or discard it; then you may turn over one of your hidden cards, or pass."
    ),
}
SWAPPED: Final = N_(
    "The new card lies face up, and the replaced one goes on top of the discard pile. A hidden"
    " card is not looked at before it is replaced."
)
NO_LINES: Final = N_(
    "Columns and rows of equal cards have no meaning: every card stays and counts."
)
COLUMNS_GO: Final = N_(
    "When three equal cards lie face up in one of your columns at the end of your turn, the column"
    " goes at once, whether you like it or not. This holds for every value, also for zero and"
    " below."
)
COLUMNS_BY_CHOICE: Final = N_(
    "When three equal cards lie face up in one of your columns at the end of your turn, you may"
    " remove the column or pass. A column that you keep may still go at the end of a later turn of"
    " yours."
)
COLUMNS_STAY: Final = N_("Columns of three equal cards stay and count.")
ROWS_GO: Final = N_(
    "When four equal cards lie face up in one of your rows at the end of your turn, the row goes"
    " at once. All four must still be there; if a column and a row are complete in the same moment,"
    " both go."
)
ROWS_GO_ALONE: Final = N_(
    "When four equal cards lie face up in one of your rows at the end of your turn, the row goes"
    " at once, whether you like it or not."
)
WHERE_LINES_GO: Final = N_(
    "The cards are laid on the discard pile, on top of the card that was replaced or discarded in"
    " this turn, so that the next player may take one of them. Their places stay empty for the rest"
    " of the round."
)
EMPTY_DRAW: Final = {
    r.RESHUFFLE_KEEP_TOP: N_(
        "If somebody wants to draw and the draw pile is empty, the top discard stays where it is,"
        " and all other discards are shuffled into a new draw pile."
    ),
    r.RESHUFFLE_ALL_FLIP_TOP: N_(
        "If somebody wants to draw and the draw pile is empty, all discards are shuffled into a"
        " new draw pile. Its first card is turned up and becomes the new discard, and the next one"
        " is drawn."
    ),
}
ONE_DISCARD: Final = N_("As long as there are fewer than two discards to do so, one can only take.")


def _turn(rules: Ruleset) -> list[list[Sentence]]:
    drawn = Sentence(DRAWN[rules.flip_after_discard])
    return [[Sentence(SOURCE)], [Sentence(TAKEN)], [drawn], [Sentence(SWAPPED)]]


def _lines(rules: Ruleset) -> list[list[Sentence]]:
    """Columns and rows during the turns; ``player_choice`` is never combined with rows."""
    rows = rules.row_removal == r.ON
    if rules.column_removal == r.OFF:
        if not rows:
            return [[Sentence(NO_LINES)]]
        return [
            [Sentence(COLUMNS_STAY), Sentence(ROWS_GO_ALONE)],
            [Sentence(WHERE_LINES_GO)],
        ]
    if rules.column_removal == r.PLAYER_CHOICE:
        return [[Sentence(COLUMNS_BY_CHOICE)], [Sentence(WHERE_LINES_GO)]]
    paragraphs = [[Sentence(COLUMNS_GO)], [Sentence(WHERE_LINES_GO)]]
    if rows:
        paragraphs.insert(1, [Sentence(ROWS_GO)])
    return paragraphs


def _empty_draw(rules: Ruleset) -> list[list[Sentence]]:
    return [[Sentence(EMPTY_DRAW[rules.empty_draw]), Sentence(ONE_DISCARD)]]


# --- The end of a round (rules 2.10, 2.11) ----------------------------------------------------

CLOSING: Final = N_(
    "Whoever is the first to have no hidden card left at the end of a turn closes the round."
)
CLOSING_AFTER_LINES: Final = N_("What had to go or was removed has gone before that is judged.")
FINAL_TURNS: Final = {
    r.ONE_EACH: N_(
        "Everybody else, clockwise, has exactly one more turn. The player who closed the round"
        " plays no more, and nobody else can close it."
    ),
    r.NO_FINAL_TURNS: N_("Nobody has another turn: the round ends at once."),
    r.FINISH_CIRCLE: N_(
        "Only the players who sit between the one who closed the round and the one who started it"
        " have another turn, clockwise, so that all have had equally many. If the player who"
        " started the round closes it, everybody else has one more turn. The player who closed the"
        " round plays no more, and nobody else can close it."
    ),
}
TURN_LIMIT: Final = N_(
    "If nobody has closed the round when turn number {limit} of every remaining player is over, it"
    " ends there, and nobody is punished."
)
LIMIT_STARTER: Final = {
    r.FINISHER: N_(
        "The next round is then started by the next player clockwise from the one who started this"
        " one."
    ),
    r.ROUND_WINNER: N_(
        "If several have the fewest points in such a round, the next one is started by the first"
        " of them clockwise, beginning with the player who started this one."
    ),
}
NO_LIMIT: Final = N_("A round goes on for as many turns as it takes until somebody closes it.")
REVEAL: Final = N_("When the last turn is over, all cards that are still hidden are turned over.")
COLUMNS_AT_REVEAL: Final = N_("Columns of three equal cards go then, too, in all grids.")
CHOSEN_AT_REVEAL: Final = N_(
    "Columns of three equal cards that are worth more than zero go then by themselves in all"
    " grids, the others stay."
)
LINES_AT_REVEAL: Final = N_(
    "Columns of three and rows of four equal cards go then, too, in all grids."
)
ROWS_AT_REVEAL: Final = N_("Rows of four equal cards go then, too, in all grids.")
NOTHING_AT_REVEAL: Final = N_(
    "Whatever becomes equal by this stays and counts: nothing is removed any more."
)
ADDING_UP: Final = N_(
    "Then everybody adds up the cards that are left in front of them. An empty grid counts zero,"
    " and a sum below zero is fine."
)


def _round_end(rules: Ruleset) -> list[list[Sentence]]:
    closing = [Sentence(CLOSING)]
    if rules.column_removal != r.OFF or rules.row_removal == r.ON:
        closing.append(Sentence(CLOSING_AFTER_LINES))
    if rules.turn_limit == 0:
        limit = [Sentence(NO_LIMIT)]
    else:
        limit = [Sentence(TURN_LIMIT, {"limit": rules.turn_limit})]
        if rules.next_starter in LIMIT_STARTER:
            limit.append(Sentence(LIMIT_STARTER[rules.next_starter]))
    return [closing, [Sentence(FINAL_TURNS[rules.final_turns])], limit]


def _final_reveal(rules: Ruleset) -> list[list[Sentence]]:
    reveal = [Sentence(REVEAL)]
    lines = _lines_at_reveal(rules)
    if lines:
        reveal.append(Sentence(lines))
    return [reveal, [Sentence(ADDING_UP)]]


def _lines_at_reveal(rules: Ruleset) -> str:
    rows = rules.row_removal == r.ON
    if rules.column_removal == r.OFF and not rows:
        return ""
    if not rules.columns_at_final_reveal:
        return NOTHING_AT_REVEAL
    if rules.column_removal == r.PLAYER_CHOICE:
        return CHOSEN_AT_REVEAL
    if rules.column_removal == r.OFF:
        return ROWS_AT_REVEAL
    return LINES_AT_REVEAL if rows else COLUMNS_AT_REVEAL


# --- The penalty (rules 2.12) -----------------------------------------------------------------

NO_PENALTY: Final = N_("There is none: whoever closes the round just counts their points.")
PENALTY_WHEN: Final = {
    r.NOT_STRICTLY_LOWEST: N_(
        "The player who closed the round is punished if anybody else has as few points in this"
        " round or fewer."
    ),
    r.NOT_LOWEST: N_(
        "The player who closed the round is punished if anybody else has fewer points in this"
        " round. A tie is not punished."
    ),
}
NONPOSITIVE: Final = {
    r.EXEMPT: N_("Points of zero or below are never punished."),
    r.APPLY: N_("Points of zero or below are no exception: they are changed in the same way."),
}
NOBODY_ELSE: Final = N_(
    "Nobody but the player who closed the round is ever punished, and nobody at all if that player"
    " has left."
)

NOTHING: Final = 0
DOUBLED: Final = 1
MULTIPLIED: Final = 2
ADDED: Final = 3
MULTIPLIED_THEN_ADDED: Final = 4
ADDED_THEN_MULTIPLIED: Final = 5

PENALTY_ON_ROUND: Final = {
    NOTHING: N_("This changes no points, because the factor is 1 and nothing is added."),
    DOUBLED: N_("Their points of this round are doubled."),
    MULTIPLIED: N_("Their points of this round are multiplied by {factor}."),
    ADDED: N_("Their points of this round are raised by {flat}."),
    MULTIPLIED_THEN_ADDED: N_(
        "Their points of this round are first multiplied by {factor}, then raised by {flat}."
    ),
    ADDED_THEN_MULTIPLIED: N_(
        "Their points of this round are first raised by {flat}, then multiplied by {factor}."
    ),
}
PENALTY_ON_TOTAL: Final = {
    NOTHING: N_("This changes no total, because the factor is 1 and nothing is added."),
    DOUBLED: N_("Their total, this round included, is doubled."),
    MULTIPLIED: N_("Their total, this round included, is multiplied by {factor}."),
    ADDED: N_("Their total, this round included, is raised by {flat}."),
    MULTIPLIED_THEN_ADDED: N_(
        "Their total, this round included, is first multiplied by {factor}, then raised by {flat}."
    ),
    ADDED_THEN_MULTIPLIED: N_(
        "Their total, this round included, is first raised by {flat}, then multiplied by {factor}."
    ),
}


def _penalty(rules: Ruleset) -> list[list[Sentence]]:
    if rules.penalty_when == r.NEVER:
        return [[Sentence(NO_PENALTY)]]
    on_total = rules.penalty_scope == r.TOTAL
    effect = (PENALTY_ON_TOTAL if on_total else PENALTY_ON_ROUND)[_kind_of_penalty(rules)]
    values = {"factor": rules.penalty_multiplier, "flat": rules.penalty_flat}
    return [
        [Sentence(PENALTY_WHEN[rules.penalty_when]), Sentence(effect, values)],
        [Sentence(NONPOSITIVE[rules.penalty_nonpositive])],
        [Sentence(NOBODY_ELSE)],
    ]


def _kind_of_penalty(rules: Ruleset) -> int:
    if rules.penalty_flat == 0:
        return {1: NOTHING, 2: DOUBLED}.get(rules.penalty_multiplier, MULTIPLIED)
    if rules.penalty_multiplier == 1:
        return ADDED
    if rules.penalty_order == r.ADD_THEN_MULTIPLY:
        return ADDED_THEN_MULTIPLIED
    return MULTIPLIED_THEN_ADDED


# --- The end of the game, leaving, and what is public (rules 2.13, 2.15, 2.16) ----------------

TARGET: Final = N_(
    "The game is over after a round in which anybody has reached a total of {target} or more."
    " Nothing of the kind is checked before the round is scored."
)
MAX_ROUNDS: Final = N_("It is also over after round {rounds}, whatever the totals are.")
LOWEST_WINS: Final = N_("The lowest total wins; it may be below zero.")
GAME_TIE: Final = {
    r.SHARED: N_("If several have it, they win together."),
    r.LAST_ROUND_LOWEST: N_(
        "If several have it, fewer points in the last round decide; if these are equal as well,"
        " they win together."
    ),
}
LEAVING: Final = N_(
    "Whoever leaves plays no more. Their cards are set aside, a card in their hand goes on the"
    " discard pile, and play goes on with the next player. They get no points for the round and"
    " count for nothing any more: not for the penalty, not for the end of the game, not for who"
    " wins or starts."
)
LEAVERS_PLACE: Final = N_(
    "If the player who closed the round leaves, nobody is punished. If only one player remains,"
    " the game is over, and that player wins."
)
PUBLIC: Final = N_(
    "Everybody may see all face-up cards, the discards, the sizes of the piles, the totals and"
    " what has been played. A drawn card is known only to the player who drew it until it is placed"
    " or discarded."
)


def _game_end(rules: Ruleset) -> list[list[Sentence]]:
    end = [Sentence(TARGET, {"target": rules.target})]
    if rules.max_rounds > 0:
        end.append(Sentence(MAX_ROUNDS, {"rounds": rules.max_rounds}))
    return [end, [Sentence(LOWEST_WINS), Sentence(GAME_TIE[rules.game_tie])]]
