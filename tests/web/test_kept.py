"""Parts of pages that are kept: the same as made anew, not more than allowed, gone when deleted."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.kit.tables import Room, asynchronous
from tests.web.harness import Person
from tests.web.test_live import board, live

from skyjo.i18n import use_language
from skyjo.table import commands as co
from skyjo.table.scene import Scene
from skyjo.web.app import Application
from skyjo.web.assets import FOLDER, Assets
from skyjo.web.board import board_of, cells_of
from skyjo.web.kept import Kept
from skyjo.web.pages import Pages

Visitor = Callable[..., Person]


@asynchronous
async def test_what_is_kept_is_what_would_be_made_anew() -> None:
    room = Room(seed=4)
    names = ("Ana", "Ben", "Cleo")
    await room.playing(*names, ruleset="official target=1000 max_rounds=2")
    pages = Pages(Assets(FOLDER))
    rng = Random(1)
    for _ in range(150):
        scenes = [await room.see(name) for name in (*names, "")]
        for language in ("en", "uk"):
            with use_language(language):
                for scene in scenes:
                    # One that has been here all the time against one that knows nothing.
                    assert parts(pages.kept, scene) == parts(Kept(pages.environment), scene)
        mover = next((each for each in scenes if each.acting is not None), None)
        for name, scene in zip(names, scenes, strict=False):
            if scene is mover and scene.acting is not None:
                action = rng.choice(scene.legal)
                await room.do(name, co.Act(scene.acting, action, scene.version))
            elif mover is None and scene.may_ready:
                await room.do(name, co.Ready(scene.may_ready[0], scene.version))
    assert len(pages.kept) > 0


def parts(kept: Kept, scene: Scene) -> list[str]:
    """Everything of a scene that is kept."""
    shown, sheet, view = board_of(scene), scene.sheet, scene.view
    assert sheet is not None
    assert view is not None
    return [
        kept.sheet_table(sheet, scene.mine),
        kept.chart(sheet, 100),
        *(kept.mini(seat, cells_of(view, seat), shown.motion) for seat in range(view.seats)),
    ]


def test_no_more_is_kept_than_allowed() -> None:
    kept = Kept(Pages(Assets(FOLDER)).environment, most=100)
    for number in range(50):
        assert kept.text((number,), f"{number:010}".strip) == f"{number:010}"
        assert len(kept) <= 100
    assert kept.text((49,), lambda: "new") == "0000000049"
    assert kept.text((1,), lambda: "made again") == "made again"
    kept.clear()
    assert (len(kept), kept.text((49,), lambda: "new")) == (0, "new")


def test_onlookers_see_the_same_and_each_in_their_language(
    visitor: Visitor, app: Application
) -> None:
    ana, ben = visitor(), visitor()
    guests = [visitor(), visitor(), visitor(**{"accept-language": "de"})]
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post(f"{path}/start")
    seen = []
    for guest in guests:
        with live(guest, path) as opened:
            seen.append(board(opened))
    assert seen[0] == seen[1]
    assert "Ablagestapel" in seen[2]
    assert "Ablagestapel" not in seen[0]
    with live(ana, path) as hers:
        assert 'class="table n1 yours' in board(hers)
    assert len(app.state.site.pages.kept) > 0
    ben.post(f"{path}/leave", {"seat": 1, "version": ben.version(path)})
    assert ana.post(f"{path}/delete").status_code == 303
    assert len(app.state.site.pages.kept) == 0, "nothing of it stays in memory"
