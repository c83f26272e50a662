"""The sentences of the table's page: what happened last, in few words, and what to do now.

The rest of the story is told by ``skyjo.words``, which names places as "C2"; here the page shows
them, so these sentences do without.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from typing import Final

from skyjo import words
from skyjo.i18n import N_, _
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    LEAVE,
    PASS,
    REMOVE_VERB,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    column_of,
    slot_of,
    verb_of,
)
from skyjo.rules.layout import COLUMNS
from skyjo.rules.plies import Line, Ply
from skyjo.rules.ruleset import ONE_EACH
from skyjo.table.scene import Scene
from skyjo.web.cards import number

_FIRST_STRONG: Final = "\N{FIRST STRONG ISOLATE}"
_END: Final = "\N{POP DIRECTIONAL ISOLATE}"
_TURNING: Final = frozenset({"R", "AL", "AN"})
_CONTROLS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})

#: By verb: what you did, what somebody did.
_DID: Final[dict[int, tuple[str, str]]] = {
    REVEAL_VERB: (
        N_("You turned over a card: {card}."),
        N_("{player} turned over a card: {card}."),
    ),
    FLIP_VERB: (
        N_("You turned over a card: {card}."),
        N_("{player} turned over a card: {card}."),
    ),
    TAKE: (
        N_("You took the {card} from the discard pile."),
        N_("{player} took the {card} from the discard pile."),
    ),
    DRAW: (N_("You drew the {card}."), N_("{player} drew the {card}.")),
    SWAP_VERB: (
        N_("You put the {card} in place of the {replaced}."),
        N_("{player} put the {card} in place of the {replaced}."),
    ),
    DISCARD: (N_("You discarded the {card}."), N_("{player} discarded the {card}.")),
    PASS: (N_("You passed."), N_("{player} passed.")),
    REMOVE_VERB: (
        N_("You removed column {column}."),
        N_("{player} removed column {column}."),
    ),
    LEAVE: (N_("You left the game."), N_("{player} left the game.")),
}
_DREW_UNSEEN: Final = (N_("You drew a card."), N_("{player} drew a card."))
_LAID_OFF: Final = (
    N_("You discarded the {laid} and turned over the {card}."),
    N_("{player} discarded the {laid} and turned over the {card}."),
)
_CLOSED: Final = (
    N_("You closed the round. Everyone else has one more turn."),
    N_("{player} closed the round. Everyone else has one more turn."),
)
_CLOSED_ONLY: Final = (N_("You closed the round."), N_("{player} closed the round."))

_PRESETS: Final[dict[str, str]] = {
    "official": N_("Official rules"),
    "official-fr": N_("French leaflet"),
    "plain": N_("Without columns"),
    "family": N_("Family"),
    "family-columns": N_("Family with columns"),
    "family-facedown": N_("Family, first card face down"),
    "lenient": N_("Lenient"),
}


def preset_label(name: str) -> str:
    """What people call a preset.

    >>> preset_label("family")
    'Family'
    """
    return _(_PRESETS[name])


def isolate(name: str) -> str:
    """A name as it may stand in a sentence: one that runs from right to left keeps to itself.

    >>> isolate("Ana"), isolate("עדה") == _FIRST_STRONG + "עדה" + _END
    ('Ana', True)
    """
    kinds = [unicodedata.bidirectional(letter) for letter in name]
    if _CONTROLS.isdisjoint(kinds) and _TURNING.isdisjoint(kinds):
        return name
    pairs = zip(name, kinds, strict=True)
    plain = "".join(letter for letter, kind in pairs if kind not in _CONTROLS)
    return f"{_FIRST_STRONG}{plain}{_END}"


def numbered(name: str) -> tuple[str, str]:
    """A name without the number that tells it from others, and that number, "" if it has none.

    >>> numbered("Greedy 7"), numbered("Ana")
    (('Greedy', '7'), ('Ana', ''))
    """
    stem, _blank, last = name.rpartition(" ")
    return (stem, last) if stem and last.isdigit() and len(last) == 1 else (name, "")


def names_of(scene: Scene) -> list[str]:
    """The names of all seats, as they may stand in sentences."""
    return [isolate(seat.name) for seat in scene.seats]


def you(scene: Scene) -> frozenset[int]:
    """The seat to be called "you": none when several people share the device."""
    return frozenset(scene.mine) if len(scene.mine) == 1 else frozenset()


def told(
    ply: Ply,
    names: Sequence[str],
    me: Collection[int] = (),
    one_each: bool = True,
    *,
    closing: bool = True,
    before: Ply | None = None,
) -> str:
    """What a ply was, in one or a few sentences; ``me`` are the seats to be called "you".

    ``closing`` whether to tell that it closed the round. ``before`` is the ply before it: a flip
    is told with the discard that it was the price of.

    >>> told(Ply(1, DRAW), ["Ana", "Ben"]), told(Ply(0, DRAW, 7), ["Ana", "Ben"], {0})
    ('Ben drew a card.', 'You drew the 7.')
    """
    others = ply.seat not in me
    verb = verb_of(ply.action)
    values = {
        "player": names[ply.seat],
        "card": number(ply.card),
        "replaced": number(ply.replaced),
        "column": column_of(ply.action) + 1,
    }
    pair = _DREW_UNSEEN if verb == DRAW and ply.card is None else _DID[verb]
    if verb == FLIP_VERB and before is not None and verb_of(before.action) == DISCARD:
        pair, values["laid"] = _LAID_OFF, number(before.card)
    sentences = [_(pair[others], **values)]
    if not ply.turned_up and verb != REMOVE_VERB:
        sentences += [_went(line) for line in ply.lines]
    if ply.closed and closing:
        closed = _CLOSED if one_each and not ply.ends else _CLOSED_ONLY
        sentences.append(_(closed[others], **values))
    if ply.turned_up:
        sentences.append(_("All cards are turned over."))
        sentences += [_went_of(line, names) for line in ply.lines]
    return " ".join(sentences)


def _went(line: Line) -> str:
    """A column or row of whoever just played."""
    if line.is_column:
        return _("Column {number} is complete and goes.", number=line.index + 1)
    return _("Row {number} is complete and goes.", number=line.index + 1)


def _went_of(line: Line, names: Sequence[str]) -> str:
    """A column or row at the final reveal, where it can be anybody's."""
    values = {"player": names[line.seat], "number": line.index + 1}
    if line.is_column:
        return _("{player}: column {number} is complete and goes.", **values)
    return _("{player}: row {number} is complete and goes.", **values)


