from __future__ import annotations

from collections.abc import Sequence

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.retrieval import NgramRetriever, Retriever, ToolIndex, retriever_for, tool_text
from stb_env.tools import Tool, ToolId

WEATHER = Tool("getWeather_for_skies", "Forecast for a place.", {}, ToolId("Weather", "skies", "get"))
HOTEL = Tool("book_room_for_inns", "Reserves a hotel room.", {}, ToolId("Travel", "inns", "book"))
STOCK = Tool("quote_for_bourse", "Price of a share.", {}, ToolId("Finance", "bourse", "quote"))
TOOLS = [WEATHER, HOTEL, STOCK]


def test_names_are_read_as_words():
    assert tool_text(WEATHER) == "get Weather for skies Forecast for a place."


def test_parameters_are_read_too():
    schema = {"properties": {"checkIn": {"description": "First night."}, "rooms": {}}}
    assert tool_text(Tool("book", "", schema)).split() == ["book", "check", "In", "First", "night.", "rooms"]


@pytest.mark.parametrize("kind", ["bm25", "ngram", "hybrid", NgramRetriever])
def test_every_kind_finds_a_tool_by_its_purpose(kind: str):
    assert ToolIndex(TOOLS, kind).search("hotel room for two", 1) == [HOTEL]


def test_equal_tools_are_indexed_once():
    again = [Tool(tool.name, tool.description, {}, tool.id) for tool in TOOLS]
    assert retriever_for(TOOLS, "bm25") is retriever_for(again, "bm25")
    assert retriever_for(TOOLS, "bm25") is not retriever_for(TOOLS[:2], "bm25")


def test_a_retriever_of_ones_own_gets_the_texts_in_order():
    seen: list[Sequence[str]] = []

    def build(texts: Sequence[str]) -> Retriever:
        seen.append(texts)
        return NgramRetriever(texts)

    ToolIndex(TOOLS, build)
    assert seen == [tuple(map(tool_text, TOOLS))]


def test_an_unknown_kind_is_refused_with_the_nearest():
    message = r"^no retriever 'bm52'; known: bm25, ngram, hybrid, minilm\. Did you mean 'bm25'\?$"
    with pytest.raises(ConfigError, match=message):
        retriever_for(TOOLS, "bm52")


def test_an_index_that_has_the_tools_already_is_returned_itself():
    index = ToolIndex(TOOLS)
    assert index.including([HOTEL]) is index


def test_tools_can_be_added_to_an_index():
    index = ToolIndex([WEATHER, STOCK]).including([HOTEL])
    assert index.search("hotel room", 1) == [HOTEL]
    assert list(index.catalog) == [WEATHER, STOCK, HOTEL]


def test_two_apis_of_one_name_are_refused():
    with pytest.raises(DataError, match=r"^two APIs are named 'book_room_for_inns'"):
        ToolIndex(TOOLS).including([Tool(HOTEL.name, "", {}, ToolId("Other", "inns", "book"))])


def test_a_tool_without_an_identity_is_added_beside_another():
    lamp, door = Tool("switch_lamp", "Turns a lamp on.", {}), Tool("open_door", "Opens a door.", {})
    assert list(ToolIndex([lamp]).including([door]).catalog) == [lamp, door]
