"""What the pad's pages show: the variables of their templates, and what forms send."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, SLOTS
from skyjo.rules.ruleset import KNOBS, Ruleset
from skyjo.scorepad.authority import Check, PadAuthority
from skyjo.scorepad.circle import Circle
from skyjo.scorepad.circles import CODE_LENGTH
from skyjo.scorepad.entry import BY_RULES, NOBODY, PENALTIES, Cards, Entry
from skyjo.scorepad.errors import UnknownCircleError, UnknownPadError
from skyjo.scorepad.model import PadRound
from skyjo.scorepad.scene import PadScene
from skyjo.table.errors import RefusedError
from skyjo.table.keys import clean_code, holder_of
from skyjo.table.ports import Head
from skyjo.web import houserules, qr
from skyjo.web.answers import keep, kept
from skyjo.web.limits import TooManyError, address_of
from skyjo.web.pages import Ui
from skyjo.web.site import Visit

#: What the token of an onlooker's link is for.
WATCH: Final = "pad"
NAMES_COOKIE: Final = "skyjo-pad-names"
RULES_COOKIE: Final = "skyjo-pad-rules"
_MOST: Final = 2000
#: How many of one's pads the start page lists.
PADS_SHOWN: Final = 6

#: The knobs that a pad asks about: the others concern the cards on the table.
PAD_KNOBS: Final = tuple(
    knob
    for knob in KNOBS
    if knob.name.startswith("penalty_")
    or knob.name
    in (
        "target",
        "max_rounds",
        "next_starter",
        "game_tie",
        "column_removal",
        "columns_at_final_reveal",
        "row_removal",
    )
)

Fields = Mapping[str, str]


def base(code: str) -> str:
    """The path of a pad."""
    return f"/pad/{code}"


def pads(visit: Visit) -> PadAuthority:
    """The authority over all pads."""
    return visit.site.pads


async def find(visit: Visit, code: str) -> Head:
    """The pad of a code; wrong codes are counted as those of tables are."""
    limiter, address = visit.site.limiter, address_of(visit.connection)
    try:
        limiter.check_guesses(address)
    except TooManyError:
        mine = await pads(visit).mine(visit.secret) if visit.secret else []
        head = next((each for each in mine if each.code == clean_code(code)), None)
        if head is None:
            raise
        return head
    try:
        return await pads(visit).find(code)
    except UnknownPadError:
        if clean_code(code):
            limiter.guessed(address)
        raise


async def find_circle(visit: Visit, code: str) -> Circle:
    """The circle of a link; wrong links are counted as wrong codes are."""
    limiter, address = visit.site.limiter, address_of(visit.connection)
    limiter.check_guesses(address)
    try:
        return await pads(visit).circles.find(code)
    except UnknownCircleError:
        if len(code) == CODE_LENGTH:
            limiter.guessed(address)
        raise


def circle_code(text: str) -> str:
    """The code in what somebody has typed or pasted: the code itself or the circle's whole link.

    >>> circle_code(" http://192.0.2.7:8000/circle/abc?year=2026 ")
    'abc'
    """
    path = text.strip().rpartition("/circle/")[2]
    return re.split(r"[/?#]", path)[0]


def pad_of_token(visit: Visit, token: str) -> str:
    """The pad of an onlooker's link; 404 for a link that is not ours."""
    pad_id = visit.site.sessions.value(WATCH, token)
    if pad_id is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return pad_id


async def pad_path(visit: Visit, code: str) -> str:
    """The path of the pad that a code belongs to, "" if there is none."""
    try:
        return base((await pads(visit).find(code)).code)
    except SkyjoError:
        return ""


@dataclass(frozen=True, slots=True)
class Kept:
    """One of the reader's pads in a list; or the ``problem`` that it cannot be opened."""

    url: str
    code: str
    players: tuple[str, ...] = ()
    rounds: int = 0
    over: bool = False
    may_delete: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KeptCircle:
    """One of the circles that are listed on the reader's device."""

    url: str
    name: str
    may_delete: bool


