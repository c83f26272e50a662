"""What there is to choose from: bots, presets and house rules."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

import skyjo
from skyjo.i18n import _
from skyjo.rules.ruleset import KNOBS, PRESETS, Knob
from skyjo.web.api import schemas as form
from skyjo.web.api.access import CallerOf
from skyjo.web.api.answers import dumps, json_answer

router = APIRouter(tags=["server"])

API_VERSION = 1


@router.get("/", response_model=form.Service)
async def service() -> Response:
    """Which server this is."""
    return json_answer(dumps({"name": "skyjo", "version": skyjo.__version__, "api": API_VERSION}))


@router.get("/bots", response_model=list[form.BotView])
async def bots(caller: CallerOf) -> Response:
    """The bots that may be asked to sit down."""
    return json_answer(dumps([{"name": bot.name, "says": bot.says} for bot in caller.site.bots()]))


@router.get("/rulesets", response_model=form.Rulesets)
async def rulesets() -> Response:
    """Presets and house rules, as they may be given to a table."""
    presets = [
        {
            "name": preset.name,
            "says": _(preset.says),
            "ruleset": preset.ruleset.text(),
            "knobs": {knob.name: preset.ruleset.value(knob.name) for knob in KNOBS},
        }
        for preset in PRESETS.values()
    ]
    return json_answer(dumps({"presets": presets, "knobs": [_knob(knob) for knob in KNOBS]}))


def _knob(knob: Knob) -> dict[str, object]:
    return {
        "name": knob.name,
        "label": _(knob.label),
        "says": _(knob.says),
        "default": knob.text(knob.default),
        "values": [{"name": value.name, "says": _(value.says)} for value in knob.values],
        "least": None if knob.values else knob.least,
        "none": knob.none,
    }
