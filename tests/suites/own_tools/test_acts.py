"""Queries that ask for acts: what was done decides, live, recorded and replayed, and a claim is unsolved."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import stb_env
from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile
from stb_env.saved_episodes import read_trajectories
from stb_env.suites.own_tools.queries import line_schema
from tests.command import reported, stb
from tests.conftest import ROOT
from tests.fakes.order_desk import OrderDesk
from tests.fakes.stateful_shop import KEY, StatefulShop
from tests.suites.own_tools.test_tools_env import make


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def write(file: Path, *lines: dict[str, Any]) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for line in lines:
        jsonschema_rs.validate(line_schema(), line)


def play(folder: Path, out: str, *options: object, agent: str = "gold", code: int = 0) -> Any:
    given = ("--tools", folder / "catalog.json", "--data", folder / "queries.jsonl", "--agent", agent)
    done = stb("run", "stb/Tools-v0", *given, "--out", folder / out, *options, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


ORDER = {
    "id": "order",
    "query": "Order one tea.",
    "gold": [call("add_order", item="tea")],
    "answer": {"number": 1},
    "check": [
        {"called": "add_order", "arguments": {"item": "tea"}, "times": 1},
        {"not_called": "drop_order"},
        {"state": "list_orders", "equals": [{"number": 1, "item": "tea", "status": "new"}]},
    ],
}


CITY = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"name": "pick", "description": "Picks a mayor.", "parameters": CITY, "source": {"method": "POST"}},
    {"name": "mayor", "description": "Tells the mayor.", "parameters": CITY, "source": {"method": "GET"}},
]


class Cities:
    """A backend that counts what it is asked."""

    def start(self, _task: Any, _seed: int) -> tuple[str, ...]:
        return ()

    def answer(self, state: tuple[str, ...], tool: Any, call: Any) -> Any:
        city = call.arguments["city"]
        return ({"city": city}, (*state, city)) if tool.name == "pick" else ({"picked": city in state}, state)


def test_a_claim_is_unsolved_and_the_state_is_asked_of_the_backend(tmp_path: Path):
    gold = [call("pick", city="Oslo")]
    check = [
        {"called": "pick"},
        {"state": "mayor", "arguments": {"city": "Oslo"}, "equals": {"picked": True}},
    ]
    write(
        tmp_path / "q.jsonl",
        {"id": "acts", "query": "Pick a mayor of Oslo.", "gold": gold, "answer": "Done.", "check": check},
        {"id": "text", "query": "Pick one.", "gold": gold, "answer": "Done.", "check": {"contains": "done"}},
    )
    catalog = CatalogFile.of({"version": 1, "tools": TOOLS})
    env = stb_env.make("stb/Tools-v0", tools=catalog, data=str(tmp_path / "q.jsonl"), backend=Cities())
    done = {"name": "Finish", "arguments": {"final_answer": "Done."}}
    for task_id in ("acts", "text"):
        # Who asks has done nothing, and who picks elsewhere has done something else.
        for actions, reward in (([], 0), ([call("mayor", city="Oslo")], 0), (gold, 1)):
            env.reset(seed=0, options={"task_id": task_id})
            assert [env.step(action)[1] for action in [*actions, done]][-1] == reward
    env.reset(seed=0, options={"task_id": "acts"})
    env.step(call("pick", city="Rome"))
    verdict = env.step(done)[4]["verdict"]
    assert verdict["votes"][0]["reason"] == (
        'state:mayor: mayor(city=\'Oslo\') is {"picked": false}, wanted equals {"picked": true}'
    )


def test_a_query_that_cannot_be_met_is_solved_by_its_reason_after_a_call(tmp_path: Path):
    look, lacking = [call("mayor", city="Atlantis")], {"reason": "not_found", "what": ["city"]}
    write(
        tmp_path / "q.jsonl",
        {"id": "no", "query": "Is Atlantis picked?", "gold": look, "cannot": lacking},
        {"id": "yes", "query": "Is it picked?", "gold": look, "answer": {"picked": False}},
        {"id": "text", "query": "Is it?", "gold": look, "check": {"contains": "no"}},
        {"id": "who", "query": "Who?", "cannot": {"reason": "not_found", "what": ["mayor"]}},
    )
    catalog = CatalogFile.of({"version": 1, "tools": TOOLS})
    env = stb_env.make("stb/Tools-v0", tools=catalog, data=str(tmp_path / "q.jsonl"), backend=Cities())
    offered = {"not_found": ["city", "mayor"]}
    assert [task.cannot for task in env.tasks] == [offered, offered, None, offered]
    refusal = {"name": "Finish", "arguments": {"cannot": lacking}}
    for task_id, actions, reward in (("no", look, 1), ("no", [], 0), ("yes", look, 0), ("who", [], 0)):
        env.reset(seed=0, options={"task_id": task_id})
        assert [env.step(action)[1] for action in [*actions, refusal]][-1] == reward


@pytest.mark.heavy
def test_the_state_is_asked_after_the_episode_in_every_mode_and_a_claim_is_unsolved(tmp_path: Path):
    write(tmp_path / "queries.jsonl", ORDER)
    recording = ("--cache", tmp_path / "cache", "--mode")
    with OrderDesk().running() as desk:
        reset = ("--reset", "POST /testing/reset")
        reported("tools", "import", f"{desk.url}/openapi.json", *reset, "--out", tmp_path / "catalog.json")
        for mode in (("--mode", "live"), (*recording, "record")):
            assert play(tmp_path, f"gold-{mode[-1]}", *mode)["solved"] == 1
            assert play(tmp_path, f"liar-{mode[-1]}", *mode, agent="red:memorised")["unsolved"] == 1
        assert desk.asked.count("GET /orders") == 2
        given = ("--tools", tmp_path / "catalog.json", "--data", tmp_path / "queries.jsonl")
        fresh = ("--mode", "record", "--cache", tmp_path / "fresh")
        assert reported("validate", "stb/Tools-v0", *given, *fresh, "--red-team", 0)["passed"]
    assert play(tmp_path, "gold", *recording, "replay")["solved"] == 1
    assert play(tmp_path, "liar", *recording, "replay", agent="red:memorised")["unsolved"] == 1
    (episode,) = read_trajectories(tmp_path / "gold")
    assert episode.verdict["parts"] == {
        "answer:number": True,
        "act: add_order": True,
        "kept:drop_order": True,
        "state:list_orders": True,
    }
    (read,) = episode.steps[-1]["reads"]
    assert (read["name"], read["source"]) == ("list_orders", "cache")
    report = reported("validate", "stb/Tools-v0", *given, *recording, "replay", "--red-team", 0)
    assert report["claims"] == {"tasks": 1, "paid": {"claim": [], "sentence": [], "liar": []}}


@pytest.mark.heavy
def test_a_text_alone_is_no_order(tmp_path: Path):
    write(tmp_path / "queries.jsonl", {**ORDER, "answer": "Ordered.", "check": {"contains": "ordered"}})
    with OrderDesk().running() as desk:
        reported("tools", "import", f"{desk.url}/openapi.json", "--out", tmp_path / "catalog.json")
        assert play(tmp_path, "gold", "--mode", "live")["solved"] == 1
        assert play(tmp_path, "liar", "--mode", "live", agent="red:memorised")["unsolved"] == 1


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"caled": "mayor"}, r"line 1: a check has one of called, .*; got caled\. Did you mean 'called'\?$"),
        ({"called": "mayr"}, r"line 1: a check of task '1' calls 'mayr', .* Did you mean 'mayor'\?$"),
        (
            {"called": "mayor", "argumens": {}},
            r"line 1: the check 'called' has no setting 'argumens'; it takes",
        ),
        (
            {"called": "mayor", "times": [3, 1]},
            r"line 1: times of a check is a number, \[2\] for two or more",
        ),
        (
            {"called": "mayor", "arguments": {"town": "x"}},
            r"gives 'mayor' the argument 'town'; it takes city",
        ),
        (
            {"state": "mayor", "arguments": {"city": "x"}},
            r"a check of the state has one of has, equals, error; ",
        ),
        (
            {"state": "mayor", "arguments": {"city": "x"}, "has": 1},
            r"the state is asked with 'mayor', which may write; take a tool that reads, or set",
        ),
        (
            {"called": "mayor", "arguments": {"city": ["x"]}},
            r"gives 'mayor' a wrong argument: 'city' must be a string, got an array of 1$",
        ),
        (
            {"in_order": ["mayor", {"called": "mayor", "arguments": {"city": {}}}]},
            r"gives 'mayor' a wrong argument: 'city' must be a string, got an object$",
        ),
        (
            {"called": "mayor", "times": True},
            r"times of the check 'called' must be a whole number or a list, got True$",
        ),
        (
            {"in_order": ["mayor", {"called": "mayor", "times": [1.5]}]},
            r"entry 1 of times of \[\[in_order\]\] number 2 in .* must be a whole number, got 1\.5$",
        ),
        (["called"], r"line 1: a check has one of called, not_called, in_order, state, .*; got 'called'$"),
    ],
)
def test_a_wrong_check_is_named_with_its_line(tmp_path: Path, check: Any, message: str):
    with pytest.raises(DataError, match=message):
        make(tmp_path, json.dumps({"query": "Who?", "check": check}))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            {"tools": ["weather"], "check": {"called": "mayor"}},
            r"wants a call of 'mayor', which the task does not offer; it offers weather$",
        ),
        (
            {"tools": ["weather"], "check": {"in_order": ["weather", "mayor"]}},
            r"wants a call of 'mayor', which the task does not offer; it offers weather$",
        ),
        (
            {"answer": {"maior": "x"}, "schema": {"properties": {"mayor": {"type": "string"}}}},
            r"the answer of task '1' has 'maior', and its schema has mayor\. Did you mean 'mayor'\?$",
        ),
    ],
)
def test_a_line_that_no_episode_can_solve_is_refused(tmp_path: Path, line: Any, message: str):
    with pytest.raises(DataError, match=f"line 1: .*{message}"):
        make(tmp_path, json.dumps({"query": "Who?", **line}))


def test_a_check_gives_parts_of_arguments_and_a_search_offers_what_it_wants(tmp_path: Path):
    nested = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], "minProperties": 2}
    tool = {"name": "add", "parameters": {"properties": {"n": {"type": "string"}, "of": nested, "to": {}}}}
    tool["parameters"]["required"] = ["n", "to"]
    check = [{"called": "add", "arguments": {"n": 5, "of": {"a": 1}}}, {"not_called": "mayor"}]
    (tmp_path / "q.jsonl").write_text(json.dumps({"query": "Tell the mayor.", "check": check}))
    catalog = CatalogFile.of({"version": 1, "tools": [*TOOLS, tool]})
    env = stb_env.make("stb/Tools-v0", tools=catalog, data=str(tmp_path / "q.jsonl"), retrieve=1)
    assert [tool.name for tool in env.tasks[0].tools] == ["mayor", "add"]


SHOP = [
    {
        "id": "buy",
        "query": "Order one A-9, pay with the card 'good', and tell me the number of the order.",
        "gold": [
            call("list_products"),
            call("list_products", page=2),
            call("add_order", sku="A-9"),
            call("pay", number=1, card="good"),
        ],
        "answer": {"number": 1},
        "check": [
            {"called": "pay", "times": 1},
            {"in_order": ["add_order", {"called": "pay", "arguments": {"number": 1}}]},
            {"state": "get_order", "arguments": {"number": 1}, "has": {"sku": "A-9", "status": "paid"}},
            {"state": "list_products", "arguments": {"page": 2}, "has": {"products": [{"stock": 2}]}},
        ],
    },
    {
        "id": "declined",
        "query": "Order one A-7 and pay with the card 'empty'. What becomes of it?",
        "gold": [call("add_order", sku="A-7"), call("pay", number=1, card="empty")],
        "answer": "The card was declined.",
        "check": [
            {"contains": "declined"},
            {"state": "get_order", "arguments": {"number": 1}, "has": {"status": "new"}},
        ],
    },
    {
        "id": "out",
        "query": "Order one A-8, if there is any. How many are there?",
        "gold": [call("add_order", sku="A-8"), call("list_products")],
        "answer": {"stock": 0},
        "check": {"not_called": "pay"},
    },
    {
        "id": "changed",
        "query": "Order two A-7, make it four, then drop the order.",
        "gold": [
            call("add_order", sku="A-7", count=2),
            call("change_order", number=1, count=4),
            call("get_order", number=1),
            call("drop_order", number=1),
        ],
        "answer": {"done": True},
        "check": [
            {"called": "change_order", "arguments": {"count": 4}},
            {"state": "get_order", "arguments": {"number": 1}, "error": "404"},
            {"state": "list_products", "has": {"products": [{"sku": "A-7", "stock": 5}]}},
        ],
    },
    {
        "id": "receipt",
        "query": "File the receipt 'tea 3.50'.",
        "gold": [call("upload_receipt", file="tea 3.50"), call("list_receipts")],
        "answer": {"receipts": 1},
        "check": {"state": "list_receipts", "equals": [{"text": "tea 3.50"}]},
    },
]
BASKET = [
    {
        "id": "tea",
        "query": "Put tea into the basket. What is in it?",
        "gold": [call("look"), call("put", item="tea"), call("look")],
        "answer": {"items": ["tea"]},
        "check": [{"called": "put", "times": 1}, {"state": "look", "equals": {"items": ["tea"]}}],
    }
]
PLAN = """
[eval]
groups = ["stb/Tools-v0"]
mode = "replay"
cache = "frozen"
tools = "catalog.json"
data = "queries.jsonl"
[[agent]]
name = "gold"
[[agent]]
name = "red:memorised"
"""


@pytest.mark.heavy
@pytest.mark.parametrize("service", ["shop", "basket"])
def test_a_service_with_state_becomes_a_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
):
    """Import, record, freeze, replay and evaluate a shop by HTTP and a basket by MCP."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STOCK_APIKEYHEADER", KEY)
    lines = SHOP if service == "shop" else BASKET
    write(Path("queries.jsonl"), *lines)
    with StatefulShop().running() as shop:
        if service == "shop":
            words = [f"{shop.url}/openapi.json", "--reset", "POST /testing/reset"]
        else:
            program = shlex.join(
                ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "tests.fakes.order_desk"]
            )
            words = ["--mcp", program, "--reset", "restart"]
        reported("tools", "import", *words, "--out", "catalog.json")
        recording = ("--mode", "record", "--cache", "recorded", "--set", "start=true")
        assert play(tmp_path, "first", *recording)["solved"] == len(lines)
        assert play(tmp_path, "liar", *recording, agent="red:memorised")["unsolved"] == len(lines)
        assert play(tmp_path, "live", "--mode", "live", "--set", "start=true")["solved"] == len(lines)
        reported("cache", "snapshot", "--cache", "recorded", "--out", "frozen")
    replay = ("--mode", "replay", "--cache", "frozen")
    assert play(tmp_path, "second", *replay)["solved"] == len(lines)
    assert play(tmp_path, "lied", *replay, agent="red:memorised")["unsolved"] == len(lines)
    answers = [
        [
            (one["name"], one["response"])
            for step in episode.steps
            for one in step["calls"] + step.get("reads", [])
        ]
        for out in ("first", "live", "second")
        for episode in read_trajectories(tmp_path / out)
    ]
    count = len(lines)
    assert answers[:count] == answers[count : 2 * count] == answers[2 * count :]
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    rows = reported("eval", "plan.toml", "--out", "evaluated")["averages"]
    assert [row["mean"] for row in rows] == [1.0, 0.0]
