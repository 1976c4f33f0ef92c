"""NeMo Gym's resources server plays our environments; `.ci/integrations nemo_gym` runs this."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("nemo_gym", reason="NeMo Gym is not installed; '.ci/integrations nemo_gym' runs this")

from fastapi.testclient import TestClient
from nemo_gym import failure_kinds
from nemo_gym.base_resources_server import BaseRunRequest
from nemo_gym.config_types import AggregateMetricsRequest
from nemo_gym.reward_profile import compute_aggregate_metrics
from nemo_gym.server_utils import ServerClient

from stb_env.errors import FailureKind
from stb_env.integrations.nemo_gym import EpisodesConfig, EpisodesServer, dataset
from stb_env.integrations.nemo_gym.failure import masked
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.integrations.broken import named
from tests.integrations.nemo_gym_servers import Played, serving
from tests.integrations.scripted import NOTES, calls_of, first_tasks, gold_turns, page_script

SANDBOX = "stb/Sandbox-v1"
PLAYED: dict[str, dict[str, Any]] = {
    SANDBOX: {},
    "stb/APIBankRetrieve-v1": {},
    "stb/OpenWeather-v1": {},
    "stb/I1Instruction-v0": {"judge": "heuristic"},
}
Row = dict[str, Any]


def server(env_id: str = SANDBOX, sessions: int = 9, **settings: Any) -> Any:
    """Return the application as NeMo Gym starts it; each client of it is a session."""
    config = EpisodesConfig(
        host="127.0.0.1", port=1, entrypoint="app.py", name="stb", domain="agent",
        env_id=env_id, settings=settings, sessions=sessions,
    )  # fmt: skip
    return EpisodesServer(config=config, server_client=MagicMock(spec=ServerClient)).setup_webserver()


def response(text: str | None = None) -> dict[str, Any]:
    """Return what an agent says of a rollout that ended with a text, or with a call."""
    part = {"type": "output_text", "text": text, "annotations": []}
    said = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    made = {"type": "function_call_output", "call_id": "c", "output": "{}"}
    return {
        "id": "r", "created_at": 0.0, "model": "m", "object": "response", "tools": [], "tool_choice": "auto",
        "parallel_tool_calls": False, "output": [made if text is None else said],
    }  # fmt: skip


def gold_calls(env_id: str, row: Row) -> list[tuple[str, dict[str, Any]]]:
    turns = gold_turns(env_id, row["task_id"], **PLAYED.get(env_id, {}))
    return [call for turn in turns for call in calls_of(turn)]


def played(app: Any, row: Row, calls: list[tuple[str, dict[str, Any]]], text: str | None = None) -> Row:
    """Play as NeMo Gym's agents do: a session, a POST for each call, and the row again to be verified."""
    client = TestClient(app)
    assert client.post("/seed_session", json=row).status_code == 200
    for name, arguments in calls:
        assert client.post(f"/{name}", json=arguments).status_code == 200
    told = client.post("/verify", json={**row, "response": response(text)})
    assert told.status_code == 200, told.text
    return told.json()


@pytest.mark.parametrize("env_id", PLAYED)
def test_a_model_that_knows_gets_every_point(env_id: str):
    app = server(env_id, **PLAYED[env_id])
    for row in dataset(env_id, 2, **PLAYED[env_id]):
        verified = played(app, row, gold_calls(env_id, row))
        assert (verified["reward"], verified["mask_sample"]) == (1.0, False)
        assert verified["verdict"]["status"] == "solved"


@pytest.mark.parametrize("env_id", PLAYED)
def test_a_sample_whose_backend_failed_is_masked_with_the_kind_of_failure(env_id: str):
    row = dataset(env_id, 1, **PLAYED[env_id])[0]
    app = server(f"tests.integrations.broken:{named(env_id)}")
    verified = played(app, row, gold_calls(env_id, row))
    assert (verified["reward"], verified["mask_sample"]) == (0.0, True)
    assert verified["failure_kind"] == "stb_env:internal"
    assert verified["failure_reason"] == "backend: the backend is down"


