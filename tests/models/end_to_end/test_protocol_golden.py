"""``--protocol stabletoolbench`` through the command line: request for request what the original sends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.api_server import APIServer, Seen, answered
from tests.fakes.openai_server import Answer, Received, completion
from tests.models.end_to_end.conftest import Outcome
from tests.models.end_to_end.services import said, serving
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


class Scripted:
    """A model that plays one query after another, each by its own script."""

    def __init__(self, scripts: list[list[dict[str, Any]]]) -> None:
        self.scripts = {number: iter(replies(script)) for number, script in enumerate(scripts)}
        self.sent: dict[int, list[dict[str, Any]]] = {number: [] for number in self.scripts}
        self.current = 0

    def __call__(self, request: Received) -> Answer:
        # A ranking does not repeat the query; episodes are played one at a time.
        numbered = re.search(r"\(query (\d+)\)", str(request.body["messages"][1]["content"]))
        self.current = int(numbered[1]) if numbered else self.current
        self.sent[self.current].append(request.body)
        return next(self.scripts[self.current])


@pytest.fixture
def playing(
    server: APIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stb: Callable[..., Outcome]
) -> Callable[..., tuple[Scripted, list[Any]]]:
    """Play scripts on numbered copies of a query under the protocol; return requests and episodes."""
    monkeypatch.setattr("stb_env.http.retry.FIRST_PAUSE", 0.01)
    runs = count()

    def play(query: dict[str, Any], scripts: list[Any], *words: object) -> tuple[Scripted, list[Any]]:
        folder = tmp_path / f"run{next(runs)}"
        folder.mkdir()
        numbered = [
            query | {"query_id": number, "query": f"{query['query']} (query {number})"}
            for number in range(len(scripts))
        ]
        (folder / "G1_instruction.json").write_text(json.dumps(numbered))
        model = Scripted(scripts)
        with serving() as services:
            for service in services:
                monkeypatch.setenv(service.variable, service.key)
            services.agent.always(model)
            services.judge.always(Answer(completion('{"answer_status": "Solved", "reason": "r"}')))
            done = stb(
                *("run", GROUP, "--protocol", "stabletoolbench", "--data", folder, "--json", *words),
                *("--models", services.models(folder / "models.toml"), "--out", folder / "out"),
                *("--set", f"real={server.url('/virtual')}"),
            )
        assert done.exit_code == 0, done.stderr
        lines = (folder / "out" / "trajectories.jsonl").read_text().splitlines()
        return model, [json.loads(line) for line in lines]

    return play


@pytest.mark.heavy
def test_golden_a_run_of_the_protocol_sends_what_the_original_sends(
    traces: list[tuple[dict[str, Any], dict[str, Any]]],
    playing: Callable[..., tuple[Scripted, list[Any]]],
    tmp_path: Path,
):
    originals = write_repository(tmp_path / "copy")
    alike: dict[tuple[str, str], list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for golden, case in traces:
        alike.setdefault((json.dumps(golden["query"]), agent_of(case)), []).append((golden, case))
    wrong = {}
    for (_, agent), members in alike.items():
        scripts = [case["script"] for _, case in members]
        words = ("--agent", agent, "--originals", originals)
        model, _ = playing(members[0][0]["query"], scripts, *words)
        for number, (_, case) in enumerate(members):
            found = differences(model.sent[number], case)
            wrong |= {f"{case['name']}: {what}": pair for what, *pair in found if pair[0] != pair[1]}
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
    playing: Callable[..., tuple[Scripted, list[Any]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("TOOLBENCH_KEY", "KEY")
    golden = objects(shared_data, "stabletoolbench/golden/*.json", "tool_files", "query", "cases")[0]
    for name, content in golden["tool_files"].items():
        file = tmp_path / "tools" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    cases = [case for case in golden["cases"] if steps_on(case)]
    if not cases:
        pytest.skip("no recorded step that a server can be made to take")
    server.script(
        *[fault(case["server"]) for case in cases if "request" in case["expected"]], path="/virtual"
    )
    before = len(server.requests)
    give_up = {"calls": [["Finish", json.dumps({"return_type": "give_up_and_restart"})]]}
    scripts = [[{"calls": [[case["action_name"], case["action_input"]]]}, give_up] for case in cases]
    model, episodes = playing(golden["query"], scripts, "--tools", tmp_path / "tools")
    asked = [seen.body for seen in server.requests[before:]]
    expected = [case["expected"]["request"] for case in cases if "request" in case["expected"]]
    assert list(map(comparable, asked)) == list(map(comparable, expected))
    shown = [next(m["content"] for m in one["messages"] if m["role"] == "tool") for one in episodes]
    assert shown == [case["expected"]["observation"] for case in cases]
    first = model.sent[0][0]
    assert [tool["function"]["name"] for tool in first["tools"]] == golden["function_names"]
    assert golden["task_description_tool_lines"] in first["messages"][0]["content"]


def steps_on(case: dict[str, Any]) -> bool:
    """Whether the original goes on after a step, by an answer of a server that does not fail."""
    expected = case["expected"]
    return (
        "original_raises" not in expected
        and case["max_observation_length"] == 1024
        and not infrastructure(case)
    )


def infrastructure(case: dict[str, Any]) -> bool:
    """Whether the server fails: ours ends the episode as invalid, and an agent reads no code of it."""
    answer = fault(case["server"])
    return answer.dropped or answer.status != 200 or isinstance(answer.body, str)


def comparable(request: dict[str, Any]) -> dict[str, Any]:
    """A request whose arguments are an object may be spaced otherwise."""
    return request | {"tool_input": parsed(request["tool_input"])}


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
