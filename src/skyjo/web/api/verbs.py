"""The commands of a table as programs give them: by name, over HTTP and over WebSocket alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from skyjo.errors import MalformedError
from skyjo.i18n import N_
from skyjo.table import commands as ask
from skyjo.web.api import schemas as form


@dataclass(frozen=True, slots=True)
class Verb:
    """A command: what it takes, and how it becomes one of the table's."""

    takes: type[BaseModel]
    make: Callable[[Any], ask.Command]


VERBS: Final[Mapping[str, Verb]] = {
    "act": Verb(form.ActIn, lambda it: ask.Act(it.seat, it.action, it.version)),
    "ready": Verb(form.SeatIn, lambda it: ask.Ready(it.seat, it.version)),
    "leave": Verb(form.SeatIn, lambda it: ask.Leave(it.seat, it.version)),
    "stand-in": Verb(form.SeatIn, lambda it: ask.StandIn(it.seat, it.version)),
    "back": Verb(form.SeatIn, lambda it: ask.Back(it.seat, it.version)),
    "start": Verb(form.Nothing, lambda _it: ask.Start()),
    "add-bot": Verb(form.BotIn, lambda it: ask.AddBot(it.bot, it.name)),
    "remove": Verb(form.SeatIn, lambda it: ask.Remove(it.seat, it.version)),
    "rename": Verb(form.NameIn, lambda it: ask.Rename(it.seat, it.name, it.version)),
    "ruleset": Verb(form.RulesetIn, lambda it: ask.ChooseRuleset(it.ruleset)),
    "pace": Verb(form.PaceIn, lambda it: ask.ChoosePace(it.pace)),
    "hand-over": Verb(form.SeatIn, lambda it: ask.HandOver(it.seat, it.version)),
    "take-host": Verb(form.SeatIn, lambda it: ask.TakeHost(it.seat, it.version)),
    "renew-link": Verb(form.SeatIn, lambda it: ask.RenewLink(it.seat, it.version)),
}


class UnreadableError(MalformedError):
    """A message or body that is not of the form that is expected; ``where`` is the wrong part."""

    def __init__(self, where: str, template: str = N_("{where}: {says}"), **values: object) -> None:
        super().__init__(template, where=where, **values)
        self.where = where


def unreadable(error: ValidationError) -> UnreadableError:
    """The first thing that is wrong, in pydantic's words."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return UnreadableError(".".join(map(str, first["loc"])) or "body", says=first["msg"])


def read_command(message: Mapping[str, Any]) -> ask.Command:
    """The command of a message: ``{"command": "act", ...}`` with the fields that it takes.

    Raises MalformedError.

    >>> read_command({"command": "pace", "pace": "none"})
    ChoosePace(pace='none')
    """
    name = message.get("command")
    verb = VERBS.get(name) if isinstance(name, str) else None
    if verb is None:
        raise UnreadableError(
            "command", N_("A message names its command, one of: {names}"), names=", ".join(VERBS)
        )
    values = {key: value for key, value in message.items() if key not in ("command", "id")}
    try:
        return verb.make(verb.takes.model_validate(values))
    except ValidationError as error:
        raise unreadable(error) from None
