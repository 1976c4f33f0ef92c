"""The environment: actions, pages, purchases, the standing checks."""

from __future__ import annotations

from time import process_time
from typing import Any

import gymnasium as gym
import pytest

from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.env import make
from stb_env.suites.sambanova.web_shop.product import read_product
from stb_env.suites.sambanova.web_shop.tasks import shopping_task
from stb_env.tasks import TaskSet
from stb_env.tools import FINISH

RECORDS = [
    {
        "asin": f"B{number:02}",
        "name": f"Blue Tea Cup {number}",
        "query": "cups",
        "product_category": "Home › Kitchen › Cups",
        "pricing": f"${number + 5}",
        "full_description": "Holds tea.",
        "small_description": ["Light weight", "Hand made"],
        "customization_options": {
            "Size": [{"value": "S"}, {"value": "M"}],
            "Glaze": [{"value": "Peppermint"}],
        },
    }
    for number in range(12)
]
SHOP = Catalogue(read_product(record, ["hand made"]) for record in RECORDS)
GOAL = {
    "asin": "B03",
    "category": "home",
    "query": "cups",
    "name": "Blue Tea Cup 3",
    "product_category": "Home › Kitchen › Cups",
    "instruction_text": "i want a hand made tea cup with glaze: peppermint, and size: m",
    "attributes": ["hand made"],
    "price_upper": 20.0,
    "goal_options": {"glaze": "peppermint", "size": "m"},
}
ONE = TaskSet([shopping_task("1", "test", GOAL)])
BUY = ["search[tea cup 3]", "click[b03]", "click[m]", "click[peppermint]", "click[buy now]"]
DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}


def env_of(**options: Any) -> ToolEnv:
    env = make(data=ONE, catalogue=SHOP, **options)
    env.reset(seed=0)
    return env


