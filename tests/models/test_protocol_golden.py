"""``--protocol stabletoolbench`` through the command line: request for request what the original sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.api_server import APIServer, Seen, answered
from tests.fakes.openai_server import Answer, completion
from tests.models.conftest import Outcome
from tests.models.services import said, serving
from tests.shared import objects
from tests.suites.stabletoolbench import repository
from tests.suites.stabletoolbench.repository import write_repository

GROUP = "stb/I1Instruction-v0"


@pytest.fixture(scope="module")
def server() -> Iterator[APIServer]:
    """A virtual server that answers as the traces say."""
    fake = APIServer()
    fake.default = echo
    with fake.running():
        yield fake


def echo(request: Seen) -> Answer:
    body = request.body
    return answered(f"{body['api_name']}:{body['tool_input']}")


def replies(script: list[dict[str, Any]]) -> list[Answer]:
    """The scripted model of the traces: calls as (name, argument text), ten tokens each."""
    return [reply(number, item) for number, item in enumerate(script, 1)]


def reply(number: int, item: dict[str, Any]) -> Answer:
    calls = [
        {"id": f"call_{number}_{place}", "type": "function", "function": {"name": name, "arguments": text}}
        for place, (name, text) in enumerate(item.get("calls") or ())
    ]
    message = {"role": "assistant", "content": item.get("content")} | ({"tool_calls": calls} if calls else {})
    body = said(message).body
    return Answer({**body, "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}})


def agent_of(case: dict[str, Any]) -> str:
    """The agent that plays a case's method, with what its settings have besides the protocol's."""
    settings, method = case["forward_args"], case["method"]
    given = {"max_depth": settings["single_chain_max_step"]}
    if method.startswith("CoT@"):
        return named("cot", **given, n=settings["pass_at"])
    given |= {"max_queries": settings["max_query_count"], "width": settings["tree_beam_size"]}
    return named("dfs", **given, filter=settings["with_filter"])


def named(agent: str, **settings: Any) -> str:
    return f"{agent}({', '.join(f'{name}={value!r}' for name, value in settings.items())})"


def playable(case: dict[str, Any]) -> bool:
    """Whether a server can be made to say it: an answer of the client's own is none of a server's."""
    one = case["forward_args"]["answer"] == 1
    return one and not any("error" in item for item in case["script"])


@pytest.fixture(scope="module")
def traces(shared_data: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    files = objects(shared_data, "stabletoolbench/golden/search/*.json", "query", "cases")
    found = [(golden, case) for golden in files for case in golden["cases"] if playable(case)]
    if not found:
        pytest.skip("no trace of a search that a model server can play")
    return found


def test_golden_a_run_of_the_protocol_sends_what_the_original_sends(
    traces: list[tuple[dict[str, Any], dict[str, Any]]],
    server: APIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stb: Callable[..., Outcome],
):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("stb_env.llm.retry.FIRST_PAUSE", 0.01)
    originals = write_repository(tmp_path / "copy")
    wrong = {}
    for place, (golden, case) in enumerate(traces):
        with serving() as services:
            for service in services:
                monkeypatch.setenv(service.variable, service.key)
            services.agent.script(*replies(case["script"]))
            services.judge.always(Answer(completion('{"answer_status": "Solved", "reason": "r"}')))
            folder = tmp_path / f"case{place}"
            folder.mkdir()
            file = folder / "G1_instruction.json"
            file.write_text(json.dumps([golden["query"] | {"query_id": 1}]))
            done = stb(
                *("run", GROUP, "--protocol", "stabletoolbench", "--data", file, "--agent", agent_of(case)),
                *("--originals", originals, "--models", services.models(folder / "models.toml")),
                *("--set", f"real={server.url('/virtual')}", "--out", folder / "run", "--json"),
            )
            assert done.exit_code == 0, (case["name"], done.stderr)
            sent = [request.body for request in services.agent.requests]
        wrong |= {
            f"{case['name']}: {what}": pair for what, *pair in differences(sent, case) if pair[0] != pair[1]
        }
    assert not wrong


def differences(sent: list[dict[str, Any]], case: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What was sent beside what the original sent, name by name."""
    asked = case["expected"]["llm_calls"]
    yield "requests", len(sent), len(asked)
    for number, (body, call) in enumerate(zip(sent, asked, strict=False)):
        roles = [message["role"] for message in body["messages"]]
        yield f"roles of {number}", roles, call["sent_roles"]
        yield f"choice of {number}", body.get("tool_choice") == "none", call["ranking"]
        client = {name: body.get(name) for name in ("max_tokens", "frequency_penalty", "presence_penalty")}
        if not call["ranking"]:
            yield (
                f"client of {number}",
                client,
                {"max_tokens": 1024, "frequency_penalty": 0, "presence_penalty": 0},
            )
            yield f"system of {number}", body["messages"][0]["content"][:18], repository.SYSTEM[:18]
        else:
            paths = body["messages"][0]["content"].split("|")[1:]
            yield f"ranked by {number}", paths, [call["rank_common"], call["rank_a"], call["rank_b"]]
        yield f"end of {number}", body["tools"][-1]["function"], repository.FINISH
        if "diversity_candidates" in call:
            tried = json.dumps(call["diversity_candidates"], indent=2)
            before = call["former_observation"]
            told = f"{tried}\n" + (f"{repository.FORMER}{before}\n" if before else "")
            text = repository.DIVERSITY.replace("{previous_candidate}", told)
            yield f"diversity of {number}", body["messages"][-1]["content"], text