async def circles_of(visit: Visit, most: int = PADS_SHOWN) -> list[KeptCircle]:
    """The circles that are listed on this device."""
    if visit.secret is None:
        return []
    found = await pads(visit).circles.mine(visit.secret)
    me = holder_of(visit.secret)
    return [
        KeptCircle(f"/circle/{each.code}", each.name, each.founder == me) for each in found[:most]
    ]


async def pads_of(visit: Visit, most: int = PADS_SHOWN) -> list[Kept]:
    """The reader's pads, running ones first."""
    if visit.secret is None:
        return []
    heads = await pads(visit).mine(visit.secret)
    heads.sort(key=lambda head: head.phase == "over")
    found = []
    for head in heads[:most]:
        try:
            pad = await pads(visit).scene(head.id, visit.secret)
        except UnknownPadError:
            continue  # it was deleted this moment
        except RefusedError as error:
            found.append(Kept(base(head.code), head.code, problem=str(error)))
            continue
        found.append(
            Kept(base(pad.code), pad.code, pad.names, len(pad.rounds), pad.is_over, pad.may_delete)
        )
    return found


# --- what templates are told ----------------------------------------------------------------


def variables(
    visit: Visit, scene: PadScene, *, watch: str = "", problem: str = ""
) -> dict[str, Any]:
    """Everything that ``pad/pad.html`` and ``pad/_live.html`` ask for."""
    path = f"/pad/watch/{watch}" if watch else base(scene.code)
    waits = not scene.may_save and not scene.is_over
    return {
        "scene": scene,
        "base": path,
        "watching": bool(watch),
        "problem": problem,
        "circle": "",
        "reload": visit.site.settings.reload_seconds if waits else 0,
    }


def live(visit: Visit, scene: PadScene, watch: str = "") -> str:
    """The part of the pad's page that changes, as it is sent to a viewer."""
    values = variables(visit, scene, watch=watch)
    here = str(values["base"])
    return visit.site.pages.render(
        "pad/_live.html", ui=Ui.of(visit.connection, here), here=here, **values
    )


async def draft_check(visit: Visit, scene: PadScene, entry: Entry | None = None) -> Check | None:
    """What the coming round would come to; None while points are missing."""
    typed = entry or Entry(tuple(scene.draft.points), scene.draft.closer)
    try:
        return await pads(visit).check(scene.id, visit.secret, typed)
    except SkyjoError:
        return None


async def check_html(visit: Visit, scene: PadScene, entry: Entry | None = None) -> str:
    """The part of the page of entry that changes."""
    return visit.site.pages.render(
        "pad/_check.html",
        ui=Ui.of(visit.connection, base(scene.code)),
        scene=scene,
        check=await draft_check(visit, scene, entry),
        key=None,
    )


