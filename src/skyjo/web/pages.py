"""Pages from templates: the Jinja environment, and what every page is told."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse

from skyjo import i18n
from skyjo.web import drawing
from skyjo.web.assets import Assets
from skyjo.web.kept import Kept

TEMPLATES: Final = Path(__file__).parent / "templates"
THEME_COOKIE: Final = "skyjo-theme"
SOUND_COOKIE: Final = "skyjo-sound"
THEMES: Final = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class Ui:
    """What every page knows about its reader: ``ui`` in the templates."""

    lang: str
    languages: tuple[i18n.Language, ...]
    theme: str
    sound: bool
    here: str

    @classmethod
    def of(cls, connection: HTTPConnection, here: str = "") -> Ui:
        """Whoever made this request; the language is the one that is current.

        ``here`` is the page to come back to, if it is another one than that of a GET request.
        """
        theme = connection.cookies.get(THEME_COOKIE, "")
        if not here and connection.scope.get("method") == "GET":
            query = f"?{connection.url.query}" if connection.url.query else ""
            here = f"{connection.url.path}{query}"
        return cls(
            lang=i18n.current_language(),
            languages=i18n.available_languages(),
            theme=theme if theme in THEMES else THEMES[0],
            sound=connection.cookies.get(SOUND_COOKIE) == "on",
            here=here or "/",
        )


class Pages:
    """Renders templates."""

    def __init__(self, assets: Assets) -> None:
        self.assets = assets
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            auto_reload=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n"],
        )
        self.environment.install_gettext_callables(  # type: ignore[attr-defined]
            i18n.gettext,
            i18n.ngettext,
            newstyle=False,
            pgettext=i18n.pgettext,
            npgettext=i18n.npgettext,
        )
        self.environment.globals.update(static=assets.url, build=assets.build)
        drawing.install(self.environment)
        self.kept = Kept(self.environment)
        self.environment.globals.update(kept=self.kept)

    def render(self, template: str, /, **values: Any) -> str:
        """The text of a template in the current language."""
        return self.environment.get_template(template).render(values)

    def page(
        self,
        request: Request,
        template: str,
        /,
        status: int = HTTPStatus.OK,
        *,
        here: str = "",
        **values: Any,
    ) -> HTMLResponse:
        """A whole page as an answer; ``here`` as for ``Ui.of``, for the template too."""
        return HTMLResponse(
            self.render(template, ui=Ui.of(request, here), here=here, **values), status
        )
