"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.api import SERVICE, render
from stb_env.suites.sambanova.cat_api.env import make
from stb_env.suites.sambanova.cat_api.judge import AccountJudge
from stb_env.suites.sambanova.cat_api.tasks import cat_task, tasks_of
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, ToolCall

BASE = "https://api.thecatapi.com/v1"
DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}
FAVOURITES = ("q7", "aa")
CALLS = {
    "delete": ToolCall("delete_favourite", {"image_id": "q7"}),
    "add": ToolCall("add_favourite", {"image_id": "zx1"}),
    "list": ToolCall("list_favourites", {}),
    "up": ToolCall("vote_up", {"image_id": "zx1"}),
    "down": ToolCall("vote_down", {"image_id": "zx1"}),
    "search": ToolCall("search_images", {"limit": 3, "breed_ids": "beng", "order": "ASC"}),
}
LABELS = {
    kind: render(SERVICE.by_name[call.name], call.arguments)
    for kind, call in CALLS.items()
    if not isinstance(call.arguments, str)
}
PROGRAMS = [tasks_of("train").at(index).goal["labels"][0] for index in range(60)]


def task_of(kind: str) -> Task:
    return cat_task("1", "test", f"goal {kind}", CALLS[kind], (LABELS[kind],), FAVOURITES)


def env_of(kind: str, **options: Any) -> ToolEnv:
    env = make(data=TaskSet([task_of(kind)]), **options)
    env.reset(seed=0)
    return env


def judged(kind: str, *actions: Any, **options: Any) -> dict[str, Any]:
    env = env_of(kind, **options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    info = env.step(actions[-1])[4]
    return info["verdict"] | info["verdict"]["metrics"]


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("compat", [None, "original"])
def test_each_kind_is_solved_as_a_command_and_as_a_call(kind: str, compat: str | None):
    call = {"name": CALLS[kind].name, "arguments": CALLS[kind].arguments}
    for verdict in (
        judged(kind, LABELS[kind], DONE, compat=compat),
        judged(kind, LABELS[kind], program=True, compat=compat),
        judged(kind, call, DONE, compat=compat),
    ):
        assert (verdict["status"], verdict["executable"], verdict["f1"]) == ("solved", True, 1.0)
        assert verdict["judge"] == ("original" if compat else "exact")


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        ("delete", f'curl -s -X DELETE "{BASE}/favourites/q7" -H "x-api-key: k";'),
        ("delete", f"curl -X DELETE '{BASE}/favourites/101'"),
        ("add", f"curl '{BASE}/favourites' -d '{{\"image_id\" : \"zx1\"}}'"),
        ("add", f'curl {BASE}/favourites -d "{{\\"image_id\\": \\"zx1\\"}}"'),
        ("up", f'curl \'{BASE}/votes\' -d \'{{"value": 1, "image_id": "zx1"}}\''),
        ("down", f'curl \'{BASE}/votes\' -d \'{{"value": 0, "image_id": "zx1"}}\''),
        ("list", f"curl '{BASE}/favourites'"),
        ("search", f"curl '{BASE}/images/search?order=ASC&limit=3&breed_ids=beng&size=med'"),
        ("search", 'API.search_images(3, "beng", order="ASC")'),
        ("search", f"curl '{BASE}/images/search?order=ASC&limit=3&breed_ids=beng&size=full'"),
        ("search", f"curl '{BASE}/images/search?order=ASC&limit=3&breed_ids=BENG'"),
        ("search", f"curl -G '{BASE}/images/search' -d order=ASC -d limit=3 -d breed_ids=beng"),
    ],
)
def test_other_ways_to_the_same_end_are_solved(kind: str, action: str):
    assert judged(kind, action, DONE)["status"] == "solved"


SEARCH = f"curl '{BASE}/images/search?breed_ids=beng&order=ASC'"


