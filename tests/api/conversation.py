"""The conversation whose parts are the examples in the API's description.

``scripts/api_examples`` writes it into the package; a test plays it again, so that every example
is true. Cards, tokens and times are the same in every run.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from tests.kit.programs import API, Desk

from skyjo import bots
from skyjo.web.api.openapi import EXAMPLES
from skyjo.web.site import BotChoice

BOTS = ("random", "greedy")


class Speaker:
    """Says one thing after the other to a server, and writes down what it answers."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.said: list[dict[str, Any]] = []

    async def say(
        self,
        operation: str,
        says: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str = "",
    ) -> Any:
        self.desk.clock.now += 1.5
        answer = await self.desk.call(method, path, body, token=token)
        request: dict[str, Any] = {"method": method, "path": API + path}
        if token:
            request["token"] = token
        if body is not None:
            request["json"] = body
        kind = answer.headers.get("content-type", "").partition(";")[0]
        response: dict[str, Any] = {"status": answer.status_code, "type": kind}
        value = answer.json() if kind == "application/json" else answer.text
        if kind:
            response["json" if kind == "application/json" else "text"] = value
        self.said.append(
            {"operation": operation, "says": says, "request": request, "response": response}
        )
        return value


async def converse() -> list[dict[str, Any]]:
    """Everything that is said, in order."""
    # Two bots that there will always be: others come without a change here.
    desk = Desk(bots={name: bots.make(name).policy for name in BOTS})
    desk.app.state.site.bots = lambda: [BotChoice(name, name, bots.says(name)) for name in BOTS]
    with desk.fixed_secrets():
        speaker = Speaker(desk)
        await _lobby(speaker)
    return speaker.said


async def _lobby(speaker: Speaker) -> None:
    say = speaker.say
    await say("service", "Which server is this?", "GET", "/")
    await say("bots", "Which bots are there?", "GET", "/bots")
    await say("rulesets", "Which rules are there?", "GET", "/rulesets")
    made = await say(
        "create",
        "Ana makes a table",
        "POST",
        "/tables",
        {"name": "Ana", "ruleset": "official target=1000", "pace": "none"},
    )
    ana, code = made["token"], made["table"]["code"]
    table = f"/tables/{code}"
    joined = await say("join", "Ben joins", "POST", f"{table}/join", {"name": "Ben"})
    ben = joined["token"]
    taken = {"name": "ben"}
    await say("join", "A name that is taken", "POST", f"{table}/join", taken)
    await say("join", "A code that does not exist", "POST", "/tables/AAAA1111/join", taken)
    seen = await say("add_bot", "A bot", "POST", f"{table}/add-bot", {"bot": "greedy"}, token=ana)
    own = {"seat": 1, "name": "Benno", "version": seen["version"]}
    seen = await say("rename", "Another name", "POST", f"{table}/rename", own, token=ben)
    bot = {"seat": 2, "version": seen["version"]}
    await say("remove", "No bot after all", "POST", f"{table}/remove", bot, token=ana)
    rules = {"ruleset": "official target=1000 max_rounds=2"}
    await say("ruleset", "A short game", "POST", f"{table}/ruleset", rules, token=ana)
    await say("pace", "No hurry", "POST", f"{table}/pace", {"pace": "slow"}, token=ana)
    await say("start", "Only the host may", "POST", f"{table}/start", token=ben)
    seen = await say("start", "Ana begins", "POST", f"{table}/start", token=ana)
    await _game(speaker, table, ana, ben, seen)