def played(*actions: Any, **options: Any) -> tuple[Any, ...]:
    env = env_of(**options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    return env.step(actions[-1])


def test_a_flawless_purchase_is_solved():
    observation, reward, terminated, truncated, info = played(*BUY)
    assert (observation["status"], reward, terminated, truncated) == (6, 1.0, True, False)
    assert (info["verdict"]["status"], info["verdict"]["judge"]) == ("solved", "exact")
    assert all(info["verdict"]["parts"].values())
    assert info["verdict"]["metrics"]["r_option"] == 1.0


@pytest.mark.parametrize(
    "action",
    [
        "\n".join(BUY),
        "\n".join(f"Action: {line.upper()}" for line in BUY),
        [{"name": "search", "arguments": {"query": "tea cup 3"}}]
        + [{"name": "click", "arguments": {"element": line[6:-1]}} for line in BUY[1:]],
        'search("tea cup 3")\n' + "\n".join(f'click("{line[6:-1]}")' for line in BUY[1:]),
    ],
    ids=["lines", "capitals", "calls", "program"],
)
def test_a_purchase_can_be_one_action_in_any_form(action: Any):
    assert played(action)[1:3] == (1.0, True)
    assert played(action, program=True)[1:3] == (1.0, True)


def test_a_purchase_in_the_last_turn_counts():
    assert played(*BUY, max_turns=5)[1:4] == (1.0, True, False)


def test_the_turn_limit_ends_an_episode_without_purchase():
    _, reward, terminated, truncated, info = played(*BUY[:3], max_turns=3)
    assert (reward, terminated, truncated, info["verdict"]["status"]) == (0.0, False, True, "unsolved")


@pytest.mark.parametrize("compat", [None, "original"])
def test_a_click_that_buys_nothing_ends_nothing(compat: Any):
    observation, _, terminated, _, info = played("click[buy now]", compat=compat)
    assert (observation["status"], terminated, len(info["calls"])) == (1, False, 1)
    assert "nothing happened" in info["calls"][0]["error"]
    assert played({"name": "click", "arguments": {"element": "buy now", "x": 1}}, compat=compat)[2] is False


def test_what_was_to_follow_a_purchase_is_left_out():
    info = played("\n".join([*BUY, "search[more]", "click[b01]"]))[4]
    assert [call["name"] for call in info["calls"]] == ["search", *["click"] * 4, FINISH]


def test_finish_without_purchase_earns_nothing():
    info = played("search[tea cup]", DONE)[4]
    assert (info["verdict"]["score"], info["verdict"]["metrics"]["success"]) == (0.0, False)


@pytest.mark.parametrize(
    ("skipped", "reward", "compat"),
    [
        ("click[m]", 0.75, None),
        ("click[peppermint]", 0.75, None),
        # The original takes the mint out of peppermint, and then misses it.
        ("", 0.75, "original"),
        ("click[peppermint]", 0.75, "original"),
    ],
)
def test_each_part_that_is_missed_costs_its_share(skipped: str, reward: float, compat: Any):
    actions = [action for action in BUY if action != skipped]
    _, earned, _, _, info = played(*actions, compat=compat)
    assert earned == reward
    assert info["verdict"]["status"] == "unsolved"
    assert info["verdict"]["metrics"]["success"] == 1.0


def test_a_later_choice_replaces_an_earlier_one():
    assert played(*BUY[:2], "click[s]", *BUY[2:])[1] == 1.0
    assert played(*BUY[:-1], "click[s]", BUY[-1])[1] == 0.75


def test_pages_keep_and_forget_what_the_original_does():
    env = env_of()
    for action in [*BUY[:3], "click[description]", "click[< prev]"]:
        env.step(action)
    assert env.snapshot().backend.options == {"size": "m"}
    env.step("click[< prev]")
    session = env.snapshot().backend
    assert (session.kind, session.options, session.visited) == ("results", {}, frozenset({"B03"}))
    env.step("search[blue]")
    assert env.snapshot().backend.visited == {"B03"}
    env.step("click[back to search]")
    assert env.snapshot().backend.visited == frozenset()


@pytest.mark.parametrize(("compat", "page"), [(None, 2), ("original", 4)])
def test_there_is_a_next_page_without_end_only_in_the_originals_mode(compat: Any, page: int):
    env = env_of(compat=compat)
    env.step("search[tea cup]")
    results = [env.step("click[next >]")[0] for _ in range(3)]
    assert env.snapshot().backend.page == page
    assert ("Next >" in results[-1]["result"].split("error")[-1]) == (compat is not None)


def test_pages_are_rich_by_default_and_plain_in_the_originals_mode():
    assert "[button] Back to Search [button_]" in env_of().step("search[cup]")[0]["result"]
    assert "Instruction: [SEP] i want" in env_of(compat="original").step("search[cup]")[0]["result"]


def test_an_error_names_what_can_be_clicked():
    info = played("click[anything]")[4]
    assert "search first" in info["calls"][0]["error"]
    info = played("search[cup 3]", "click[b99]")[4]
    assert "click one of 'back to search', 'next >', 'b03', 'b00'" in info["calls"][0]["error"]


@pytest.mark.parametrize(("query", "count"), [("<r>", 12), ("<c> home", 0), ("<q> cups", 12), ("spoon", 0)])
def test_special_searches_find_what_they_stand_for(query: str, count: int):
    env = env_of()
    env.step(f"search[{query}]")
    first = env.snapshot().backend.found
    assert len(first) == count
    env.step(f"search[{query}]")
    again = env.snapshot().backend.found
    assert (first == again) == (query != "<r>")


def test_plurals_find_singulars():
    env = env_of()
    env.step("search[teas cups 7]")
    assert len(env.snapshot().backend.found) == 12


def test_a_page_can_be_read_by_a_person(capsys: pytest.CaptureFixture[str]):
    env: Any = gym.make("stb/WebShop-v1", data=ONE, catalogue=SHOP, render_mode="ansi").unwrapped
    env.reset(seed=0)
    for action in BUY[:3]:
        env.step(action)
    page = env.render()
    assert " WebShop: item" in page
    assert " Wanted: i want a hand made tea cup with glaze: peppermint, and size: m" in page
    assert " [s]  [*m]" in page
    assert max(map(len, page.split("\n"))) <= 78
    env.step(BUY[-1])
    assert "Bought: Blue Tea Cup 3 for 8.0\n   size: m\n   Reward: 0.750" in env.render()
    human = env_of(render_mode="human")
    human.render()
    assert capsys.readouterr().out.startswith("═")
    assert env_of().render() is None


@pytest.mark.parametrize("action", ["search[" * 100_000, "a[" * 200_000 + "]", "[" * 300_000 + "]" * 300_000])
@pytest.mark.parametrize("compat", [None, "original"])
def test_brackets_without_end_take_no_time(action: str, compat: Any):
    env = env_of(compat=compat)
    assert len(drive(env.rules.advance(env.task, {}, env.snapshot(), action)).result) < 70_000


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"page_text": "html"}, "page_text must be None, 'text' or 'text_rich', got 'html'"),
        ({"program": True, "compat": "original"}, "leave out program=True"),
        ({"data": "/nowhere", "goals": "real"}, "goals must be 'synthetic' or 'human', got 'real'"),
    ],
)
def test_settings_that_only_a_shop_has_are_checked(settings_: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        make(**settings_)


def test_an_action_beyond_the_bounds_is_not_read() -> None:
    env = env_of()
    call = {"id": "c", "function": {"name": "search", "arguments": '{"query": [' + "1," * 100_000 + "1]}"}}
    began = process_time()
    assert "too large" in env.step({"tool_calls": [call] * 300})[0]["result"]
    assert process_time() - began < 0.5
    assert env.read({"tool_calls": [call] * 300}).problem
