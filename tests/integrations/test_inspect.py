"""Inspect AI itself plays every suite, and its viewer opens our runs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="Inspect AI is not installed: pip install 'stb-env[inspect]'")

from inspect_ai import eval as inspect_eval
from inspect_ai.approval import ApprovalPolicy, auto_approver
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall

from stb_env import read_trajectories
from stb_env.core.run_identity import saved_identity
from stb_env.errors import ConfigError, DataError
from stb_env.integrations.inspect import stb
from stb_env.integrations.inspect.logs import read_log
from stb_env.integrations.inspect.registry import tasks as registered
from stb_env.integrations.inspect.solver import info_of
from stb_env.integrations.rows import rows
from stb_env.runs import DrivenEpisode
from stb_env.runs.make import env_ids
from stb_env.trajectory import Trajectory
from tests.command import reported
from tests.command import stb as stb_env_command
from tests.integrations.conversations import CONVERSATIONS, Conversation, alike, expected, outcome
from tests.integrations.scripted import (
    SETTINGS,
    WRONG,
    calls_of,
    failing,
    gold_answer,
    gold_server,
    page_script,
)
from tests.saved import unsum

SANDBOX = "stb/Sandbox-v1"
INSPECT = str(Path(sys.executable).with_name("inspect"))


def output(text: str = "", *calls: ToolCall) -> ModelOutput:
    message = ChatMessageAssistant(content=text, tool_calls=list(calls) or None)
    # With a usage nothing is counted, for which Inspect would fetch a tokenizer.
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    return ModelOutput(model="scripted", choices=[choice], usage=usage)


def gold(env_id: str) -> Callable[..., ModelOutput]:
    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        said = [{"role": message.role, "content": message.text} for message in messages]
        turn = gold_answer(env_id, said, **SETTINGS[env_id])
        calls = [ToolCall(f"{len(said)}-{n}", name, given) for n, (name, given) in enumerate(calls_of(turn))]
        return output(turn.get("content") or "", *calls)

    return answer


def played(model: Callable[..., ModelOutput], folder: Path, env_id: str = SANDBOX, **given: Any) -> EvalLog:
    """Play with Inspect's evaluation, in its default settings."""
    limits = {name: given.pop(name) for name in ("message_limit", "epochs") if name in given}
    asked = get_model("mockllm/model", custom_outputs=model)
    return inspect_eval(stb(env_id, **given), model=asked, log_dir=str(folder), display="none", **limits)[0]


@pytest.mark.parametrize("form", ["exact", "react"])
@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_model_that_knows_gets_every_point(env_id: str, form: Any, tmp_path: Path):
    log = played(gold(env_id), tmp_path, env_id, tasks=2, form=form, settings=SETTINGS[env_id])
    score = log.results.scores[0]
    assert (log.status, score.metrics["mean"].value) == ("success", 1.0)
    assert (score.scored_samples, score.unscored_samples) == (2, 0)


@pytest.mark.parametrize("form", ["exact", "react"])
@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_failure_of_the_infrastructure_is_unscored(env_id: str, form: Any, tmp_path: Path):
    settings = failing(env_id, tmp_path / "cache")
    log = played(gold(env_id), tmp_path, env_id, tasks=2, form=form, settings=settings)
    score = log.results.scores[0]
    assert (log.status, score.scored_samples, score.unscored_samples) == ("success", 0, 2)
    told = log.samples[0].scores["verdict"]
    assert told.explanation.startswith(f"{told.metadata['failure']['kind']}: ")


@pytest.mark.parametrize("form", ["exact", "react"])
def test_a_wrong_answer_scores_nothing_and_the_votes_are_there(form: Any, tmp_path: Path):
    finish = ToolCall("c", "Finish", WRONG)
    log = played(lambda *_: output("", finish), tmp_path, tasks=2, form=form)
    assert log.results.scores[0].metrics["mean"].value == 0.0
    score = log.samples[0].scores["verdict"]
    assert (json.loads(score.answer), score.explanation) == (WRONG, "unsolved (exact)")
    assert score.metadata["verdict"]["votes"]


def test_arguments_that_are_no_json_cost_a_turn_in_the_exact_form(tmp_path: Path):
    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        wrong = ToolCall("c", "list_accounts_for_pocket_bank", {}, parse_error="{no json: [")
        return output("", ToolCall("d", "Finish", WRONG) if len(messages) > 2 else wrong)

    log = played(answer, tmp_path, tasks=1)
    steps = log.samples[0].store["stb"]["steps"]
    assert [step["calls"][0]["status"] for step in steps] == [2, 6]


def test_approvers_are_asked_before_a_call_is_made(tmp_path: Path):
    look = ToolCall("c", "list_accounts_for_pocket_bank", {})

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        return output("", ToolCall("d", "Finish", WRONG) if len(messages) > 2 else look)

    asked = get_model("mockllm/model", custom_outputs=answer)
    policy = [
        ApprovalPolicy(auto_approver("reject"), "list_accounts*"),
        ApprovalPolicy(auto_approver("approve"), "*"),
    ]
    task = stb(SANDBOX, tasks=1)
    (log,) = inspect_eval(task, model=asked, log_dir=str(tmp_path), display="none", approval=policy)
    (sample,) = log.samples
    refused = next(message for message in sample.messages if message.role == "tool")
    assert refused.error.type == "approval"
    assert [step["calls"][0]["name"] for step in sample.store["stb"]["steps"]] == ["Finish"]


