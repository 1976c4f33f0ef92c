"""The service answers in OpenWeather's shapes, and the same request always with the same bytes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.rest.curl import Answer, Request
from stb_env.suites.sambanova.open_weather.report import LANGUAGES, conditions
from stb_env.suites.sambanova.open_weather.service import KEY, MAX_VALUE, respond

WEATHER, FORECAST, AIR, GEO = (
    "/data/2.5/weather",
    "/data/2.5/forecast",
    "/data/2.5/air_pollution",
    "/geo/1.0/direct",
)
KEYED = {"appid": KEY}


def sent(method: str, path: str, params: dict[str, str]) -> Answer:
    return respond(Request(method, "", path, params))[0]


def get(path: str, **params: str):
    return sent("GET", path, KEYED | params)


@pytest.mark.parametrize(
    ("path", "place", "keys"),
    [
        (
            WEATHER,
            {"q": "oslo"},
            "coord weather base main visibility wind clouds dt sys timezone id name cod",
        ),
        (FORECAST, {"zip": "94301"}, "cod message cnt list city"),
        (AIR, {"lat": "1", "lon": "2"}, "coord list"),
        (AIR + "/forecast", {"lat": "1", "lon": "2"}, "coord list"),
    ],
)
def test_answers_have_the_top_level_keys_of_the_original(path: str, place: dict[str, str], keys: str):
    assert list(get(path, **place).body) == keys.split()


def test_the_code_of_a_forecast_is_a_text_and_that_of_the_weather_a_number():
    assert (get(FORECAST, q="oslo").body["cod"], get(WEATHER, q="oslo").body["cod"]) == ("200", 200)


def test_pollution_has_an_index_and_eight_components():
    (now,) = get(AIR, lat="51.5", lon="-0.1").body["list"]
    assert 1 <= now["main"]["aqi"] <= 5
    assert list(now["components"]) == ["co", "no", "no2", "o3", "so2", "pm2_5", "pm10", "nh3"]
    assert len(get(AIR + "/forecast", lat="51.5", lon="-0.1").body["list"]) > 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"q": "palo alto"}, {"q": "Palo  Alto"}),
        ({"q": "paris"}, {"q": "paris,fr"}),
        ({"zip": "94301"}, {"zip": "94301,us"}),
        ({"lat": "-33.9", "lon": "18.4"}, {"lon": "18.40", "lat": "-33.90"}),
        ({"q": "cape town"}, {"lat": "-33.9", "lon": "18.4"}),
        ({"q": "oslo"}, {"q": "oslo", "units": "standard", "lang": "en", "mode": "json"}),
        ({"q": "oslo"}, {"q": "oslo", "units": "furlongs", "lang": "xx", "mode": "csv", "more": "1"}),
    ],
)
def test_requests_that_mean_the_same_have_the_same_answer(first: dict[str, str], second: dict[str, str]):
    assert get(WEATHER, **first) == get(WEATHER, **second)


def test_units_change_numbers_and_languages_change_words():
    kelvin, celsius, fahrenheit = (
        get(WEATHER, q="oslo", units=units).body["main"]["temp"]
        for units in ("standard", "metric", "imperial")
    )
    assert celsius == pytest.approx(kelvin - 273.15, abs=0.01)
    assert fahrenheit == pytest.approx(celsius * 9 / 5 + 32, abs=0.02)
    words = {get(WEATHER, q="oslo", lang=lang).body["weather"][0]["description"] for lang in LANGUAGES}
    assert len(words) == len(LANGUAGES)


def test_every_condition_has_words_in_every_language():
    for words in conditions().values():
        assert set(words) == {"main", "icon", *LANGUAGES}
        assert all(words.values())


@pytest.mark.parametrize(("path", "root"), [(WEATHER, "current"), (FORECAST, "weatherdata")])
def test_xml_says_what_json_says(path: str, root: str):
    body = get(path, q="oslo", units="metric", lang="de").body
    answer = get(path, q="oslo", units="metric", lang="de", mode="xml")
    tree = ElementTree.fromstring(answer.body)
    now = body if path == WEATHER else body["list"][0]
    assert (answer.medium, tree.tag) == ("xml", root)
    temperature = tree.find(".//temperature")
    assert temperature is not None
    assert (float(temperature.attrib["value"]), temperature.attrib["unit"]) == (
        now["main"]["temp"],
        "celsius",
    )
    weather = tree.find(".//weather")
    assert weather is not None
    assert weather.attrib["value"] == now["weather"][0]["description"]


def test_geocoding_lists_as_many_places_as_asked_for():
    names = [[place["name"] for place in get(GEO, q="springfield", limit=str(n)).body] for n in range(1, 8)]
    assert [len(found) for found in names] == [1, 2, 3, 4, 5, 5, 5]
    assert set(names[4]) == {"Springfield"}
    assert get(GEO, q="springfield").body == get(GEO, q="springfield", limit="1").body
    assert get(GEO, q="12345").body == []


@pytest.mark.parametrize(
    ("method", "path", "params", "code", "message"),
    [
        ("GET", WEATHER, {"q": "oslo"}, 401, "Invalid API key"),
        ("GET", WEATHER, {"q": "oslo", "appid": "API_KEY"}, 401, "Invalid API key"),
        ("GET", "/data/3.0/onecall", {**KEYED, "q": "oslo"}, 404, "nothing at this path"),
        ("POST", WEATHER, {**KEYED, "q": "oslo"}, 405, "Only GET"),
        ("GET", WEATHER, KEYED, 400, "Nothing to geocode"),
        ("GET", WEATHER, {**KEYED, "lat": "1"}, 400, "Nothing to geocode"),
        ("GET", AIR, {**KEYED, "q": "oslo"}, 400, "Nothing to geocode"),
        ("GET", WEATHER, {**KEYED, "q": "{city}"}, 404, "city not found"),
        ("GET", WEATHER, {**KEYED, "q": ""}, 404, "city not found"),
        ("GET", WEATHER, {**KEYED, "zip": "123"}, 404, "city not found"),
        ("GET", WEATHER, {**KEYED, "lat": "90.1", "lon": "0"}, 400, "wrong latitude"),
        ("GET", WEATHER, {**KEYED, "lat": "0", "lon": "nan"}, 400, "wrong longitude"),
        ("GET", WEATHER, {**KEYED, "q": "o" * (MAX_VALUE + 1)}, 414, "at most 200 characters"),
    ],
)
def test_what_cannot_be_answered_says_why(
    method: str, path: str, params: dict[str, str], code: int, message: str
):
    answer = sent(method, path, params)
    assert (answer.code, str(answer.body["cod"])) == (code, str(code))
    assert message in answer.body["message"]


@given(
    st.dictionaries(
        st.sampled_from(["q", "zip", "lat", "lon", "units", "limit", "mode"]), st.text(max_size=12)
    )
)
def test_any_parameters_have_an_answer(params: dict[str, str]):
    for path in (WEATHER, FORECAST, AIR, GEO):
        answer = get(path, **params)
        assert answer == get(path, **params)
        assert answer.code in (200, 400, 404)
