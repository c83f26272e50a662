"""Messages in the reader's language.

English is the source; the translations lie in ``skyjo/locale``. The language is a property of the
running context (a web request, a command), so that one process can speak all of them at once:

>>> with use_language("uk"):
...     current_language()
'uk'
>>> current_language()
'en'

Messages are whole sentences with named placeholders in braces, filled in after translation:

>>> _("{player} closes the round.", player="Ana")
'Ana closes the round.'

The module imports nothing of ours, and everything may import it; ``skyjo.rules`` only marks
messages with :func:`N_` and leaves their translation to whoever shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gettext import NullTranslations

__all__ = [
    "DEFAULT_LANGUAGE",
    "DOMAIN",
    "LOCALE_DIR",
    "N_",
    "Language",
    "_",
    "available_languages",
    "current_language",
    "gettext",
    "language_from_environment",
    "negotiate",
    "ngettext",
    "npgettext",
    "pgettext",
    "set_language",
    "use_language",
]

DOMAIN = "skyjo"
LOCALE_DIR = Path(__file__).parent / "locale"
DEFAULT_LANGUAGE = "en"


class Language(NamedTuple):
    """A language that every message exists in: its code and its own name."""

    code: str
    name: str


_LANGUAGES = (
    Language("en", "English"),
    Language("uk", "Українська"),
    Language("de", "Deutsch"),
    Language("fr", "Français"),
)
_CODES = frozenset(language.code for language in _LANGUAGES)
_current: ContextVar[str] = ContextVar("skyjo_language", default=DEFAULT_LANGUAGE)


def available_languages() -> tuple[Language, ...]:
    """Return the languages that can be chosen, English first.

    >>> [language.code for language in available_languages()]
    ['en', 'uk', 'de', 'fr']
    """
    return _LANGUAGES


def current_language() -> str:
    """Return the code of the language that messages are shown in here and now."""
    return _current.get()


def set_language(code: str) -> Token[str]:
    """Show messages in this language from now on, in this context; raise ValueError if unknown.

    >>> set_language("tlh")
    Traceback (most recent call last):
    ValueError: there is no translation for 'tlh'; there are: en, uk, de, fr
    """
    if code not in _CODES:
        known = ", ".join(language.code for language in _LANGUAGES)
        raise ValueError(f"there is no translation for {code!r}; there are: {known}")
    return _current.set(code)


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Show messages in this language inside the ``with`` block; raise ValueError if unknown."""
    token = set_language(code)
    try:
        yield
    finally:
        _current.reset(token)


def gettext(message: str, /, **values: object) -> str:
    """Return the message in the current language, its placeholders filled in with the values.

    Without values the text is returned as it is, braces included.
    """
    return _fill(_catalogue(_current.get()).gettext(message), values)


_ = gettext


def ngettext(singular: str, plural: str, n: int, /, **values: object) -> str:
    """Return the form of the message that the number n asks for; ``{n}`` stands for the number.

    >>> ngettext("{n} card", "{n} cards", 3)
    '3 cards'
    """
    text = _catalogue(_current.get()).ngettext(singular, plural, n)
    return _fill(text, {"n": n, **values})


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Return the message as it reads in this context, for words with more than one meaning.

    >>> pgettext("the verb", "close")
    'close'
    """
    return _fill(_catalogue(_current.get()).pgettext(context, message), values)


def npgettext(context: str, singular: str, plural: str, n: int, /, **values: object) -> str:
    """Return the form that the number n asks for, as it reads in this context."""
    text = _catalogue(_current.get()).npgettext(context, singular, plural, n)
    return _fill(text, {"n": n, **values})


def N_(message: str, /) -> str:  # noqa: N802 - the usual name
    """Mark a constant for translation and return it unchanged; ``_(constant)`` translates it."""
    return message


def negotiate(wish: str | None, default: str = DEFAULT_LANGUAGE) -> str:
    """Return the best language for an Accept-Language header or the name of a locale.

    What is not understood is passed over; when nothing fits, the default is the answer.

    >>> negotiate("es, uk-UA;q=0.7, en;q=0.3")
    'uk'
    >>> negotiate("de_AT.UTF-8")
    'de'
    >>> negotiate("tlh", default="fr")
    'fr'
    """
    wishes = []
    for place, part in enumerate((wish or "").split(",")):
        tag, *parameters = part.strip().split(";")
        weight = _weight(parameters)
        code = _language_of(tag)
        if weight > 0 and code is not None:
            wishes.append((-weight, place, code))
    return min(wishes)[2] if wishes else default


def language_from_environment(environ: Mapping[str, str]) -> str:
    """Return the language that the environment variables of a terminal ask for.

    As in gettext, ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` name the locale, the first that is set
    counts, and ``LANGUAGE`` may list languages in order of preference unless the locale is ``C``.

    >>> language_from_environment({"LANG": "uk_UA.UTF-8"})
    'uk'
    >>> language_from_environment({"LANG": "en_GB.UTF-8", "LANGUAGE": "es:fr"})
    'fr'
    >>> language_from_environment({"LC_ALL": "C", "LANG": "de_DE", "LANGUAGE": "de"})
    'en'
    """
    names = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((name for name in names if name), "")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return DEFAULT_LANGUAGE
    for name in environ.get("LANGUAGE", "").split(":"):
        code = _language_of(name)
        if code is not None:
            return code
    return negotiate(locale)


def _fill(text: str, values: Mapping[str, object]) -> str:
    return text.format_map(values) if values else text


@cache
def _catalogue(code: str) -> NullTranslations:
    from gettext import NullTranslations, translation

    if code == DEFAULT_LANGUAGE:
        return NullTranslations()
    try:
        return translation(DOMAIN, LOCALE_DIR, [code])
    except FileNotFoundError:
        import warnings

        warnings.warn(
            f"the messages for {code!r} are not compiled (python hatch_build.py); using English",
            RuntimeWarning,
            stacklevel=3,
        )
        return NullTranslations()


def _language_of(tag: str) -> str | None:
    """Return ours for a language tag or locale name such as ``uk-UA`` or ``uk_UA.UTF-8@x``."""
    code = tag.strip().replace("_", "-").partition("-")[0].partition(".")[0].partition("@")[0]
    return code.lower() if code.lower() in _CODES else None


def _weight(parameters: list[str]) -> float:
    """Return the quality of an entry of an Accept-Language header; 0 means never."""
    for parameter in parameters:
        name, _equals, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