def test_an_approver_may_end_the_sample(tmp_path: Path):
    asked = get_model("mockllm/model", custom_outputs=lambda *_: output("", ToolCall("d", "Finish", WRONG)))
    policy = [ApprovalPolicy(auto_approver("terminate"), "*")]
    task = stb(SANDBOX, tasks=1)
    (log,) = inspect_eval(task, model=asked, log_dir=str(tmp_path), display="none", approval=policy)
    assert log.samples[0].store["stb"]["steps"] == []


def test_tools_that_change_are_refused_where_the_first_are_offered_throughout():
    with pytest.raises(ConfigError, match="offers others later; take form='exact'"):
        stb("stb/APIBankRetrieve-v1", tasks=1, form="react")


def test_what_follows_the_end_in_one_message_is_not_called(tmp_path: Path):
    calls = [ToolCall("a", "Finish", WRONG), ToolCall("b", "Finish", WRONG)]
    log = played(lambda *_: output("", *calls), tmp_path, tasks=1)
    assert log.samples[0].messages[-1].text == "The episode is over."
    assert len(log.samples[0].store["stb"]["steps"]) == 1


def test_a_limit_of_inspects_ends_an_episode_that_is_scored_as_it_stands(tmp_path: Path):
    call = ToolCall("c", "list_accounts_for_pocket_bank", {})
    log = played(lambda *_: output("", call), tmp_path, tasks=1, message_limit=6)
    score = log.samples[0].scores["verdict"]
    assert (log.samples[0].limit.type, score.value, score.explanation) == ("message", 0.0, "not finished")


def test_epochs_are_the_trials_of_a_run(tmp_path: Path):
    played(gold(SANDBOX), tmp_path / "logs", tasks=2, epochs=2, seed=3)
    twice = ("--episodes", "2", "--trials", "2", "--seed", "3")
    reported("run", SANDBOX, "--agent", "gold", *twice, "--out", tmp_path / "ours")
    _, theirs = read_log(next((tmp_path / "logs").iterdir()))
    ours = {episode.key: episode for episode in read_trajectories(tmp_path / "ours")}
    assert {episode.key: episode for episode in theirs} == ours


@pytest.mark.parametrize("env_id", env_ids())
def test_every_environment_is_a_task_with_all_of_its_tools(env_id: str):
    try:
        row = rows(env_id, 1)[0]
    except ConfigError as error:
        assert "is not played one agent at a time" in str(error)  # noqa: PT017 (some environments are)
        return
    specs = [tool["function"] for tool in row.tools]
    assert [info_of(spec).name for spec in specs] == [spec["name"] for spec in specs]
    for spec in specs:
        shown = info_of(spec).parameters.model_dump(exclude_none=True)["properties"]
        assert shown.keys() == spec["parameters"]["properties"].keys()
        assert all(schema["description"] for schema in shown.values())


def test_a_form_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match=r"^form must be one of exact, react, got 'reakt'. Did you mean"):
        stb(SANDBOX, 1, form="reakt")


# -- the commands ------------------------------------------------------------------------------------


