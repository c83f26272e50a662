"""What the templates call: how cards, boards, charts and sentences get into pages."""

from __future__ import annotations

from typing import Final

from jinja2 import Environment

from skyjo import words as story
from skyjo.rules.layout import NO_CARD, UNKNOWN
from skyjo.rules.ruleset import DEFAULT_PRESET, KNOBS, PRESETS
from skyjo.table.names import LONGEST_NAME
from skyjo.web import board, cards, charts, motion, padwords, words
from skyjo.web.guide import LESSONS

#: Names stand across, above five columns or more, if so many letters of the longest one a column
#: are room enough on a phone 360 pixels wide; longer ones are turned.
SHORT_NAMES: Final = 33


def install(env: Environment) -> None:
    """Register the filters, tests and functions of the templates."""
    env.filters.update(
        number=cards.number,
        family=cards.family,
        look=cards.look,
        isolate=words.isolate,
        numbered=words.numbered,
    )
    env.tests.update(open=cards.is_open, gone=cards.is_gone)
    env.filters.update(padwords.FILTERS)
    env.globals.update(padwords.FOR_TEMPLATES)
    env.globals.update(
        card_words=cards.card_words,
        slot_words=cards.slot_words,
        grid_words=cards.grid_words,
        totals_chart=charts.totals_chart,
        board_of=board.board_of,
        cells_of=board.cells_of,
        open_sum=board.open_sum,
        marks=board.marks,
        motion_of=motion.motion_of,
        standing=board.standing,
        told=words.told,
        happened=words.happened,
        where=words.where,
        history=words.history,
        todo=words.todo,
        tab_title=words.title,
        names_of=words.names_of,
        you=words.you,
        preset_label=words.preset_label,
        tell_round=story.tell_round,
        tell_end=story.tell_end,
        list_of=story.list_of,
        rules_in_words=story.rules_in_words,
        about_ruleset=story.about_ruleset,
        LESSONS=LESSONS,
        KNOBS=KNOBS,
        PRESETS=PRESETS,
        LONGEST_NAME=LONGEST_NAME,
        SHORT_NAMES=SHORT_NAMES,
        DEFAULT_PRESET=DEFAULT_PRESET,
        NO_CARD=NO_CARD,
        UNKNOWN=UNKNOWN,
    )