async def present(
    visit: Visit, scene: PadScene, *, problem: str = "", status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The pad as it stands now, for this viewer."""
    here = base(scene.code)
    values = variables(visit, scene, problem=problem)
    values["circle"] = await circle_of(visit, scene)
    page = visit.page("pad/pad.html", status, here=here, **values)
    return visit.with_cookie(page)


async def counts_for_circle(visit: Visit, scene: PadScene) -> bool:
    """Whether the pad counts for a circle that is still there."""
    return bool(scene.circle and await pads(visit).store.heads([scene.circle]))


async def circle_of(visit: Visit, scene: PadScene) -> str:
    """The path of the circle for which a pad counts; "" if that is not this browser's to know.

    The link of a circle is its members' secret: neither the pad's link nor taking over the pad
    leads to it.
    """
    if not scene.circle or visit.secret is None:
        return ""
    try:
        circle = await pads(visit).circles.look(scene.circle)
    except UnknownCircleError:
        return ""
    return f"/circle/{circle.code}" if holder(visit.secret) in circle.devices else ""


def entry_page(
    visit: Visit,
    scene: PadScene,
    entry: Entry,
    *,
    line: PadRound | None = None,
    check: Check | None = None,
    problem: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page on which the coming round is entered, or ``line`` is corrected."""
    path = base(scene.code)
    here = f"{path}/round/{line.key}" if line else f"{path}/enter"
    page = visit.page(
        "pad/enter.html",
        status,
        here=here,
        scene=scene,
        base=path,
        entry=entry,
        line=line,
        key=line.key if line else None,
        number=next((n for n, each in enumerate(scene.rounds, 1) if each == line), scene.number),
        check=check,
        problem=problem,
        seats=[
            seat
            for seat in range(len(scene.names))
            if (entry.points[seat] is not None if line else not scene.left[seat])
        ],
        open=range(len(scene.names)) if line else scene.may_type,
    )
    return visit.with_cookie(page)


def qr_of(link: str) -> Markup:
    """The QR code of a link."""
    return Markup(qr.svg(link))  # noqa: S704 - ours


def download(text: str, kind: str, name: str) -> Response:
    """A text as a file to keep."""
    disposition = f'attachment; filename="{name}"'
    return Response(text, media_type=kind, headers={"content-disposition": disposition})


# --- what forms send ------------------------------------------------------------------------


def read_points(text: str, negative: bool = False) -> int | None:
    """Points as people type them; None for an empty field. MalformedError for anything else.

    >>> read_points(" −3 "), read_points("12", True), read_points("")
    (-3, -12, None)
    """
    plain = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")
    plain = plain.replace(" ", "")
    if not plain:
        return None
    digits = plain[1:] if plain[0] in "+-" else plain
    if not (digits.isdecimal() and len(digits) <= 6):
        raise MalformedError(
            N_("'{text}' is no number of points; type something like 12 or -3."), text=text[:20]
        )
    points = int(digits)
    return -points if negative or plain[0] == "-" else points


def read_entry(form: Fields, seats: int) -> Entry:
    """A round from the fields of the page of entry."""
    points = tuple(
        read_points(form.get(f"p{seat}", ""), form.get(f"m{seat}") == "1") for seat in range(seats)
    )
    penalty = form.get("penalty", BY_RULES)
    return Entry(
        points, read_seat(form, "closer", seats), penalty if penalty in PENALTIES else BY_RULES
    )


def read_seat(form: Fields, name: str, seats: int) -> int:
    """A seat from a form, ``NOBODY`` if none was chosen."""
    text = form.get(name, "")
    if text in ("", str(NOBODY)):
        return NOBODY
    if not (text.isascii() and text.isdigit() and len(text) == 1 and int(text) < seats):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return int(text)


def read_cards(form: Fields) -> Cards:
    """Twelve cards from the fields c0 to c11; empty or "x" is a place without a card."""
    cards: list[int | None] = []
    for slot in range(SLOTS):
        text = form.get(f"c{slot}", "")
        cards.append(None if text in ("", "x") else read_points(text))
    return tuple(cards)


def read_ruleset(form: Fields) -> str:
    """The ruleset of a preset and, with them, the knobs that a pad asks about."""
    return houserules.read_ruleset(form, PAD_KNOBS).text()


def press_of(visit: Visit, form: Fields) -> str | None:
    """What tells two taps on one button from two pads; None for a browser without a cookie."""
    return visit.secret and f"{visit.secret}/{form.get('once', '')[:40]}"


def holder(secret: str) -> str:
    """The hash under which a browser's secret is known."""
    return holder_of(secret)


# --- what a browser remembers ---------------------------------------------------------------


def remembered_names(connection: HTTPConnection) -> list[str]:
    """The names of the last pad on this device."""
    try:
        found = json.loads(kept(connection, NAMES_COOKIE, _MOST) or "[]")
    except ValueError:
        return []
    right = isinstance(found, list) and all(isinstance(name, str) for name in found)
    return [name[:40] for name in found[:MAX_SEATS]] if right else []


def remember_names(response: Response, names: Sequence[str]) -> None:
    """Offer these names for the next pad on this device."""
    keep(response, NAMES_COOKIE, json.dumps(list(names), ensure_ascii=False), _MOST)


def remembered_rules(connection: HTTPConnection) -> Ruleset:
    """The rules of the last pad on this device."""
    try:
        return Ruleset.parse(kept(connection, RULES_COOKIE))
    except SkyjoError:
        return Ruleset()