# -- single steps ----------------------------------------------------------------------------------------


def fault(server: dict[str, Any] | None) -> Answer:
    """What the virtual server of a recorded step answers."""
    server = server or {"json": {"error": "", "response": "default"}}
    if server.get("raise"):
        return Answer(dropped=True)
    body = server["json"]
    return Answer("no JSON" if body is None else body, server.get("status", 200))


def test_golden_a_step_of_the_protocol_shows_and_asks_what_the_original_does(
    shared_data: Path,
    server: APIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stb: Callable[..., Outcome],
):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TOOLBENCH_KEY", "KEY")
    golden = objects(shared_data, "stabletoolbench/golden/*.json", "tool_files", "query", "cases")[0]
    for name, content in golden["tool_files"].items():
        file = tmp_path / "tools" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    queries = tmp_path / "G1_instruction.json"
    queries.write_text(json.dumps([golden["query"] | {"query_id": 1}]))
    give_up = {"calls": [["Finish", json.dumps({"return_type": "give_up_and_restart"})]]}
    wrong, offered, described = {}, [], ""
    for place, case in enumerate(golden["cases"]):
        expected = case["expected"]
        if "original_raises" in expected or case["max_observation_length"] != 1024 or infrastructure(case):
            continue
        server.script(fault(case["server"]), path="/virtual")
        before = len(server.requests)
        with serving() as services:
            for service in services:
                monkeypatch.setenv(service.variable, service.key)
            services.agent.script(
                *replies([{"calls": [[case["action_name"], case["action_input"]]]}, give_up])
            )
            services.judge.always(Answer(completion('{"answer_status": "Solved", "reason": "r"}')))
            out = tmp_path / f"step{place}"
            done = stb(
                *("run", GROUP, "--protocol", "stabletoolbench", "--data", queries, "--out", out, "--json"),
                *("--tools", tmp_path / "tools", "--models", services.models(tmp_path / f"{place}.toml")),
                *("--set", f"real={server.url('/virtual')}"),
            )
            assert done.exit_code == 0, done.stderr
            first = services.agent.requests[0].body
        offered = [tool["function"]["name"] for tool in first["tools"]]
        described = first["messages"][0]["content"]
        asked = server.requests[before:]
        step = json.loads((out / "trajectories.jsonl").read_text())
        shown = next(m for m in step["messages"] if m["role"] == "tool")
        if shown["content"] != expected["observation"]:
            wrong[place, "observation"] = (shown["content"], expected["observation"])
        if [same_request(seen.body, expected["request"]) for seen in asked] != [True] * (
            "request" in expected
        ):
            wrong[place, "request"] = ([seen.body for seen in asked], expected.get("request"))
        server._scripts.clear()
    assert not wrong
    assert offered == golden["function_names"]
    assert golden["task_description_tool_lines"] in described


def infrastructure(case: dict[str, Any]) -> bool:
    """Whether the server fails: ours ends the episode as invalid, and an agent reads no code of it."""
    answer = fault(case["server"])
    return answer.dropped or answer.status != 200 or isinstance(answer.body, str)


def same_request(sent: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a request is the original's; arguments that are an object may be spaced otherwise."""
    mine, theirs = sent.pop("tool_input"), expected["tool_input"]
    return sent == {k: v for k, v in expected.items() if k != "tool_input"} and (
        mine == theirs or parsed(mine) == parsed(theirs)
    )


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
