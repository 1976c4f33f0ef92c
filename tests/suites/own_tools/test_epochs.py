"""Reads after writes are right for services with state, in every mode."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.saved_episodes import read_trajectories
from tests.command import reported, stb
from tests.fakes.order_desk import OrderDesk, basket

Call = tuple[str, dict[str, Any]]


@pytest.fixture
def desk() -> Iterator[OrderDesk]:
    with OrderDesk().running() as desk:
        yield desk


def write_queries(file: Path, *plays: list[Call]) -> None:
    """Write a query for each list of calls, which are its gold."""
    lines = [
        {
            "id": f"q{number}",
            "query": f"Do number {number}.",
            "gold": [{"name": name, "arguments": arguments} for name, arguments in calls],
            "answer": "Done.",
            "check": {"equals": "Done."},
        }
        for number, calls in enumerate(plays, 1)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def play(folder: Path, mode: str, out: str, *options: object) -> list[list[tuple[str, Any]]]:
    """Play the gold calls of queries.jsonl; return source and response of each call, by episode."""
    given = ("--tools", folder / "catalog.json", "--data", folder / "queries.jsonl", "--agent", "gold")
    reported("run", "stb/Tools-v0", *given, "--mode", mode, "--out", folder / out, *options)
    return [
        [
            (call["source"], call["response"])
            for step in episode.steps
            for call in step["calls"]
            if call["name"] != "Finish"
        ]
        for episode in read_trajectories(folder / out)
    ]


def imported(desk: OrderDesk, folder: Path) -> None:
    reported("tools", "import", f"{desk.url}/openapi.json", "--out", folder / "catalog.json")


def order(number: int, status: str = "new") -> dict[str, Any]:
    return {"number": number, "item": "tea", "status": status}


LIFE: list[Call] = [
    ("list_orders", {}),
    ("add_order", {"item": "tea"}),
    ("list_orders", {}),
    ("get_order", {"number": 1}),
    ("change_order", {"number": 1, "status": "paid"}),
    ("get_order", {"number": 1}),
    ("get_order", {"number": 1}),
    ("drop_order", {"number": 1}),
    ("list_orders", {}),
]
LIVED = [
    [],
    order(1),
    [order(1)],
    order(1),
    order(1, "paid"),
    order(1, "paid"),
    order(1, "paid"),
    {"status": 204},
    [],
]


def test_reads_after_writes_are_right_live_recorded_and_replayed(tmp_path: Path, desk: OrderDesk):
    imported(desk, tmp_path)
    write_queries(tmp_path / "queries.jsonl", LIFE)
    cache = ("--cache", tmp_path / "cache")
    live = play(tmp_path, "live", "live")
    assert [response for _, response in live[0]] == LIVED
    assert len(desk.asked) == len(LIFE) - 1, "an equal read of the same epoch is not sent again"
    recorded = play(tmp_path, "record", "record", *cache)
    assert [response for _, response in recorded[0]] == LIVED
    reported("cache", "snapshot", *cache, "--out", tmp_path / "frozen")
    exported = stb("cache", "export", *cache, "--out", tmp_path / "export")
    assert exported.exit_code != 0
    assert "depend on the calls before them" in exported.stderr
    desk.asked.clear()
    for place in ("cache", "frozen"):
        replayed = play(tmp_path, "replay", f"replay-{place}", "--cache", tmp_path / place)
        assert replayed == [[("cache", response) for response in LIVED]]
    assert not desk.asked


def test_equal_writes_are_made_each_time(tmp_path: Path, desk: OrderDesk):
    imported(desk, tmp_path)
    write_queries(tmp_path / "queries.jsonl", [("add_order", {"item": "tea"})] * 2 + [("list_orders", {})])
    expected = [order(1), order(2), [order(1), order(2)]]
    cache = ("--cache", tmp_path / "cache")
    assert play(tmp_path, "record", "first", *cache) == [[("real", response) for response in expected]]
    assert play(tmp_path, "replay", "second", *cache) == [[("cache", response) for response in expected]]


def test_a_new_read_after_a_recorded_write_finds_the_write_in_the_service(tmp_path: Path, desk: OrderDesk):
    imported(desk, tmp_path)
    cache = ("--cache", tmp_path / "cache")
    write_queries(tmp_path / "queries.jsonl", [("add_order", {"item": "tea"})])
    play(tmp_path, "record", "first", *cache)
    desk.orders.clear()
    write_queries(tmp_path / "queries.jsonl", [("add_order", {"item": "tea"}), ("list_orders", {})])
    assert play(tmp_path, "record", "second", *cache) == [[("cache", order(1)), ("real", [order(1)])]]
    assert play(tmp_path, "replay", "third", *cache) == [[("cache", order(1)), ("cache", [order(1)])]]


def test_a_basket_by_mcp_is_read_after_it_was_written(tmp_path: Path):
    cache = ("--cache", tmp_path / "cache")
    write_queries(tmp_path / "queries.jsonl", [("look", {}), ("put", {"item": "tea"}), ("look", {})])
    expected = [{"items": []}, {"items": ["tea"]}, {"items": ["tea"]}]
    with basket() as url:
        reported("tools", "import", "--mcp", url, "--out", tmp_path / "catalog.json")
        assert play(tmp_path, "record", "first", *cache) == [[("real", response) for response in expected]]
    assert play(tmp_path, "replay", "second", *cache) == [[("cache", response) for response in expected]]


def test_functions_that_only_read_share_an_epoch(tmp_path: Path):
    functions = [{"name": "weather", "description": "Weather now.", "reads": True}, {"name": "book"}]
    (tmp_path / "functions.json").write_text(json.dumps(functions), encoding="utf-8")
    reported("tools", "import", tmp_path / "functions.json", "--out", tmp_path / "catalog.json")
    catalog = json.loads((tmp_path / "catalog.json").read_text(encoding="utf-8"))
    assert [tool["source"] for tool in catalog["tools"]] == [{"reads": True}, {}]


ADDED: list[Call] = [("add_order", {"item": "tea"}), ("list_orders", {})]
DROPPED: list[Call] = [*ADDED, ("drop_order", {"number": 1}), ("list_orders", {})]


@pytest.mark.heavy
def test_a_service_with_a_reset_is_fresh_for_each_episode_also_for_several_at_once(
    tmp_path: Path, desk: OrderDesk
):
    reset = ("--reset", "post /testing/reset")
    found = reported(
        "tools", "import", f"{desk.url}/openapi.json", *reset, "--out", tmp_path / "catalog.json"
    )
    assert len(found["tools"]) == 5
    assert not any("reset" in name for name in found["tools"])
    write_queries(tmp_path / "queries.jsonl", LIFE, DROPPED, ADDED, [("list_orders", {})])
    dropped = [order(1), [order(1)], {"status": 204}, []]
    expected = [LIVED, dropped, dropped[:2], [[]]]
    cache = ("--cache", tmp_path / "cache")
    for number, options in enumerate([(), ("--concurrency", 4)]):
        live = play(tmp_path, "live", f"live-{number}", *options)
        assert [[response for _, response in episode] for episode in live] == expected
    assert desk.asked.count("POST /testing/reset") >= 8
    recorded = play(tmp_path, "record", "record", "--concurrency", 2, *cache)
    assert [[response for _, response in episode] for episode in recorded] == expected
    replayed = play(tmp_path, "replay", "replay", *cache)
    assert replayed == [[("cache", response) for response in episode] for episode in expected]


@pytest.mark.heavy
def test_a_basket_by_mcp_that_is_a_program_starts_again_for_each_episode(tmp_path: Path):
    program = shlex.join([sys.executable, "-m", "tests.fakes.order_desk"])
    catalog = ("--reset", "restart", "--out", tmp_path / "catalog.json")
    reported("tools", "import", "--mcp", program, *catalog)
    put: list[Call] = [("put", {"item": "tea"}), ("look", {})]
    write_queries(tmp_path / "queries.jsonl", put, put)
    played = play(tmp_path, "live", "live", "--set", "start=true")
    assert played == [[("real", {"items": ["tea"]})] * 2] * 2


def test_a_service_without_a_reset_plays_one_episode_at_a_time(tmp_path: Path, desk: OrderDesk):
    imported(desk, tmp_path)
    write_queries(tmp_path / "queries.jsonl", ADDED)
    options = ("--tools", tmp_path / "catalog.json", "--data", tmp_path / "queries.jsonl", "--mode", "live")
    refused = stb("run", "stb/Tools-v0", *options, "--concurrency", 2)
    assert refused.exit_code == 2
    assert "the tools write to a service without a reset" in refused.stderr
    assert not desk.asked


@pytest.mark.parametrize(
    ("reset", "message"),
    [
        ("reset", "--reset takes 'METHOD PATH [JSON]'"),
        ("POST /reset {", "the body of --reset must be JSON"),
        ("restart", "the reset of a source"),
    ],
)
def test_a_wrong_reset_is_refused_when_tools_are_imported(
    tmp_path: Path, desk: OrderDesk, reset: str, message: str
):
    done = stb("tools", "import", f"{desk.url}/openapi.json", "--reset", reset, "--out", tmp_path / "c.json")
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "c.json").exists()
