"""Programs of home searches, and verdicts that they have by either judge."""

from __future__ import annotations

from typing import Any

from stb_env.suites.sambanova.home_search.env import API
from stb_env.suites.sambanova.home_search.tasks import home_task, tasks_of
from tests.suites.sambanova.common.form.play import FormCase, ends_with_search

START = 'API.set_location("Fargo")\nAPI.set_buy_or_rent("rent")\n'
LABEL = START + 'API.select_home_type(["House", "Condo"])\nAPI.set_num_beds(2)\nAPI.search()'
SPELLED = (
    "city, aim = 'Fargo', 'rent'\nAPI.set_location(city)\nAPI.set_buy_or_rent(aim)\n"
    "API.select_home_type(['House', 'Condo'])\nAPI.set_num_beds(2)\nAPI.search()",
    START + "kinds = []\nfor kind in ('condo', 'house'):\n    kinds.append(kind.title())\n"
    "API.select_home_type(kinds)\nAPI.set_num_beds(value=2)\nprint('done')\nAPI.search()",
    "wish = {'city': 'Fargo', 'beds': 2}\nAPI.set_location(f\"{wish['city']}\")\n"
    "API.set_buy_or_rent('rent')\n"
    "for call, value in [(API.select_home_type, ['House', 'Condo']), (API.set_num_beds, wish['beds'])]:\n"
    "    call(value)\nif wish:\n    API.search()",
    START + "def search(beds, kinds=('House', 'Condo')):\n    API.set_num_beds(beds)\n"
    "    API.select_home_type([kind for kind in kinds])\n    API.search()\nsearch(beds=2)",
    START
    + "API.set_min_price(0)\nAPI.set_num_beds(2)\nAPI.select_home_type(['Condo', 'House'])\nAPI.search()",
)
CHEATS = (("Fargo", "Boise"), ("'rent'", "'buy'"), ("'beds': 2", "'beds': 3"), ("value=2", "value=1"))


def expected_by_default(case: dict[str, Any]) -> tuple[bool, bool] | None:
    """What the default says of a plain program; None where its reading of values decides."""
    expected = case["expected"]
    if case["syntax"] != "calls" or case["signature_problems"]:
        return None
    if not expected["executable"]:
        return False, False
    kinds = expected["criteria"].get("home_type", "any").split(",")
    if not ends_with_search(case["prediction"]) or "buy_or_rent" not in expected["criteria"] or "" in kinds:
        return False, False
    return None if len(set(kinds)) < len(kinds) else (True, expected["success"])


CASE = FormCase(
    env_id="stb/HomeSearch-v1",
    api=API,
    build=home_task,
    programs=[tasks_of("train").at(index).goal["labels"][0] for index in range(5)],
    start=START,
    label=LABEL,
    steps=LABEL.split("\n"),
    spelled=SPELLED,
    misspelled=[text.replace(old, new) for text in SPELLED for old, new in CHEATS if old in text]
    + [text.replace("API.search()", "API.set_num_garages(1)\nAPI.search()", 1) for text in SPELLED[:2]]
    + [text.replace("'House', ", "") for text in SPELLED if "'House', " in text],
    wrong='API.select_home_type(["Land"])',
    last="API.set_num_beds(None)",
    stopping=("API.set_num_bed(2)", "API.set_num_beds(None)", "API.set_location('Reno')"),
    first="call set_location first",
    differences=[
        (LABEL.replace("API.search()", ""), (True, False), (False, False)),
        (
            LABEL.replace("API.search()", "API.set_min_price(0)\nAPI.set_min_square_feet(0)"),
            (True, True),
            (False,) * 2,
        ),
        (
            LABEL.replace("beds(2)\nAPI.search()", "beds(1)\nAPI.search()\nAPI.set_num_beds(2)"),
            (True, True),
            (False,) * 2,
        ),
        (LABEL + "\nAPI.search()", (True, True), (True, True)),
        (LABEL.replace("beds(2)", 'beds("2")'), (True, False), (True, True)),
        (LABEL.replace("beds(2)", "beds(2.0)"), (True, True), (True, True)),
        (LABEL.replace("beds(2)", "beds(2.5)"), (True, False), (False, False)),
        (LABEL.replace("beds(2)", "beds(None)"), (True, False), (False, False)),
        (LABEL.replace('"House", ', '"House", "HOUSE", '), (True, False), (True, True)),
        (LABEL.replace('["House", "Condo"]', "[]"), (True, False), (False, False)),
        (LABEL.replace('["House", "Condo"]', '"House"'), (False, False), (False, False)),
        (LABEL.replace("API.", ""), (False, False), (True, True)),
        (f"```python\n{LABEL}\n```", (False, False), (True, True)),
        (START + "API.clear()\n" + LABEL, (True, True), (True, True)),
        ("", (True, False), (False, False)),
        ("API.search()", (True, False), (False, False)),
        ("I would search for a home.", (False, False), (False, False)),
    ],
    errors=[
        (["API.set_num_beds(2)"], 1, "call set_buy_or_rent right after set_location, and once"),
        (['API.set_buy_or_rent("buy")'], 1, "call set_location before set_buy_or_rent"),
        (
            ['API.set_buy_or_rent("lease")'],
            2,
            "'value' must be one of \"buy\", \"rent\", got the text 'lease'",
        ),
        ([START, 'API.set_location("Reno")'], 1, "call set_location first, and once; clear() starts over"),
        ([START, 'API.set_buy_or_rent("buy")'], 1, "call set_buy_or_rent right after set_location, and once"),
        (
            [START, 'API.select_home_type(["Land"])'],
            1,
            "a list of House, Townhouse, Condo, Apartment where the aim is to",
        ),
        (
            [START, "API.select_home_type([])"],
            2,
            "'home_types' must be an array of at least 1, got an array of 0",
        ),
        ([START, "API.set_max_price(-1)"], 2, "'value' must be at least 0, got the number -1"),
        ([START, "API.set_num_beds(Two)"], 2, "'value' must be an integer, got an object"),
        (
            [START, "API.set_num_bedrooms(2)"],
            3,
            "no tool is named 'set_num_bedrooms'. Did you mean 'set_num_beds'?",
        ),
        ([START, "API.set_num_beds(1, 2)"], 2, "arguments without a name do not fit the parameters (value)"),
        (["API.search()"], 1, "call set_location and set_buy_or_rent before search"),
        (
            [{"name": "program", "arguments": {"text": "while True: pass"}}],
            1,
            "line 1: the program takes more than 50000 steps",
        ),
    ],
    expected_by_default=expected_by_default,
)
