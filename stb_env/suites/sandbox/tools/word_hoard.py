"""Word Hoard: a small dictionary."""

from __future__ import annotations

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.vocabulary import PARTS_OF_SPEECH, words
from stb_env.suites.sandbox.conventions import PAGE, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Reference", "Word Hoard", "A dictionary with the history of words.")
_WORD = text("word", "The word, in any case.", "anchor")


def _entry(word: str) -> dict[str, object]:
    row = words().get(word.strip().casefold())
    if row is None:
        raise ApiError(f"no entry for {word[:80]!r}; Words Starting lists what there is")
    return row


@TOOL.lookup("Define", _WORD)
def define(word: str) -> Response:
    """Part of speech and meaning of a word."""
    row = _entry(word)
    return {key: row[key] for key in ("word", "part_of_speech", "definition")}


@TOOL.lookup("Word History", _WORD)
def word_history(word: str) -> Response:
    """Year in which a word was first recorded, and how often it is used in a million words of text."""
    row = _entry(word)
    return {key: row[key] for key in ("word", "first_recorded", "uses_per_million")}


@TOOL.lookup("Find By Meaning", text("meaning", "Words of the definition, in their order.", "wind"), PAGE)
def find_by_meaning(meaning: str, page: int) -> Response:
    """Find words whose definition contains a phrase."""
    needle = " ".join(meaning.casefold().split())
    rows = [row["word"] for row in words().values() if needle in row["definition"]]
    return page_of(rows, page)


@TOOL.lookup(
    "Words Starting",
    text("prefix", "First letters; empty for all words.", "b"),
    choice("part_of_speech", "Only this part of speech.", ("any", *PARTS_OF_SPEECH), optional=True),
    PAGE,
)
def words_starting(prefix: str, part_of_speech: str, page: int) -> Response:
    """List the words that start with some letters, in the order of the alphabet."""
    start = prefix.casefold()
    rows = [
        word
        for word, row in sorted(words().items())
        if word.startswith(start) and part_of_speech in ("any", row["part_of_speech"])
    ]
    return page_of(rows, page)
