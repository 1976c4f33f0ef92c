"""Phrase Bridge: translation between English, Velish and Ostric; training never sees it."""

from __future__ import annotations

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.languages import (
    ENGLISH,
    GREATEST_NUMERAL,
    LANGUAGES,
    lexicon,
    numeral,
    reverse_lexicon,
)
from stb_env.suites.sandbox.conventions import PAGE, page_of
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Phrase Bridge", "Translates single words, by way of English.", held_out="tool")
_LANGUAGE = choice("language", "The foreign language.", LANGUAGES)


@TOOL.lookup("From English", text("word", "An English word.", "anchor"), _LANGUAGE)
def from_english(word: str, language: str) -> Response:
    """Translate an English word."""
    foreign = lexicon(language).get(word.strip().casefold())
    if foreign is None:
        raise ApiError(f"no {language} word is known for {word[:80]!r}")
    return {"word": word, "language": language, "translation": foreign}


@TOOL.lookup("To English", text("word", "A word of the foreign language.", "anchor"), _LANGUAGE)
def to_english(word: str, language: str) -> Response:
    """Translate a foreign word into English; an English word comes back as it is."""
    needle = word.strip().casefold()
    english = needle if needle in lexicon(language) else reverse_lexicon(language).get(needle)
    if english is None:
        raise ApiError(f"{word[:80]!r} is no {language} word")
    return {"word": word, "language": ENGLISH, "translation": english}


@TOOL.lookup("Say Number", whole("number", "The number.", 7, 0, GREATEST_NUMERAL), _LANGUAGE)
def say_number(number: int, language: str) -> Response:
    """Word for a number."""
    return {"number": number, "language": language, "word": numeral(language, number)}


@TOOL.lookup("Word List", _LANGUAGE, PAGE)
def word_list(language: str, page: int) -> Response:
    """List all English words that can be translated, with their foreign ones."""
    pairs = [{"english": english, "foreign": foreign} for english, foreign in lexicon(language).items()]
    return page_of(pairs, page)
