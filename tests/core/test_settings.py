"""Settings: what is refused, in which words, and what is none of the checker's business."""

from __future__ import annotations

import inspect
import timeit
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypedDict, TypeVar, Unpack, get_type_hints

import gymnasium as gym
import numpy as np
import pytest

from stb_env.core.kinds import AtLeast, Count, kinds_of
from stb_env.core.settings import check_settings, checks_settings
from stb_env.envs.env_settings import OpenSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.suite import suites
from stb_env.suites.sandbox.env import make as make_sandbox
from stb_env.tasks import TaskSource

T = TypeVar("T")


class Further(TypedDict, total=False):
    size: Count
    mode: Literal["fast", "slow"] | None


class Plain:
    pass


class Shape(Protocol):
    def area(self) -> float: ...


def taking(hint: Any) -> Callable[..., None]:
    def made(x: Any) -> None: ...

    made.__annotations__["x"] = hint
    return made


def check(hint: Any, value: Any) -> None:
    check_settings(taking(hint), {"x": value}, "it")


REFUSED = [
    (int, "3", r"^x must be a whole number, got '3'$"),
    (int, 3.0, r"^x must be a whole number, got 3\.0$"),
    (int, True, r"^x must be a whole number, got True$"),
    (int, None, r"^x must be a whole number, got None$"),
    (float, "0.5", r"^x must be a number, got '0\.5'$"),
    (float, False, r"^x must be a number, got False$"),
    (bool, 1, r"^x must be true or false, got 1$"),
    (str, 5, r"^x must be text, got 5$"),
    (str | None, 5, r"^x must be None or text, got 5$"),
    (Path, "here", r"^x must be a path, got 'here'$"),
    (str | Path | None, 5, r"^x must be None or a path, got 5$"),
    (Count, 0, r"^x must be at least 1, got 0$"),
    (Annotated[float, AtLeast(0)] | None, -0.5, r"^x must be at least 0, got -0\.5$"),
    (Literal["test", "train"], "tset", r"^x must be 'test' or 'train', got 'tset'\. Did you mean 'test'\?$"),
    (Literal["a", 1] | None, True, r"^x must be None, 'a' or 1, got True$"),
    (Literal["own"] | int, [], r"^x must be 'own' or a whole number, got \[\]$"),
    (tuple[int, int], [1], r"^x must be a list of 2 values, got \[1\]$"),
    (tuple[int, int], (0, "n"), r"^x must be a list of 2 values, got \(0, 'n'\)$"),
    (tuple[int, int], 3, r"^x must be a list of 2 values, got 3$"),
    (Sequence[str], "abc", r"^x must be a list, got 'abc'$"),
    (list[str], {"a": 1}, r"^x must be a list, got \{'a': 1\}$"),
    (Iterable[str] | str, 3, r"^x must be a list or text, got 3$"),
    (Mapping[str, int], ["a"], r"^x must be a table, got \['a'\]$"),
    (Callable[[int], int], 3, r"^x must be a function, got 3$"),
    (Plain, Plain, r"^x must be a Plain, got <class '.*Plain'>$"),
    (TaskSource, "tasks.json", r"^x must be a TaskSource, got 'tasks\.json'$"),
    (Shape | None, {"area": 1}, r"^x must be None or a Shape, got \{'area': 1\}$"),
    (str, b"x" * 500, r"^x must be text, got b'x{78}\.\.\.$"),
]

TAKEN = [
    (int, np.int64(3)),
    (float, 3),
    (float, np.float32(0.5)),
    (bool, False),
    (Path, Path("here")),
    (str | Path, "here"),
    (Count, 1),
    (Literal["test"] | None, None),
    (tuple[int, int], [0, 2]),
    (tuple[int, ...], (1, 2, 3)),
    (Sequence[str], ("a", "b")),
    (Iterable[str], {"a"}),
    (Iterable[str], (letter for letter in "ab")),
    (Mapping[str, int], {"a": "unchecked"}),
    (Callable[[int], int], abs),
    (Plain, Plain()),
    (Shape, Plain()),
    (Any, object()),
    (T, 5),
    (object, 5),
]


@pytest.mark.parametrize(("hint", "value", "message"), REFUSED)
def test_a_wrong_value_says_what_is_taken_and_what_was_got(hint: Any, value: Any, message: str):
    with pytest.raises(ConfigError, match=message):
        check(hint, value)


@pytest.mark.parametrize(("hint", "value"), TAKEN)
def test_a_value_that_fits_is_let_through(hint: Any, value: Any):
    check(hint, value)


def test_checking_a_list_reads_nothing_of_it():
    letters = iter("ab")
    check(Iterable[str], letters)
    assert list(letters) == ["a", "b"]


