"""Catalogues that are complete, and messages that come out in the right language."""

from __future__ import annotations

import asyncio
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from babel.messages.catalog import Catalog, Message
from hypothesis import given
from hypothesis import strategies as st
from scripts import catalogues

from skyjo import i18n

LANGUAGES = [language.code for language in i18n.available_languages() if language.code != "en"]


@pytest.fixture(scope="module")
def template() -> Catalog:
    return catalogues.extract()


def test_the_script_knows_every_language() -> None:
    assert set(catalogues.LANGUAGES) == set(LANGUAGES)
    assert {path.name for path in i18n.LOCALE_DIR.iterdir() if path.is_dir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated(language: str, template: Catalog) -> None:
    faults = list(catalogues.faults(catalogues.updated(language, template)))
    assert not faults, "run scripts/translate and fill in:\n" + "\n".join(faults)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_translation_can_be_filled_in(language: str, template: Catalog) -> None:
    for message in catalogues.updated(language, template):
        for text in catalogues.forms(message.string):
            if message.id and "%(" not in text:
                text.format_map(dict.fromkeys(catalogues.placeholders(text), "x"))


def test_our_messages_and_those_of_click_are_extracted(template: Catalog) -> None:
    ids = {message.id[0] if isinstance(message.id, tuple) else message.id for message in template}
    assert "Play a game in this terminal, with people and bots." in ids
    assert "No such command {name!r}." in ids


@pytest.mark.parametrize(
    ("text", "plural", "fault"),
    [
        ("", None, "not translated"),
        ("{spieler} nimmt", None, "placeholders ['spieler'] instead of ['player']"),
        ("{player} nimmt ", None, "begins or ends with other white space"),
        (("{n} Karten", ""), "{n} cards", "not translated"),
        (("{n} Karten",), "{n} cards", "1 plural forms instead of 2"),
        (("eine Karte", "Karten"), "{n} cards", "placeholders [] instead of ['n']"),
    ],
)
def test_a_faulty_translation_is_found(
    text: str | tuple[str, ...], plural: str | None, fault: str
) -> None:
    catalogue = Catalog(locale="de")
    ids: str | tuple[str, str] = ("{n} card", plural) if plural else "{player} takes"
    assert fault in list(catalogues.message_faults(Message(ids, text), catalogue))


def test_a_number_may_be_left_out_only_where_one_number_uses_the_form() -> None:
    message = ("{n} card", "{n} cards")
    german = Message(message, ("eine Karte", "{n} Karten"))
    french = Message(message, ("une carte", "{n} cartes"))
    assert not list(catalogues.message_faults(german, Catalog(locale="de")))
    assert list(catalogues.message_faults(french, Catalog(locale="fr")))


def test_a_fuzzy_translation_is_found() -> None:
    message = Message("yes", "ja", flags=["fuzzy"])
    assert list(catalogues.message_faults(message, Catalog(locale="de"))) == ["marked as fuzzy"]


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("uk", {0: [1, 21, 101, 121], 1: [2, 3, 4, 22, 24, 102], 2: [0, 5, 11, 12, 14, 20, 111]}),
        ("de", {0: [1], 1: [0, 2, 11, 21]}),
        ("fr", {0: [0, 1], 1: [2, 11, 21]}),
    ],
)
def test_plural_forms_are_those_of_the_language(language: str, forms: dict[int, list[int]]) -> None:
    catalogue = catalogues.read(language)
    assert catalogue.num_plurals == len(forms)
    for form, numbers in forms.items():
        assert {catalogues.plural_form(catalogue, n) for n in numbers} == {form}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_comes_out_in_the_current_language(language: str) -> None:
    source = "Play a game in this terminal, with people and bots."
    with i18n.use_language(language):
        assert i18n._(source) != source
        message = catalogues.read(language).get(source)
        assert message is not None
        assert i18n._(source) == message.string
    assert i18n._(source) == source


def test_every_thread_and_task_has_its_own_language() -> None:
    def in_thread(code: str) -> str:
        i18n.set_language(code)
        return i18n.current_language()

    async def in_task(code: str) -> str:
        i18n.set_language(code)
        await asyncio.sleep(0)
        return i18n.current_language()

    async def in_tasks() -> list[str]:
        return await asyncio.gather(*(in_task(code) for code in LANGUAGES))

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_thread, "uk").result() == "uk"
    assert asyncio.run(in_tasks()) == LANGUAGES
    assert i18n.current_language() == "en"


def test_a_missing_catalogue_is_told_and_english_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(i18n, "LOCALE_DIR", tmp_path)
    i18n._catalogue.cache_clear()
    try:
        with i18n.use_language("uk"), pytest.warns(RuntimeWarning, match="not compiled"):
            assert i18n._("Commands") == "Commands"
    finally:
        i18n._catalogue.cache_clear()


def test_every_catalogue_is_compiled() -> None:
    with warnings.catch_warnings(action="error"):
        for language in LANGUAGES:
            i18n._catalogue.cache_clear()
            with i18n.use_language(language):
                i18n._("Commands")


def test_braces_stay_without_values() -> None:
    assert i18n._("{not filled in}") == "{not filled in}"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "en"),
        ("", "en"),
        ("uk", "uk"),
        ("UK-ua", "uk"),
        ("fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        ("en;q=0.5, de;q=0.6", "de"),
        ("de;q=0, fr;q=0.1", "fr"),
        ("es, *;q=0.5", "en"),
        ("de;q=x, uk", "uk"),
        ("de;q=nan, uk", "uk"),
        (";;,,;q=", "en"),
        ("uk_UA.UTF-8@euro", "uk"),
        ("C.UTF-8", "en"),
    ],
)
def test_negotiation(header: str | None, code: str) -> None:
    assert i18n.negotiate(header) == code


@given(st.text())
def test_negotiation_survives_any_header(header: str) -> None:
    assert i18n.negotiate(header) in {"en", *LANGUAGES}


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "de"}, "en"),
        ({"LC_MESSAGES": "fr_FR", "LANG": "de_DE"}, "fr"),
        ({"LC_ALL": "", "LANG": "de_DE"}, "de"),
        ({"LANGUAGE": "uk"}, "uk"),
        ({"LANG": "es_ES", "LANGUAGE": "ca:es"}, "en"),
    ],
)
def test_the_environment_chooses(environ: dict[str, str], code: str) -> None:
    assert i18n.language_from_environment(environ) == code