@pytest.mark.parametrize(
    ("label", "action", "success"),
    [
        (SEARCH, SEARCH, True),
        (SEARCH, SEARCH[:-1] + "&limit=5'", True),
        (SEARCH, SEARCH[:-1] + "&limit=100&size=full'", True),
        (SEARCH, SEARCH.replace("beng", "siam"), False),
        (SEARCH, SEARCH.replace("breed_ids=beng&", ""), False),
        (SEARCH, SEARCH[:-1] + "&limit=5&mime_types=gif'", False),
        (SEARCH, SEARCH.replace("ASC", "DESC"), False),
        (SEARCH, SEARCH[:-1] + "&limit=0'", False),
        (SEARCH[:-1] + "&limit=3'", SEARCH[:-1] + "&limit=4'", False),
        (SEARCH[:-1] + "&limit=3'", SEARCH, False),
        (SEARCH[:-1] + "&size=full'", SEARCH, False),
    ],
)
def test_what_a_search_leaves_open_is_not_judged_and_what_it_names_is(label: str, action: str, success: bool):
    task = cat_task("1", "test", "goal", CALLS["search"], (label,), FAVOURITES)
    env = make(data=TaskSet([task]), program=True)
    env.reset(seed=0)
    assert env.step(action)[4]["verdict"]["metrics"]["success"] == success


@pytest.mark.parametrize(
    ("kind", "action", "executable", "f1"),
    [
        ("delete", LABELS["delete"].replace("q7", "aa"), True, 0.0),
        ("delete", LABELS["delete"].replace("q7", "zz"), False, 0.0),
        ("delete", LABELS["delete"].replace("DELETE", "delete"), False, 0.0),
        ("add", LABELS["add"].replace("zx1", "zx2"), True, 0.0),
        ("add", LABELS["add"].replace("image_id", "image"), False, 0.0),
        ("up", LABELS["down"], True, 0.0),
        ("up", LABELS["up"].replace(":1}", ":5}"), False, 0.0),
        ("list", f"curl '{BASE}/votes'", True, 0.0),
        ("list", LABELS["add"], True, 0.0),
        ("search", LABELS["search"].replace("limit=3", "limit=2"), True, 0.8),
        ("search", LABELS["search"].replace("beng", "Bengal"), True, 0.0),
        ("search", LABELS["search"].replace("ASC", "up"), False, 0.0),
        ("search", LABELS["search"].replace("limit=3", "limit=3&colour=red"), False, 0.0),
        ("search", "I see three cats.", False, 0.0),
        ("list", "", False, 0.0),
    ],
)
def test_any_other_end_is_not_solved(kind: str, action: str, executable: bool, f1: float):
    verdict = judged(kind, action, program=True)
    assert (verdict["status"], verdict["executable"]) == ("unsolved", executable)
    assert verdict["f1"] == pytest.approx(f1)


def test_looking_first_and_mending_a_mistake_are_allowed():
    assert judged("delete", LABELS["list"], LABELS["delete"], DONE)["status"] == "solved"
    mended = judged("add", LABELS["add"].replace("image_id", "image"), LABELS["add"], DONE)
    assert (mended["success"], mended["executable"]) == (True, False)


def test_more_than_was_asked_for_is_not_solved():
    assert judged("add", LABELS["add"], LABELS["up"], DONE)["precision"] == 0.5
    assert judged("list", LABELS["add"], LABELS["list"], DONE)["status"] == "unsolved"


def test_an_answer_that_is_not_the_last_does_not_count():
    assert judged("search", LABELS["search"], LABELS["list"], DONE)["status"] == "unsolved"


