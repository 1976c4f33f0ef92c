"""Searches in other words than the API's name."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.searcher import ToolSearcher
from tests.suites.api_bank.paraphrases import LEVEL_3_SEARCHES, LEVEL_12_SEARCHES

SETS = [(LEVEL_12, LEVEL_12_SEARCHES), (LEVEL_3, LEVEL_3_SEARCHES)]


@pytest.mark.parametrize(("apis", "searches"), SETS, ids=["levels 1 and 2", "level 3"])
def test_every_api_is_found_in_other_words_than_its_name(apis, searches):
    search = ToolSearcher(apis.entries)
    missed = {
        keywords: search.find(keywords)["name"]
        for name, each in searches.items()
        for keywords in each
        if search.find(keywords)["name"] != name
    }
    assert missed == {}
    assert searches.keys() == apis.apis.keys() - {"ToolSearcher"}


@pytest.mark.parametrize("keywords", ["search hotels", "find a hotel for the night", "hotels"])
def test_who_searches_hotels_is_not_sent_to_flights(keywords):
    assert ToolSearcher(LEVEL_3.entries).find(keywords)["name"] == "HotelAvailability"
