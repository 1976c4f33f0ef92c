"""A service of somebody's own becomes a benchmark that needs the service no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.saved_episodes import read_trajectories
from tests.command import reported, stb
from tests.fakes.shop_service import Shop
from tests.saved import unbound

QUERIES = [
    {
        "id": "pot",
        "query": "What does item 1 cost?",
        "gold": [{"name": "get_item", "arguments": {"item": 1}}],
        "check": {"number": 5},
    },
    {
        "id": "none",
        "query": "Is there an item 7?",
        "gold": [{"name": "get_item", "arguments": {"item": 7}}],
        "answer": "No, there is no such item.",
        "check": {"contains": "no such item"},
    },
    {
        "id": "words",
        "query": "Search for a cup and a pot.",
        "gold": [{"name": "search_search_get", "arguments": {"words": ["cup", "pot"], "most": 2}}],
        "check": {"json": {"words": ["cup", "pot"], "most": 2, "lang": "en", "seen": ""}},
    },
]


def play(folder: Path, mode: str, cache: str, out: str) -> list[str]:
    options = ("--tools", folder / "catalog.json", "--data", folder / "queries.jsonl", "--agent", "gold")
    reported(
        "run", "stb/Tools-v0", *options, "--mode", mode, "--cache", folder / cache, "--out", folder / out
    )
    return saved(folder / out)


def saved(run: Path) -> list[str]:
    """Return what a run saved, but for its identity: modes are a part of that."""
    return [*unbound(run), (run / "summary.json").read_text(encoding="utf-8")]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a catalogue, queries and a frozen cache; the service is gone."""
    folder = tmp_path_factory.mktemp("own")
    lines = "".join(json.dumps(query) + "\n" for query in QUERIES)
    (folder / "queries.jsonl").write_text(lines, encoding="utf-8")
    with Shop().running() as shop:
        reported("tools", "import", f"{shop.url}/openapi.json", "--out", folder / "catalog.json")
        for out in ("first", "second"):
            play(folder, "record", "cache", out)
        asked = [one for one in shop.asked if not one.startswith("HEAD")]
        assert len(asked) == 1 + len(QUERIES), "the document, and each call once"
    reported("cache", "snapshot", "--cache", folder / "cache", "--out", folder / "frozen")
    return folder


def test_replays_without_the_service_are_the_recorded_run_to_the_byte(frozen: Path):
    recorded = saved(frozen / "second")
    assert json.loads(recorded[-1])["solved"] == len(QUERIES)
    for out in ("replay", "again"):
        assert play(frozen, "replay", "frozen", out) == recorded


def test_what_was_answered_when_it_was_recorded_differs_only_in_who_answered(frozen: Path):
    first, second = (read_trajectories(frozen / out) for out in ("first", "second"))
    calls = [
        [call for one in played for step in one.steps for call in step["calls"]] for played in (first, second)
    ]
    assert [{call["source"] for call in run} - {"env"} for run in calls] == [{"real"}, {"cache"}]
    for call in (*calls[0], *calls[1]):
        for name in ("source", "origin", "key"):
            call.pop(name, None)
    assert first == second


def test_a_run_says_of_each_recorded_call_which_key_found_it(frozen: Path):
    arguments = [{"words": ["cup", "pot"], "most": 2}, {"most": 2, "words": ["cup", "pot"]}]
    golds = [{"name": "search_search_get", "arguments": each} for each in arguments]
    lines = [json.dumps({"query": "Search.", "gold": [gold], "check": QUERIES[2]["check"]}) for gold in golds]
    (frozen / "orders.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = ("--tools", frozen / "catalog.json", "--data", frozen / "orders.jsonl", "--agent", "gold")
    replay = ("--mode", "replay", "--cache", frozen / "frozen", "--out", frozen / "orders")
    assert reported("run", "stb/Tools-v0", *options, *replay)["solved"] == 2
    made = [step["calls"][0] for one in read_trajectories(frozen / "orders") for step in one.steps]
    assert [(call["source"], call.get("key")) for call in made] == [
        ("cache", "exact"),
        ("env", None),
        ("cache", "canonical"),
        ("env", None),
    ]


def test_a_call_that_was_never_recorded_is_a_miss_and_no_answer(frozen: Path):
    other = {"query": "And item 2?", "gold": [{"name": "get_item", "arguments": {"item": 2}}]}
    (frozen / "other.jsonl").write_text(json.dumps(other), encoding="utf-8")
    options = ("--tools", str(frozen / "catalog.json"), "--data", str(frozen / "other.jsonl"), "--json")
    replay = ("--mode", "replay", "--cache", str(frozen / "frozen"), "--judge", "heuristic")
    done = stb("run", "stb/Tools-v0", *options, *replay)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["failures"] == {"cache_miss": 1}
