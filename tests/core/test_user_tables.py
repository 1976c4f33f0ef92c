"""Tables that users write are checked, and every mistake in them is named with its place."""

from __future__ import annotations

import traceback
from typing import Any, Required

import pytest
from typing_extensions import TypedDict

from stb_env.core.user_tables import checked
from stb_env.errors import ConfigError


class Player(TypedDict, total=False):
    name: Required[str]
    level: float
    tags: list[str]
    settings: dict[str, Any]


class Game(TypedDict, total=False):
    rounds: int
    fair: bool
    player: list[Player]
    worlds: dict[str, Player]


GOOD: dict[str, Any] = {"rounds": 3, "player": [{"name": "a", "level": 1, "settings": {"any": [1, "b"]}}]}


def test_a_good_table_comes_back_as_it_is():
    assert checked(Game, GOOD, "g.toml") is GOOD
    assert type(GOOD["player"][0]["level"]) is int


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("no table", "g.toml must be a table, got text"),
        (
            {"round": 3},
            "g.toml has no setting 'round'; it takes rounds, fair, player, worlds. Did you mean 'rounds'?",
        ),
        ({"rounds": True}, "rounds of g.toml must be a whole number, got True"),
        ({"rounds": 3.0}, "rounds of g.toml must be a whole number, got 3.0"),
        ({"fair": 1}, "fair of g.toml must be true or false, got 1"),
        ({"rounds": [3]}, "rounds of g.toml must be a whole number, got a list"),
        ({"player": {"name": "a"}}, "player of g.toml must be a list, got a table"),
        ({"player": [{}]}, "[[player]] number 1 in g.toml needs a setting 'name'; it has none"),
        (
            {"player": [{"nam": "a"}]},
            "[[player]] number 1 in g.toml has no setting 'nam'; it takes name, level, tags, settings. "
            "Did you mean 'name'?",
        ),
        (
            {"player": [{"name": "a", "level": "1"}]},
            "level of [[player]] number 1 in g.toml must be a number, got '1'",
        ),
        (
            {"player": [{"name": "a", "tags": ["x", 2]}]},
            "entry 2 of tags of [[player]] number 1 in g.toml must be text, got 2",
        ),
        ({"player": [{"name": "a"}, 3]}, "[[player]] number 2 in g.toml must be a table, got a whole number"),
        (
            {"player": [{"name": "a", "settings": 3}]},
            "[player.settings] in g.toml must be a table, got a whole number",
        ),
        ({"worlds": {"b/c": {"name": 1}}}, 'name of [worlds."b/c"] in g.toml must be text, got 1'),
        (
            {"api_key": "sk"},
            "g.toml has no setting 'api_key'; a key belongs in the environment, and api_key_env names its "
            "variable; it takes rounds, fair, player, worlds.",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(table: Any, message: str):
    with pytest.raises(ConfigError) as caught:
        checked(Game, table, "g.toml")
    assert str(caught.value) == message


@pytest.mark.parametrize("table", [{"api_key": "sk-1"}, {"player": ["sk-1"]}, {"rounds": ["sk-1"]}, "sk-1"])
def test_what_may_be_a_key_is_nowhere_in_the_error(table: Any):
    with pytest.raises(ConfigError) as caught:
        checked(Game, table, "g.toml")
    assert "sk-1" not in "".join(traceback.format_exception(caught.value))
