"""Extracts messages, updates the ``.po`` files and finds their faults (see scripts/translate).

Extracted are our Python modules and Jinja templates, and the messages of click, which speaks to
people through the same catalogues.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from string import Formatter

import click
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "skyjo"

#: The languages and how they count. Babel's own French has a third form for whole millions.
PLURAL_FORMS = {
    "uk": (
        "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
        "(n%100<10 || n%100>=20) ? 1 : 2);"
    ),
    "de": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
}
LANGUAGES = tuple(PLURAL_FORMS)
NEW = """\
# Messages of skyjo.
msgid ""
msgstr ""
"POT-Creation-Date: 2026-11-29 12:00+0000\\n"
"PO-Revision-Date: 2026-11-29 12:00+0000\\n"
"Language: {}\\n"
"Plural-Forms: {}\\n"
"""

#: Beside the usual functions: errors take a message and translate it when they are shown.
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "SkyjoError": None,
    "MalformedError": None,
    "RecordError": None,
    "RulesetError": None,
    "StaleError": None,
    "IllegalActionError": (2,),
}
METHODS = [
    ("**.py", "python"),
    *((f"**/templates/**.{kind}", "jinja2") for kind in ("html", "svg", "txt", "xml")),
]

#: The modules of click whose messages people can meet here.
CLICK_MODULES = ("core", "decorators", "exceptions", "formatting", "parser", "termui", "types")
CLICK_METHODS = [(f"{module}.py", "python") for module in CLICK_MODULES]

PERCENT = re.compile(r"%\(\w+\)[a-z]")


#: Headers that nobody fills in, or that would change with every release of Babel.
IDLE_HEADERS = re.compile(
    rb'"(Project-Id-Version|Report-Msgid-Bugs-To|Last-Translator|Language-Team|Generated-By):.*\n'
)


def po_path(language: str) -> Path:
    """Where the catalogue of a language lies."""
    return PACKAGE / "locale" / language / "LC_MESSAGES" / "skyjo.po"


def extract() -> Catalog:
    """Every message that the sources hold now, without translations."""
    template = Catalog(project="skyjo", domain="skyjo", copyright_holder="The skyjo contributors")
    sources = (
        (PACKAGE, METHODS, "src/skyjo/"),
        (Path(click.__file__).parent, CLICK_METHODS, "click/"),
    )
    for folder, methods, shown in sources:
        found = extract_from_dir(
            folder,
            methods,
            keywords=KEYWORDS,
            comment_tags=("Translators:",),
            strip_comment_tags=True,
        )
        for name, _line, message, comments, context in found:
            template.add(
                message, locations=[(shown + name, 0)], auto_comments=comments, context=context
            )
    return template


def read(language: str) -> Catalog:
    """The catalogue of a language as it is on disk; an empty one if there is none yet."""
    path = po_path(language)
    if not path.exists():
        return read_po(BytesIO(NEW.format(language, PLURAL_FORMS[language]).encode()), language)
    with path.open("rb") as source:
        return read_po(source, locale=language, domain="skyjo")


def updated(language: str, template: Catalog) -> Catalog:
    """The language's catalogue with exactly the messages of the template.

    Translations of messages that are gone are kept aside (``#~``) in case they come back.
    """
    catalogue = read(language)
    template.creation_date = catalogue.creation_date
    catalogue.update(template, no_fuzzy_matching=True)
    return catalogue


def write(language: str, catalogue: Catalog) -> None:
    """Write the catalogue in a form that only changes where messages do."""
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = BytesIO()
    write_po(text, catalogue, width=100, sort_by_file=True, include_lineno=False)
    path.write_bytes(IDLE_HEADERS.sub(b"", text.getvalue()))


def faults(catalogue: Catalog) -> Iterator[str]:
    """One line for everything that is missing or wrong in a catalogue."""
    for message in catalogue:
        if message.id:
            for fault in message_faults(message, catalogue):
                yield f"{message.id!r}: {fault}"


def message_faults(message: Message, catalogue: Catalog) -> Iterator[str]:
    """What is missing or wrong in one message's translation."""
    ids = forms(message.id)
    texts = forms(message.string)
    if not all(texts):
        yield "not translated"
        return
    if message.fuzzy:
        yield "marked as fuzzy"
    if message.pluralizable and len(texts) != catalogue.num_plurals:
        yield f"{len(texts)} plural forms instead of {catalogue.num_plurals}"
    for form, text in enumerate(texts):
        allowed = [placeholders(ids[-1])]
        if message.pluralizable and len(numbers_of_form(catalogue, form)) == 1:
            # "one card" needs no number where the form is used for a single number only.
            allowed += [placeholders(ids[0]), allowed[0] - {"n"}]
        if placeholders(text) not in allowed:
            yield f"placeholders {sorted(placeholders(text))} instead of {sorted(allowed[0])}"
        if _edges(text) != _edges(ids[-1]):
            yield "begins or ends with other white space"


def numbers_of_form(catalogue: Catalog, form: int) -> list[int]:
    """The numbers up to 200 for which the language uses this plural form."""
    return [n for n in range(201) if plural_form(catalogue, n) == form]


def plural_form(catalogue: Catalog, n: int) -> int:
    """The form that the header's expression picks for a number, as gettext evaluates it."""
    from gettext import c2py

    return int(c2py(catalogue.plural_expr)(n))


def placeholders(text: str) -> frozenset[str]:
    """The names in braces of a message, or its percent conversions if it has such."""
    if "%(" in text:
        return frozenset(match.group(0) for match in PERCENT.finditer(text))
    return frozenset(
        name for _text, name, _spec, _conv in Formatter().parse(text) if name is not None
    )


def forms(value: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """The texts of a message's source or translation: one, or one for each plural form."""
    return (value or "",) if isinstance(value, str | None) else tuple(value)


def _edges(text: str) -> tuple[str, str]:
    stripped = text.strip()
    start = text.index(stripped)
    return text[:start], text[start + len(stripped) :]


def main() -> int:
    """Update or check the catalogues; 1 if anything is missing or wrong."""
    parser = argparse.ArgumentParser(prog="scripts/translate", description=__doc__)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help="default: all of them")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    found = 0
    for language in options.languages or LANGUAGES:
        if language not in LANGUAGES:
            parser.error(f"{language} is none of {', '.join(LANGUAGES)}")
        catalogue = updated(language, extract())
        if not options.check:
            write(language, catalogue)
        lines = list(faults(catalogue))
        for line in lines:
            print(f"{language}: {line}")
        total = sum(1 for message in catalogue if message.id)
        print(f"{language}: {total} messages, {len(lines)} faults", file=sys.stderr)
        found += len(lines)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