def test_a_default_may_be_of_another_type():
    def made(size: int = None) -> None: ...  # type: ignore[assignment] # noqa: RUF013 (as people write)

    check_settings(made, {"size": None}, "it")
    with pytest.raises(ConfigError, match=r"^size must be a whole number, got 'x'$"):
        check_settings(made, {"size": "x"}, "it")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"siez": 3}, r"^it has no setting 'siez'; it takes name, size, mode\. Did you mean 'size'\?$"),
        ({}, r"^it needs the setting 'name'$"),
        ({"name": "a", "size": 0}, r"^size must be at least 1, got 0$"),
        ({"name": "a", "mode": "fats"}, r"^mode must be None, 'fast' or 'slow', got 'fats'\. .* 'fast'\?$"),
    ],
)
def test_unpacked_settings_count_as_settings_of_their_own(settings: dict[str, Any], message: str):
    def made(name: str, **further: Unpack[Further]) -> None: ...

    with pytest.raises(ConfigError, match=message):
        check_settings(made, settings, "it")


def test_any_settings_are_left_to_who_gets_them():
    def made(size: int = 1, **rest: Any) -> None: ...

    check_settings(made, {"anything": 5}, "it")
    with pytest.raises(ConfigError, match=r"^size must be a whole number, got '1'$"):
        check_settings(made, {"size": "1"}, "it")


def test_annotations_that_cannot_be_read_leave_the_names():
    def made(size: Nowhere) -> None: ...  # type: ignore[name-defined] # noqa: F821 (that is the case)

    check_settings(made, {"size": "x"}, "it")
    with pytest.raises(ConfigError, match=r"^it has no setting 'sice'; it takes size\. "):
        check_settings(made, {"sice": 1}, "it")


def test_a_type_that_is_only_partly_known_is_not_checked():
    assert kinds_of(int | T) == ()


class Made:
    """A class whose constructor is checked."""

    @checks_settings
    def __init__(self, size: int, *, mode: Literal["fast", "slow"] = "fast") -> None:
        """Keep what was given."""
        self.size, self.mode = size, mode


def test_a_checked_constructor_takes_positions_and_names():
    assert (Made(3).size, Made(size=3, mode="slow").mode) == (3, "slow")
    with pytest.raises(ConfigError, match=r"^size must be a whole number, got 'x'$"):
        Made("x")  # type: ignore[arg-type] # that is the case
    with pytest.raises(ConfigError, match=r"^Made has no setting 'sise'; it takes size, mode\. "):
        Made(sise=3)  # type: ignore[call-arg] # that is the case


def test_a_checked_function_looks_as_it_was_written():
    def made(size: Count = 1, **further: Unpack[Further]) -> int:
        """Return the size."""
        return size

    checked = checks_settings(made)
    assert inspect.signature(checked) == inspect.signature(made)
    assert (checked.__name__, checked.__doc__, checked.__module__) == ("made", "Return the size.", __name__)
    assert checked(2) == 2


WRONG = [
    ({"max_trns": 3}, r"^the environment has no setting 'max_trns'; it takes .* Did you mean 'max_turns'\?$"),
    ({"max_turns": "x"}, r"^max_turns must be a whole number, got 'x'$"),
    ({"max_turns": 0}, r"^max_turns must be at least 1, got 0$"),
    ({"render_mode": "rgb"}, r"^render_mode must be None, 'ansi', 'html' or 'human'"),
    ({"shard": 3}, r"^shard must be a list of 2 values, got 3$"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
@pytest.mark.parametrize(
    "env_id", ["stb/Sandbox-v1", "stb/I1Tool-v0", "stb/APIBankCall-v1", "stb/HomeSearch-v1"]
)
def test_gymnasium_makes_nothing_of_a_wrong_setting(env_id: str, settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        gym.make(env_id, **settings)


def test_a_setting_that_another_environment_has_is_refused():
    with pytest.raises(ConfigError, match=r"^the environment has no setting 'data'; it takes split, group, "):
        gym.make("stb/Sandbox-v1", data=5)


@pytest.mark.parametrize("env_id", [env_id for suite in suites() for env_id in suite.environments])
def test_every_environment_checks_its_settings(env_id: str):
    with pytest.raises(ConfigError, match=r"^(the environment|ToolEnv) has no setting 'max_trns'; it takes "):
        gym.make(env_id, max_trns=3)


def test_what_makers_pass_on_is_what_an_environment_takes():
    taken = get_type_hints(ToolEnv.__init__, include_extras=True)
    passed = get_type_hints(OpenSettings, include_extras=True)
    assert passed == {name: taken[name] for name in passed}


@pytest.mark.serial
def test_checking_costs_less_than_a_fifth_of_a_millisecond():
    settings = {"split": "train", "max_turns": 8, "votes": 1, "reward": "dense", "order": "random"}

    def seconds() -> float:
        return min(timeit.repeat(lambda: check_settings(make_sandbox, settings, "it"), number=100, repeat=5))

    assert seconds() / 100 < 0.0002
