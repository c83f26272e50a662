"""What happens at tables by itself: bots move, rounds go on, people become away or idle.

Everything that is due follows from a table's events and from who is here, so that it goes on
after a restart. A table at which no person is here stands still: nothing is due there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

from skyjo.chance import Chance, SeededChance
from skyjo.rules.actions import DISCARD, DRAW, FLIP_FROM, place_of, verb_of
from skyjo.rules.layout import SLOTS
from skyjo.table import events as ev
from skyjo.table.decide import continues_at, go_on, play
from skyjo.table.errors import StoreError, UnknownTableError
from skyjo.table.model import Phase, Table
from skyjo.table.ports import BotDriver
from skyjo.table.present import NEVER, Live, Presents
from skyjo.table.rights import all_ready
from skyjo.table.times import due_at, is_ahead

logger = logging.getLogger(__name__)

#: After a failure of the store the next try comes so many seconds later.
RETRY_AFTER: Final = 1.0
#: A clock that was put back must not put the ticker to sleep for longer than this.
LONGEST_SLEEP: Final = 60.0
#: A table whose game is over stays in memory for so long at the most.
OVER_FOR: Final = 60.0
#: The rules let bots exchange open cards for ever. After so many turns of a seat in one round its
#: bot draws, lays off and turns a card, so that the round comes to its end.
PATIENCE: Final = 60


class Ticker:
    """Looks at every table in memory when something is due there."""

    def __init__(
        self, presents: Presents, driver: BotDriver, chance: Chance, clock: Callable[[], float]
    ) -> None:
        self._presents = presents
        self._settings = presents.settings
        self._driver = driver
        self._chance = chance
        self._clock = clock
        self._wake = asyncio.Event()
        self._looked = clock()
        presents.opened = self.reckon

    async def run(self) -> None:
        """Look after the tables until cancelled."""
        while True:
            for step in self._due_steps():
                self._presents.spawn(step)
            pause = self.next_due() - self._clock()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(max(pause, 0.0), LONGEST_SLEEP)):
                    await self._wake.wait()
            self._wake.clear()

    async def tick(self) -> bool:
        """Do what is due now, one step for each table; whether anything was."""
        steps = self._due_steps()
        await asyncio.gather(*steps)
        return bool(steps)

    def next_due(self) -> float:
        """When something will be due next, infinite if nothing is."""
        return min((live.due for live in self._presents.lives.values()), default=NEVER)

    def reckon(self, live: Live, not_before: float = 0.0) -> None:
        """Set when this table has to be looked at next, and wake the ticker."""
        if live.stepping:
            return
        table = live.table
        now = self._clock()
        attendance = live.attendance(now)
        due = live.presences.next_change(table, now) if attendance == live.shown else now
        if not live.presences.is_connected():
            due = min(due, self._last_stir(live) + self._kept_for(live))
        if live.presences.somebody_here(table, now):
            if table.next_bot_place() is not None:
                due = min(due, self._bot_due(table))
            if table.continue_at is not None:
                due = min(due, now if all_ready(table, attendance) else continues_at(table, now))
        live.due = max(due, not_before)
        self._wake.set()

    def _due_steps(self) -> list[Coroutine[Any, Any, None]]:
        now = self._clock()
        lives = self._presents.lives.values()
        if is_ahead(self._looked, now):
            for live in lives:
                live.due = min(live.due, now)  # it was reckoned by a clock that was put back
        self._looked = now
        due = [live for live in lives if live.due <= now and not live.stepping]
        for live in due:
            live.stepping = True
            live.due = NEVER
        return [self._step(live) for live in due]

    async def _step(self, live: Live) -> None:
        not_before = 0.0
        if live.gone:
            return
        try:
            if self._may_forget(live):
                self._presents.forget(live)
                return
            attendance = live.attendance(self._clock())
            if attendance != live.shown:
                live.shown = attendance
                self._presents.publish(live)
            if live.presences.somebody_here(live.table, self._clock()):
                await self._play_bot(live)
                await self._go_on(live)
        except UnknownTableError:
            logger.debug("table %s was deleted meanwhile", live.table.id)
        except StoreError as error:
            logger.warning("table %s: could not go on, trying again: %s", live.table.id, error)
            not_before = self._clock() + RETRY_AFTER
        except Exception:  # a table that fails must not be given up, nor stop the others
            logger.exception("table %s: could not go on, trying again", live.table.id)
            not_before = self._clock() + RETRY_AFTER
        finally:
            live.stepping = False
        self.reckon(live, not_before)

    def _last_stir(self, live: Live) -> float:
        return max(live.presences.last_seen(), live.table.changed_at)

    def _kept_for(self, live: Live) -> float:
        """Seconds that a table stays in memory without anybody; who is done does not come back."""
        over = live.table.phase == Phase.OVER
        return min(OVER_FOR, self._settings.forget_after) if over else self._settings.forget_after

    def _may_forget(self, live: Live) -> bool:
        silent = self._clock() - self._last_stir(live) >= self._kept_for(live)
        return silent and not live.presences.is_connected() and not live.lock.locked()

    async def _go_on(self, live: Live) -> None:
        """The next round begins when all are ready, or after a while."""
        if live.table.continue_at is None:
            return

        def events() -> Sequence[ev.Event]:
            now = self._clock()
            return go_on(live.table, live.attendance(now), self._chance, now)

        async with live.lock:
            await self._presents.catch_up(live)
            await self._presents.change(live, events)

    # --- bots -------------------------------------------------------------------------------

    def _bot_due(self, table: Table) -> float:
        return due_at(table.moved_at, self._settings.paces[table.pace], self._clock())

    async def _play_bot(self, live: Live) -> None:
        """One action of a bot whose pause is over. It thinks outside the lock."""
        table = live.table
        place = table.next_bot_place()
        if place is None or self._clock() < self._bot_due(table):
            return
        decision = table.seats[place].decision
        action = await self._choice(table, place)

        def events() -> Sequence[ev.Event]:
            # Asked for anew: when a name is forgotten meanwhile, the table is another object.
            table = live.table
            seat = table.seats[place]
            if table.game is None or not (seat.bot or seat.stand_in):
                return ()
            if seat.decision != decision or not table.has_to_decide(place):
                return ()
            by = "bot" if seat.bot else "stand_in"
            verb, slot = verb_of(action), place_of(action)
            return play(table.game, place, verb, slot, by=by, chance=self._chance)

        async with live.lock:
            await self._presents.catch_up(live)
            await self._presents.change(live, events)

    async def _choice(self, table: Table, place: int) -> int:
        """The bot's action, or the first legal one if the bot fails."""
        game = table.game
        if game is None:
            raise ValueError("the game has not begun")
        known = self._driver.names
        stand_in = self._settings.stand_in
        bot = table.bot_of(place, stand_in if stand_in in known else known[-1])
        legal = game.legal_actions(place)
        if game.state.turns[place] >= PATIENCE and (action := _onward(legal)) is not None:
            return action
        generator = SeededChance(table.secret).generator(
            "bot", game.state.round, len(game.log), place
        )
        try:
            async with asyncio.timeout(self._settings.bot_timeout):
                action = await self._driver.choose(bot, game.view(place), generator)
        except Exception:
            logger.exception("table %s: the bot %s failed", table.id, bot)
            return legal[0]
        if action not in legal:
            logger.error("table %s: the bot %s chose %r", table.id, bot, action)
            return legal[0]
        return action


def _onward(legal: Sequence[int]) -> int | None:
    """The legal action that leads to one more open card; None while there is no choice of it."""
    flips = range(FLIP_FROM, FLIP_FROM + SLOTS)
    return next((action for action in (DRAW, DISCARD, *flips) if action in legal), None)