def test_the_original_takes_any_added_image_and_only_the_exact_deletion():
    assert (
        judged("add", LABELS["add"].replace("zx1", "zx2"), program=True, compat="original")["status"]
        == "solved"
    )
    quoted = judged("delete", LABELS["delete"].replace("'", '"'), program=True, compat="original")
    assert (quoted["status"], quoted["executable"]) == ("unsolved", False)


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        (LABELS["search"].replace("ASC", "up"), 2, '\'order\' must be one of "RANDOM", "ASC", "DESC"'),
        (LABELS["search"].replace("limit=3", "limit=0"), 2, "'limit' must be at least 1, got the number 0"),
        (LABELS["search"].replace("limit=3", "limt=3"), 2, "unknown parameter 'limt'. Did you mean 'limit'?"),
        (LABELS["add"].replace(":", ""), 1, "curl: (6) could not resolve the host"),
        (LABELS["add"].replace('"zx1"', "7"), 1, "HTTP 400: INVALID_DATA"),
        (LABELS["delete"].replace("q7", "zz"), 1, "HTTP 404: 404 NOT_FOUND"),
        (
            LABELS["delete"].replace("thecatapi", "cats"),
            1,
            "curl: (6) could not resolve the host 'api.cats.com'",
        ),
        ("curl -X GET", 1, "curl: (2) one address is needed, got 0"),
        ({"name": "vote", "arguments": {}}, 3, "no tool is named 'vote'."),
        ({"name": "vote_up", "arguments": {}}, 2, "missing required parameter 'image_id' (string)"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(action: Any, status: int, error: str):
    observation, _, terminated, _, info = env_of("list").step(action)
    assert (observation["status"], terminated) == (status, False)
    assert error in info["calls"][0]["error"]


@given(st.text(max_size=20))
def test_a_call_and_its_command_are_the_same_request(image_id: str):
    for name in ("add_favourite", "vote_up", "vote_down"):
        command = render(SERVICE.by_name[name], {"image_id": image_id})
        assert SERVICE.typed_label(command) == ToolCall(name, {"image_id": image_id})


def test_a_case_without_its_account_cannot_be_judged():
    with pytest.raises(JudgeError, match="task 1 is judged by its account, got NoneType"):
        drive(AccountJudge().judge(Case(task_of("add"), "", ())))


@given(st.lists(st.sampled_from(["add", "delete", "up", "down", "list"]), max_size=6), st.integers(0, 5))
def test_a_snapshot_brings_the_account_back(kinds: list[str], at: int):
    env = env_of("add", max_turns=50)
    states: list[Account] = []
    kept = env.snapshot()
    for number, kind in enumerate(kinds):
        if number == at:
            kept, states = env.snapshot(), []
        env.step(LABELS[kind])
        states.append(env.snapshot().backend)
    env.restore(kept)
    for kind, state in zip(kinds[at:] if at < len(kinds) else kinds, states, strict=True):
        env.step(LABELS[kind])
        assert env.snapshot().backend == state


def official(folder: Path, *labels: str) -> Path:
    lines = [
        json.dumps({"prompt": "goal", "completion": [label], "compare_string_only": "DELETE" in label})
        for label in labels
    ]
    (folder / "test.jsonl").write_text("\n".join(lines))
    return folder


def test_official_files_are_played_in_both_modes(tmp_path: Path):
    folder = official(tmp_path, *LABELS.values())
    for compat in (None, "original"):
        env = make(data=str(folder), compat=compat, program=True)
        for index, label in enumerate(LABELS.values(), 1):
            env.reset(seed=0, options={"task_id": str(index)})
            assert env.task.goal["compare_string_only"] == ("DELETE" in label)
            assert env.step(label)[1] == 1.0


def test_official_labels_that_do_not_run_are_errors(tmp_path: Path):
    with pytest.raises(DataError, match=r"line 2: the label .* is no request that the service answers"):
        make(data=official(tmp_path, LABELS["add"], LABELS["add"][:-1]))
    with pytest.raises(DataError, match=r"line 1: the label .* is no valid request: 'order' must be one of"):
        make(data=official(tmp_path, LABELS["search"].replace("ASC", "up")))
    with pytest.raises(DataError, match=r"line 1: the label .* has no effect on this account"):
        make(data=official(tmp_path, LABELS["search"].replace("beng", "Bengal")))
    with pytest.raises(DataError, match=r"line 1: the label .* does not run: shell process failed"):
        make(data=official(tmp_path, LABELS["add"][:-1]), compat="original")
