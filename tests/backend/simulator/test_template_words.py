"""What the template simulator says, to the byte: "offline" must mean the same on every machine and next year.

Whoever changes the words or how values are made from them changes every answer. The hash and the answers
below then change too, `template-N` in the simulator's version goes up, and the changelog says that scores of
offline runs on open queries stop being comparable.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from stb_env.backend.simulator.template import TemplateSimulator, words
from stb_env.backend.simulator.template.values import Scene, sentence
from stb_env.backend.taxonomy import ApiClass, classify
from stb_env.core import jsontext
from stb_env.tools import Tool, ToolId

DIGEST = "077bb76b2ea833e5bc81864f456e8a606295b57a677c7c0d286bcd9a4a75b316"

PERSON = {"id": "int", "full_name": "str", "email": "str", "company": "str", "job": "str", "address": "str"}
SHOP = {"title": "str", "description": "str", "price": "float", "currency": "str", "state": "str"}
CALLS = [
    ("Search Users", {"users": [{**PERSON, "_list_length": 2}], "total": "int"}, {"page": 2}),
    ("Current Weather", None, {"city": "munich"}),
    ("Product", {"data": {"id": "str", **SHOP, "colors": "list of str with length 2"}}, {"product_id": "b7"}),
    ("Team", {"team": "str", "league": "str", "lat": "float", "ticker": "str", "url": "str"}, {}),
    ("Event", {"uuid": "str", "created": "str", "day": "str", "ok": "bool", "q": "str"}, {"q": "Zürich"}),
]
ANSWERS = [
    (
        '{"error": "", "response": {"users": [{"id": 746969, "full_name": "Boris Sharma", "email": '
        '"boris.sharma@example.com", "company": "Candlewick Chemicals", "job": "receptionist", '
        '"address": "280 Anchor Street, Cambridge"}, {"id": 671516, "full_name": "Ada Petrov", "email": '
        '"ada.petrov@example.com", "company": "Stonecroft Robotics", "job": "chef", "address": "147 '
        'Ferry Road, Portland"}], "total": 107}}'
    ),
    (
        '{"error": "", "response": {"location": "Munich", "date": "2018-08-08", "temperature": 32.32, '
        '"humidity": 42, "condition": "fog"}}'
    ),
    (
        '{"error": "", "response": {"data": {"id": "b7", "title": "Close Hill", "description": "Where '
        'Demo Hub meets a sparkling falcon: 57 places worth a visit.", "price": 57.04, "currency": '
        '"KWD", "state": "Virginia", "colors": ["Quick Blanket", "Wooden House"]}}}'
    ),
    (
        '{"error": "", "response": {"team": "Darwin Buckets", "league": "China League", "lat": 64.15, '
        '"ticker": "CRAY", "url": "https://workshop.example.com/lodge-market-267"}}'
    ),
    (
        '{"error": "", "response": {"uuid": "31ac093a-a260-4750-85a2-10b9620cc51a", "created": '
        '"2023-07-03T02:30:00Z", "day": "2014-03-25", "ok": true, "q": "Zürich"}}'
    ),
]


def given_answers() -> list[str]:
    simulator = TemplateSimulator()
    texts = []
    for api, skeleton, arguments in CALLS:
        record = {"api_name": api, "tool_name": "Demo Hub", "template_response": skeleton}
        tool = Tool("demo", "", {"type": "object", "properties": {}}, ToolId.of("Data", "demo", api), record)
        texts.append(simulator.simulate(tool, arguments, key=jsontext.dumps(arguments)).text)
    return texts


def test_the_words_are_these_words():
    assert words.digest() == DIGEST


def test_the_words_are_part_of_the_version():
    assert TemplateSimulator().version == f"template-2-4000-{DIGEST[:8]}"


def test_fixed_calls_get_these_answers():
    assert given_answers() == ANSWERS


@pytest.mark.heavy
@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "0", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "1", "TZ": "America/Lima", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "4294967295", "PYTHONCOERCECLOCALE": "0", "LANG": "de_DE"},
    ],
)
def test_a_process_with_other_hashes_zone_and_locale_gives_the_same_answers(surroundings):
    program = "from tests.backend.simulator.test_template_words import *; print(ascii(given_answers()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ascii(ANSWERS)


def test_importing_the_simulator_does_not_read_the_words():
    program = (
        "from stb_env.backend.simulator.template import TemplateSimulator, words\n"
        "TemplateSimulator()\n"
        "print(words.words.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize("pool", [field.name for field in fields(words.Words)])
def test_no_pool_is_empty_or_holds_anything_twice(pool):
    members = getattr(words.words(), pool)
    assert len(members) >= 10
    assert len(set(members)) == len(members)


def test_names_of_people_can_stand_in_an_email_address():
    names = words.words().first_names + words.words().surnames
    assert [name for name in names if not re.fullmatch("[A-Z][a-z]+", name)] == []


def test_nouns_and_adjectives_follow_the_article_a():
    both = words.words().nouns + words.words().adjectives
    assert [word for word in both if not re.fullmatch("[b-df-hj-np-tv-z][a-z]+", word)] == []


def test_nouns_take_an_s_in_the_plural():
    irregular = re.compile(r".*(?:[sxz]|ch|sh|[^aeiou]y|[^eo]f)")
    assert [noun for noun in words.words().nouns if irregular.fullmatch(noun)] == []


def test_every_sentence_is_about_the_topic():
    scene = Scene(words.words(), "Tides")
    made = {sentence(number << 30, scene) for number in range(len(scene.words.sentences))}
    assert len(made) == len(scene.words.sentences)
    assert [text for text in made if text.count("Tides") != 1 or re.search(r"[{}]", text)] == []


def test_towns_lie_on_the_globe_and_are_found_by_name():
    for place in words.words().places:
        assert -90 < place.latitude < 90
        assert -180 < place.longitude < 180
        assert words.town(place.city.upper()) is place


@pytest.mark.parametrize("taxonomy", ["default", "paper"])
def test_no_word_is_taken_for_a_failure(taxonomy):
    pools = [getattr(words.words(), field.name) for field in fields(words.Words)]
    taken = [
        member
        for member in sum(pools, ())
        if classify("", {"message": str(member)}, taxonomy=taxonomy) is not ApiClass.SUCCESS
    ]
    assert taken == []