def test_text_without_a_call_is_the_answer():
    row = dataset(NOTES, "day")[0]
    *calls, (_, finished) = gold_calls(NOTES, row)
    assert played(server(NOTES), row, calls, finished["final_answer"])["reward"] == 1.0


def test_text_without_a_call_is_no_typed_answer():
    row = dataset(SANDBOX, 1)[0]
    *calls, (_, finished) = gold_calls(SANDBOX, row)
    verified = played(server(), row, calls, json.dumps(finished["answer"]))
    assert (verified["reward"], verified["verdict"], verified["mask_sample"]) == (0.0, None, False)


def test_who_answers_without_a_look_or_is_cut_off_earns_nothing_and_counts():
    row = dataset(SANDBOX, 1)[0]
    for text in ("All done, the task is solved.", None):
        verified = played(server(), row, [], text)
        assert (verified["reward"], verified["mask_sample"]) == (0.0, False)


def test_a_session_that_was_never_started_is_masked_as_lost():
    row = dataset(SANDBOX, 1)[0]
    client = TestClient(server())
    assert client.post("/Finish", json={}).status_code == 409
    verified = client.post("/verify", json={**row, "response": response("42")}).json()
    assert (verified["mask_sample"], verified["failure_kind"]) == (True, "session_lost")


def test_sessions_do_not_share_an_episode_and_the_oldest_makes_room():
    first, second = dataset(SANDBOX, 2)
    app = server(sessions=1)
    one, other = TestClient(app), TestClient(app)
    one.post("/seed_session", json=first)
    other.post("/seed_session", json=second)
    for name, arguments in gold_calls(SANDBOX, second):
        other.post(f"/{name}", json=arguments)
    assert other.post("/verify", json={**second, "response": response()}).json()["reward"] == 1.0
    late = one.post("/verify", json={**first, "response": response("42")}).json()
    assert (late["mask_sample"], late["failure_kind"]) == (True, "session_lost")


def test_what_a_model_does_wrong_is_told_it_as_a_result():
    client = TestClient(server())
    client.post("/seed_session", json=dataset(SANDBOX, 1)[0])
    assert client.post("/no_such_tool", json={}).json()["error"]
    assert client.post("/Finish", json=["not", "an", "object"]).json()["error"]


def test_every_kind_of_failure_is_a_name_that_nemo_gym_takes():
    for kind in FailureKind.__args__:
        found = masked({"kind": kind, "stage": "backend", "message": "down"})["failure_kind"]
        assert failure_kinds.is_registered(found) or failure_kinds.is_namespaced(found)


def test_figures_that_nemo_gym_makes_leave_masked_samples_and_numbers_of_rows_out():
    row = dataset(SANDBOX, 1)[0]
    verified = [
        played(server(), row, gold_calls(SANDBOX, row)),
        played(server(f"tests.integrations.broken:{named(SANDBOX)}"), row, gold_calls(SANDBOX, row)),
    ]
    marked = [{**each, "_ng_task_index": 0, "_ng_rollout_index": n} for n, each in enumerate(verified)]
    figures = compute_aggregate_metrics(AggregateMetricsRequest(verify_responses=marked).verify_responses)
    assert figures.agent_metrics["mean/reward"] == 1.0
    assert "mean/seed" not in figures.agent_metrics


def test_rows_have_flat_tools_every_parameter_described():
    row = json.loads(json.dumps(dataset(SANDBOX, 1)[0]))
    given = row["responses_create_params"]
    assert [message["role"] for message in given["input"]] == ["system", "user"]
    assert given["tools"][-1]["name"] == "Finish"
    for tool in given["tools"]:
        assert all(schema["description"] for schema in tool["parameters"]["properties"].values())


