"""A browser without scripts in a few lines: finds the forms of a page and their buttons."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Form:
    """A form: where it goes, its fields as they are, its submit buttons as (name, value, text)."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)

    def values(self) -> list[str]:
        """The values of the buttons that have a name."""
        return [value for name, value, _text in self.buttons if name]


class Page(HTMLParser):
    """The forms, links, language and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.lang = ""
        self.words = ""
        self._button: tuple[str, str] | None = None
        self._label = ""
        self._select = ""
        self._silent = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.attributes.append((tag, found))
        if tag == "html":
            self.lang = found.get("lang", "")
        elif tag == "form":
            self.forms.append(Form(found.get("action", ""), found.get("method", "get")))
        elif tag == "a":
            self.links.append(found.get("href", ""))
        elif tag in ("input", "select", "textarea") and self.forms:
            self._field(tag, found)
        elif tag == "option" and self._select and self.forms:
            fields = self.forms[-1].fields
            if "selected" in found or self._select not in fields:
                fields[self._select] = found.get("value", "")
        elif tag == "button" and found.get("type", "submit") == "submit" and self.forms:
            if "disabled" not in found:
                self._button = (found.get("name", ""), found.get("value", ""))
                self._label = found.get("aria-label", "")
        elif tag in ("script", "style"):
            self._silent += 1

    def _field(self, tag: str, found: dict[str, str]) -> None:
        name, kind = found.get("name", ""), found.get("type", "text")
        if tag == "select":
            self._select = name
        elif name and (kind not in ("checkbox", "radio") or "checked" in found):
            self.forms[-1].fields[name] = found.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "button" and self._button and self.forms:
            self.forms[-1].buttons.append((*self._button, self._label.strip()))
            self._button = None
        elif tag == "select":
            self._select = ""
        elif tag in ("script", "style"):
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words += data
        if self._button is not None:
            self._label += data

    def form(self, ending: str) -> Form:
        """The first form whose address ends so."""
        return next(form for form in self.forms if form.action.endswith(ending))

    def has(self, ending: str) -> bool:
        """Whether there is a form whose address ends so."""
        return any(form.action.endswith(ending) for form in self.forms)

    def may_act(self) -> bool:
        """Whether the table's page offers anything to do in the game."""
        return self.has("/act") and bool(self.form("/act").values())