def inspect(*words: object, url: str = "") -> str:
    """Run Inspect's own command."""
    env = {**os.environ, "GOLD_BASE_URL": url, "GOLD_API_KEY": "none"}
    command = [INSPECT, *map(str, words)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_inspects_command_finds_a_suite_by_name_and_plays_it(tmp_path: Path):
    options = ("--model", "openai-api/gold/gold", "--display", "plain", "--log-dir", tmp_path)
    with gold_server(SANDBOX) as url:
        inspect("eval", "stb_env/sandbox", "-T", "tasks=3", *options, url=url)
    log = read_eval_log(list_eval_logs(str(tmp_path))[0])
    score = log.results.scores[0]
    assert (log.eval.task, score.metrics["mean"].value, score.scored_samples) == ("stb_env/sandbox", 1.0, 3)


def test_the_registry_has_a_task_for_every_environment():
    assert len(registered) == len(env_ids())
    assert {"sandbox", "api_bank_plan", "open_weather", "i3_instruction"} <= registered.keys()


def test_the_script_of_the_page_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    for name, value in {"EVAL_MODEL": "openai-api/gold/gold", "DISPLAY": "none"}.items():
        monkeypatch.setenv(f"INSPECT_{name}", value)
    monkeypatch.setenv("GOLD_API_KEY", "none")
    with gold_server(SANDBOX) as url:
        monkeypatch.setenv("GOLD_BASE_URL", url)
        exec(compile(page_script("inspect"), "docs/integrations.md", "exec"), {})
    assert capsys.readouterr().out.split() == ["1.0", "0", "unscored"]


def run_with_a_failure(folder: Path) -> Path:
    """Make a run of two valid episodes and one that failed."""
    reported("run", SANDBOX, "--agent", "gold", "--episodes", "2", "--out", folder / "run")
    episode = DrivenEpisode(SANDBOX, **failing(SANDBOX, folder))
    episode.start(task_id="test-add_todo-0", seed=7)
    episode.call("Finish", WRONG)
    failed = replace(episode.trajectory(), run=saved_identity(folder / "run"))
    unsum(folder / "run")
    with (folder / "run" / "trajectories.jsonl").open("a", encoding="utf-8") as lines:
        lines.write(failed.to_json() + "\n")
    return folder / "run"


def test_a_run_becomes_a_log_with_what_failed_unscored_and_comes_back_as_it_was(tmp_path: Path):
    run, logs = run_with_a_failure(tmp_path), tmp_path / "logs"
    assert reported("export", run, "--format", "inspect", "--out", logs)["unscored"] == 1
    log = read_eval_log(list_eval_logs(str(logs))[0])
    score = log.results.scores[0]
    assert (score.metrics["mean"].value, score.scored_samples, score.unscored_samples) == (1.0, 2, 1)
    assert reported("data", "import", next(logs.iterdir()), "--kind", "inspect", "--out", tmp_path / "back")
    for name in ("trajectories.jsonl", "manifest.json"):
        assert (tmp_path / "back" / name).read_bytes() == (run / name).read_bytes()


def test_a_second_export_changes_nothing(tmp_path: Path):
    run, logs = run_with_a_failure(tmp_path), tmp_path / "logs"
    first = reported("export", run, "--format", "inspect", "--out", logs)
    before = {file: file.stat().st_mtime_ns for file in logs.iterdir()}
    assert reported("export", run, "--format", "inspect", "--out", logs) == first
    assert {file: file.stat().st_mtime_ns for file in logs.iterdir()} == before


def test_a_selection_is_refused_since_a_log_has_the_whole_run(tmp_path: Path):
    words = ["export", run_with_a_failure(tmp_path), "--format", "inspect", "--solved"]
    done = stb_env_command(*words)
    assert done.exit_code == 2
    assert "writes whole runs; leave out what selects episodes" in done.stderr


def test_an_evaluation_of_inspects_is_read_as_a_run_that_can_be_judged(tmp_path: Path):
    played(gold(SANDBOX), tmp_path / "logs", tasks=2)
    log = next((tmp_path / "logs").iterdir())
    assert reported("data", "import", log, "--out", tmp_path / "run")["episodes"] == 2
    judged = reported("judge", tmp_path / "run", "--judge", "heuristic")
    assert (judged["judged"], judged["planned"]) == (2, 2)


def test_a_file_that_is_no_log_is_refused(tmp_path: Path):
    (tmp_path / "some.json").write_text("{}")
    with pytest.raises(DataError, match=r"some\.json is no log of Inspect's"):
        read_log(tmp_path / "some.json")


def test_a_log_of_other_tasks_is_refused(tmp_path: Path):
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

    model = get_model("mockllm/model", custom_outputs=lambda *_: output("hi"))
    inspect_eval(
        Task(dataset=[Sample(id="x", input="hi")]), model=model, log_dir=str(tmp_path), display="none"
    )
    with pytest.raises(DataError, match=r"sample 'x' has no episode of this package; read logs of its tasks"):
        read_log(next(tmp_path.iterdir()))


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """Start Inspect's viewer on a folder of logs, and give its URL once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [INSPECT, "view", "start", "--log-dir", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert any("Running on" in line or str(port) in line for line in server.stdout)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_inspects_viewer_serves_a_run_of_ours(tmp_path: Path):
    logs = tmp_path / "logs"
    reported("export", run_with_a_failure(tmp_path), "--format", "inspect", "--out", logs)
    with viewer(logs) as url:
        listed = json.loads(fetched(f"{url}/api/logs"))
        name = listed["files"][0]["name"]
        shown = json.loads(fetched(f"{url}/api/logs/{urllib.request.quote(name, safe='')}"))
    assert [sample["id"] for sample in shown["samples"]][-1] == "test-add_todo-0"
    assert shown["samples"][0]["messages"][2]["tool_calls"]


def fetched(url: str) -> bytes:
    """Get a URL, as often as a server that starts refuses."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                return bytes(answer.read())
        except ConnectionRefusedError:
            continue
        except OSError as error:
            if not isinstance(getattr(error, "reason", None), ConnectionRefusedError):
                raise
    raise AssertionError(f"{url} does not answer")


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=str)
def test_a_conversation_is_the_same_episode_as_in_our_own_loop(conversation: Conversation, tmp_path: Path):
    left = iter(conversation.turns)

    def answer(*_: Any) -> ModelOutput:
        text, calls = next(left)
        made = [
            ToolCall(f"c{number}", name, given)
            if isinstance(given, dict)
            else ToolCall(f"c{number}", name, {}, parse_error=given)
            for number, (name, given) in enumerate(calls)
        ]
        return output(text, *made)

    settings = {"max_turns": conversation.turn_limit}
    log = played(answer, tmp_path, conversation.env_id, tasks=conversation.task, settings=settings)
    alike(outcome(Trajectory.from_dict(log.samples[0].store["stb"])), expected(conversation))