def test_the_script_of_the_page_writes_rows_that_nemo_gym_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    exec(compile(page_script("nemo_gym"), "docs/integrations.md", "exec"), {})
    lines = (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 100
    for line in lines:
        BaseRunRequest.model_validate_json(line)


GUESS = "All done, the task is solved."
CONVERSATION = "stb/APIBankCall-v1"
STOOD = (
    Played("sandbox", SANDBOX),
    Played("down", f"tests.integrations.broken:{named(SANDBOX)}"),
    Played("bank", CONVERSATION, agent="stb"),
)


def conversations(count: int) -> list[str]:
    """Return the first tasks whose solution talks to the user on the way."""
    tasks = first_tasks(CONVERSATION, 60)
    turns = {task: gold_turns(CONVERSATION, task) for task in tasks}
    return [task for task in tasks if any(not turn.get("tool_calls") for turn in turns[task])][:count]


def rows_of(agent: str, env_id: str, tasks: Any) -> list[Row]:
    """Return rows that the agent of that name plays."""
    ref = {"type": "responses_api_agents", "name": agent}
    return [{**row, "agent_ref": ref} for row in dataset(env_id, tasks)]


def asked_of(row: Row) -> str:
    return str(row["responses_create_params"]["input"][-1]["content"])


def knowing(solutions: dict[str, list[Row]]) -> Callable[[Received], Answer]:
    """Return a model that knows what solves the tasks that users ask so, and guesses at any other."""

    def answer(request: Received) -> Answer:
        messages = request.body["messages"]
        asked = next(message["content"] for message in messages if message["role"] == "user")
        if asked not in solutions:
            return Answer(completion(GUESS))
        number = sum(message["role"] == "assistant" for message in messages)
        turn = solutions[asked][number]
        calls = [{**call, "id": f"c{number}-{at}"} for at, call in enumerate(turn.get("tool_calls") or ())]
        message = {"role": "assistant", "content": turn["content"], "tool_calls": calls or None}
        return Answer(completion(message=message, finish_reason="tool_calls" if calls else "stop"))

    return answer


@pytest.fixture(scope="module")
def rollouts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Return what NeMo Gym wrote of a model that knows a task of each environment, and else guesses."""
    known, guessed = rows_of("sandbox", SANDBOX, 2)
    told, silent = rows_of("bank", CONVERSATION, conversations(2))
    (down,) = rows_of("down", SANDBOX, 1)
    solutions = {
        asked_of(known): gold_turns(SANDBOX, known["task_id"]),
        asked_of(told): gold_turns(CONVERSATION, told["task_id"]),
    }
    named_rows = {"known": known, "guessed": guessed, "told": told, "silent": silent, "down": down}
    with OpenAIServer().running() as model:
        model.script(*[knowing(solutions)] * 200)
        with serving(tmp_path_factory.mktemp("gym"), *STOOD, model=model.url()) as servers:
            found = servers.collect(list(named_rows.values()))
    keys = {name: (row["agent_ref"]["name"], row["task_id"]) for name, row in named_rows.items()}
    played = {(each["agent_ref"]["name"], each["task_id"]): each for each in found}
    return {name: played[key] for name, key in keys.items()}


@pytest.mark.timeout(400)
def test_its_servers_and_its_command_give_a_model_that_knows_every_point_and_a_guess_none(rollouts):
    assert (rollouts["known"]["reward"], rollouts["known"]["mask_sample"]) == (1.0, False)
    assert (rollouts["guessed"]["reward"], rollouts["guessed"]["mask_sample"]) == (0.0, False)
    assert rollouts["known"]["verdict"]["status"] == "solved"


def test_its_command_masks_a_sample_whose_backend_failed(rollouts):
    down = rollouts["down"]
    assert (down["mask_sample"], down["failure_kind"]) == (True, "stb_env:internal")
    assert down["failure_reason"] == "backend: the backend is down"


def test_a_conversation_goes_on_after_a_text_and_earns_every_point(rollouts):
    told = rollouts["told"]
    assert (told["reward"], told["mask_sample"]) == (1.0, False)
    said = [item.get("role", item["type"]) for item in told["response"]["output"]]
    assert "user" in said[said.index("assistant") :]


def test_who_only_talks_in_a_conversation_earns_nothing(rollouts):
    assert (rollouts["silent"]["reward"], rollouts["silent"]["mask_sample"]) == (0.0, False)
    assert rollouts["silent"]["verdict"]["status"] == "unsolved"