async def _game(speaker: Speaker, table: str, ana: str, ben: str, seen: Any) -> None:
    say = speaker.say

    async def act(says: str, who: str, seat: int, action: str, version: int) -> Any:
        body = {"seat": seat, "action": action, "version": version}
        return await say("act", says, "POST", f"{table}/act", body, token=who)

    await act("Ana turns a card", ana, 0, "reveal r0c0", seen["version"])
    await act("Too late: the table has moved on", ana, 0, "reveal r0c1", seen["version"])
    await act("Not what is to be done now", ben, 1, "draw", seen["version"])
    await act("No action at all", ben, 1, "fly", seen["version"])
    for who, seat, action in ((ana, 0, "reveal r0c1"), (ben, 1, "reveal r1c1")):
        seen = await speaker.desk.good("GET", table, token=who)
        body = {"seat": seat, "action": action, "version": seen["version"]}
        seen = await speaker.desk.good("POST", f"{table}/act", body, token=who)
    seen = await act("Ben turns his second card", ben, 1, "reveal r2c2", seen["version"])
    onlooker = await say("look", "An onlooker looks", "GET", table)
    turn = onlooker["game"]["turn"]
    mover, other = (ana, ben) if turn == 0 else (ben, ana)
    seen = await act("Whoever is on turn draws", mover, turn, "draw", onlooker["version"])
    seen = await say("look", "The others do not see what", "GET", table, token=other)
    await act("The card is placed", mover, turn, "swap r2c3", seen["version"])
    await _other_things(speaker, table, ana, ben)


async def _other_things(speaker: Speaker, table: str, ana: str, ben: str) -> None:
    say = speaker.say
    seen = await say("look", "Ben looks", "GET", table, token=ben)
    mine = {"seat": 1, "version": seen["version"]}
    hers = {"seat": 0, "version": seen["version"]}
    link = await say("link", "Ben's personal link", "GET", f"{table}/link?seat=1", token=ben)
    await say("claim", "Ben's other device", "POST", f"{table}/claim", {"link": link["link"]})
    await say("renew_link", "It is void now", "POST", f"{table}/renew-link", mine, token=ben)
    await say("stand_in", "A bot for Ben", "POST", f"{table}/stand-in", mine, token=ben)
    seen = await say("back", "Ben plays again", "POST", f"{table}/back", mine, token=ben)
    await say("take_host", "The host is here", "POST", f"{table}/take-host", mine, token=ben)
    await say("hand_over", "Ben is the host", "POST", f"{table}/hand-over", mine, token=ana)
    await say("ready", "The round is not over", "POST", f"{table}/ready", hers, token=ana)
    await say("rematch", "Nor is the game", "POST", f"{table}/rematch", {}, token=ana)
    await say("record", "What everybody saw", "GET", f"{table}/record")
    await say("record", "The same for programs", "GET", f"{table}/record?form=json")
    await _end(speaker, table, ana, ben)


async def _end(speaker: Speaker, table: str, ana: str, ben: str) -> None:
    say = speaker.say
    seen = await _play_on(speaker.desk, table, [ana, ben])
    hers = {"seat": 0, "version": seen["version"]}
    await say("ready", "Ana is ready", "POST", f"{table}/ready", hers, token=ana)
    his = {"seat": 1, "version": seen["version"]}
    await speaker.desk.good("POST", f"{table}/ready", his, token=ben)
    await _play_on(speaker.desk, table, [ana, ben])
    again = await say("rematch", "Another game", "POST", f"{table}/rematch", {}, token=ben)
    table = f"/tables/{again['table']['code']}"
    hers = {"seat": 0, "version": again["table"]["version"]}
    await say("leave", "Ana leaves for good", "POST", f"{table}/leave", hers, token=ana)
    await say("delete", "Only the host may", "DELETE", table, token=ana)
    await say("forget", "Ana's name goes, too", "POST", f"{table}/forget", {"seat": 0}, token=ana)
    await say("mine", "Ben's tables", "GET", "/tables", token=ben)
    await say("delete", "Ben deletes the table", "DELETE", table, token=ben)
    await say("mine", "Whose?", "GET", "/tables")


async def _play_on(desk: Desk, table: str, tokens: list[str]) -> Any:
    """Moves that are not written down, until the round is over."""
    rng = random.Random(1)
    while True:
        for token in tokens:
            seen = await desk.good("GET", table, token=token)
            if seen["between_rounds"] or seen["phase"] == "over":
                return seen
            if seen["acting"] is not None:
                action = rng.choice(seen["legal"])
                body = {"seat": seen["acting"], "action": action, "version": seen["version"]}
                await desk.good("POST", f"{table}/act", body, token=token)


def text() -> str:
    """The conversation as the package keeps it."""
    said = asyncio.run(converse())
    lines = (json.dumps(each, ensure_ascii=False) for each in said)
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    EXAMPLES.write_text(text(), encoding="utf-8")