def happened(scene: Scene) -> str:
    """The last thing that happened in this round, unless ``todo`` says it anyway."""
    if not scene.round_plies or not scene.recent:
        return _("The cards are dealt.") if scene.phase == "playing" else ""
    last = scene.recent[-1]
    view = scene.view
    if view is not None and view.turn == last.seat and verb_of(last.action) in (DRAW, TAKE):
        return ""
    one_each = scene.ruleset.final_turns == ONE_EACH
    before = scene.recent[-2] if scene.round_plies > 1 and len(scene.recent) > 1 else None
    names, me = names_of(scene), you(scene)
    return told(last, names, me, one_each, closing=bool(last.ends), before=before)


def where(scene: Scene) -> str:
    """Where it happened, for those who cannot see it."""
    if not scene.round_plies or not scene.recent:
        return ""
    slot = slot_of(scene.recent[-1].action)
    if slot < 0:
        return ""
    return _("Row {row}, column {column}.", row=slot // COLUMNS + 1, column=slot % COLUMNS + 1)


def history(scene: Scene) -> list[str]:
    """What happened in this round, the newest first."""
    plies = scene.recent[-scene.round_plies :] if scene.round_plies else ()
    one_each = scene.ruleset.final_turns == ONE_EACH
    names, me = names_of(scene), you(scene)
    return [told(ply, names, me, one_each) for ply in reversed(plies)]


def todo(scene: Scene, take: bool = False) -> str:
    """What is to be done now, by the viewer or by whom everybody waits for.

    ``take`` that the discard has been chosen on the page, but no place for it.
    """
    view = scene.view
    if view is None:
        return ""
    if scene.phase == "over":
        return _("The game is over.")
    if scene.between_rounds:
        return _("Round {number} is over.", number=view.round)
    if take:
        card = number(view.discard_top)
        sentence = _("Where should the {card} go? You can still draw instead.", card=card)
    else:
        sentence = words.status(view, names_of(scene))
    if scene.acting is not None and len(scene.mine) > 1:
        player = names_of(scene)[scene.acting]
        return _("{player}: {sentence}", player=player, sentence=sentence)
    return sentence


def title(scene: Scene) -> str:
    """What the tab says."""
    if scene.acting is not None:
        return _("Your turn! – Skyjo")
    return _("Table {code} – Skyjo", code=scene.code)
