"""No byte that is sent to somebody depends on a card that they may not know (failures 29).

A random game is played through the pages, and everything that each viewer is sent is kept. Then it
is played again, move by move, with those cards exchanged that this viewer has never seen: every
byte must be the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.web.conftest import QUICK
from tests.web.forms import Page
from tests.web.harness import Person, in_thread
from tests.web.test_live import board, live, version_of
from websockets.sync.client import ClientConnection

from skyjo.game import Game
from skyjo.rules.deal import DECK
from skyjo.rules.layout import HIGHEST, NOBODY, PLACE_OR_DISCARD, SLOTS
from skyjo.web.app import create_app
from skyjo.web.settings import Settings

NAMES = ("Ana", "Ben", "Cleo", "Dan")
#: All servers of this test are known by the same name, so that links in pages are equal.
HOST = "table.test:8000"


class OneDeck:
    """Deals the same cards every time."""

    def __init__(self, deck: Sequence[int]) -> None:
        self._deck = list(deck)

    def deck(self, round_number: int) -> list[int]:
        return list(self._deck)

    def reshuffle(self, cards: Sequence[int], round_number: int, number: int) -> list[int]:
        return list(cards)


@dataclass
class Story:
    """A game as it was played: forms in their order, and what everybody was sent after each."""

    moves: list[tuple[int, str]] = field(default_factory=list)
    seen: dict[int, list[str]] = field(default_factory=dict)


def play(
    deck: Sequence[int], seats: int, viewers: Sequence[int], *, seed: int = 0, moves: int = 0,
    again: Story | None = None,
) -> Story:  # fmt: skip
    """Play a number of random moves, or a story again, and keep what the viewers are sent.

    Viewers are seats; ``NOBODY`` is an onlooker.
    """
    tokens = random.Random(1)
    with TemporaryDirectory() as folder:
        app = create_app(
            Settings(data=Path(folder), key="7" * 64),
            settings=QUICK,
            chance=OneDeck(deck),
            clock=lambda: 1_800_000_000.0,
            token=tokens.randbytes,
        )
        with in_thread(app) as url:
            people = [Person(url, host=HOST, origin=f"http://{HOST}") for _ in range(seats + 1)]
            try:
                return _play(people, viewers, random.Random(seed), moves, again)
            finally:
                for person in people:
                    person.http.close()


def _play(
    people: list[Person],
    viewers: Sequence[int],
    rng: random.Random,
    moves: int,
    again: Story | None,
) -> Story:
    story = Story(seen={viewer: [] for viewer in viewers})
    players = people[:-1]
    path = players[0].make(NAMES[0])
    for player, name in zip(players[1:], NAMES[1:], strict=False):
        player.join(path, name)
    players[0].post(f"{path}/start")
    with ExitStack() as stack:
        sockets = {viewer: stack.enter_context(live(people[viewer], path)) for viewer in viewers}
        for number in range(len(again.moves) if again else moves):
            seat, action = again.moves[number] if again else _wish(players, path, rng)
            if not action:
                break
            version = players[seat].version(path)
            form = {"seat": seat, "version": version, "action": action}
            answer = players[seat].post(f"{path}/act", form)
            assert answer.status_code == 303, answer.text
            story.moves.append((seat, action))
            version += len(action.split(","))
            for viewer, opened in sockets.items():
                story.seen[viewer].append(newest(opened, version))
                if number % 6 == 4:
                    story.seen[viewer].append(everything(people[viewer], path))
    for viewer in viewers:
        story.seen[viewer].append(everything(people[viewer], path))
    return story


def newest(opened: ClientConnection, version: int) -> str:
    """The board of this version; what came before it may or may not be sent."""
    while version_of(html := board(opened)) < version:
        pass
    return html


def _wish(players: list[Person], path: str, rng: random.Random) -> tuple[int, str]:
    """Somebody who may move, and what they like to do."""
    for seat in rng.sample(range(len(players)), len(players)):
        page = players[seat].page(path)
        if page.may_act():
            form = page.form("/act")
            wishes = [each for each in form.values() if each not in ("0", "1")]
            if "1" in form.values():
                wishes += [f"take, swap r{rng.randrange(3)}c{rng.randrange(4)}"]
            return seat, rng.choice([each for each in wishes if each != "pass"] or wishes)
    return 0, ""


def everything(person: Person, path: str) -> str:
    """What a viewer can ask for: page, start page, record of the running game, seats."""
    paths = (path, "/", *(f"{path}/{name}" for name in ("record", "seats", "leave?seat=0")))
    return "\n".join(person.get(each).text for each in paths)


def unseen(deck: Sequence[int], story: Story, seats: int, viewer: int) -> list[int]:
    """The places in the deck of the cards that this viewer has not seen in the story."""
    game = Game(NAMES[:seats])
    game.deal(deck)
    drawn = 0
    for seat, action in story.moves:
        for each in action.split(", "):
            game.play(each, seat)
            drawn += each == "draw"
    state = game.state
    cells = [cell for cell in range(seats * SLOTS) if state.cells[cell] > HIGHEST + 1]
    hidden = [cell for cell in cells if state.cells[cell] < 90]
    first_draw = seats * SLOTS + 1
    hidden += range(first_draw + drawn, len(deck))
    if state.phase == PLACE_OR_DISCARD and state.turn != viewer:
        hidden.append(first_draw + drawn - 1)
    return hidden


def exchanged(deck: Sequence[int], places: Sequence[int], rng: random.Random) -> list[int]:
    """The deck with the cards of these places in another order."""
    cards = [deck[place] for place in places]
    rng.shuffle(cards)
    other = list(deck)
    for place, card in zip(places, cards, strict=True):
        other[place] = card
    return other


@settings(max_examples=5, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    seed=st.integers(0, 2**32),
    seats=st.integers(2, 4),
    length=st.integers(1, 26),
    draws=st.booleans(),
)
def test_no_byte_tells_of_a_hidden_card(seed: int, seats: int, length: int, draws: bool) -> None:
    rng = random.Random(seed)
    deck = rng.sample(DECK, len(DECK))
    viewers = [*range(seats), NOBODY]
    story = play(deck, seats, viewers, seed=seed, moves=length + 2 * seats * draws)
    for viewer in viewers:
        places = unseen(deck, story, seats, viewer)
        other = exchanged(deck, places, rng)
        again = play(other, seats, [viewer], again=story)
        assert again.seen[viewer] == story.seen[viewer], f"viewer {viewer}: {story.moves}"


def test_it_would_be_noticed() -> None:
    """Whoever draws sees the card: exchanging it changes what they are sent, and only that."""
    deck = sorted(DECK)
    moves = [(seat, f"reveal r0c{column}") for seat in (0, 1) for column in (0, 1)]
    drawer = 1
    story = play(deck, 2, [0, 1, NOBODY], again=Story([*moves, (drawer, "draw")]))
    assert len(story.moves) == 5
    other = list(deck)
    other[25], other[-1] = other[-1], other[25]
    again = play(other, 2, [0, 1, NOBODY], again=story)
    assert again.seen[drawer][-3:] != story.seen[drawer][-3:]
    assert again.seen[drawer][:-3] == story.seen[drawer][:-3]
    assert again.seen[1 - drawer] == story.seen[1 - drawer]
    assert again.seen[NOBODY] == story.seen[NOBODY]
    assert "discard" in Page(story.seen[drawer][4]).form("/act").values()
