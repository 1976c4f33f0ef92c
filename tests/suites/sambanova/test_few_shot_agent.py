"""The paper's method as an agent: one prompt, one answer, no sampling."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import gymnasium as gym
import httpx2  # noqa: F401 - its first import would eat up time-outs
import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.evaluation.plan_file import read_plan
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs import play
from stb_env.show.cli import app
from stb_env.suites.sambanova.few_shot_agent import (
    FewShotAgent,
    SystemFewShotAgent,
    SystemPromptAgent,
    ZeroShotAgent,
)
from stb_env.suites.sambanova.tasks import SUITE
from tests.conftest import ROOT
from tests.fakes.openai_server import Answer, OpenAIServer, completion

PROGRAMS = ("open_weather", "cat_api", "home_search", "trip_booking", "virtual_home")
LABELS = {
    task: {
        item.query: item.goal["labels"][0]
        for item in map(gym.make(SUITE[task].env_id).unwrapped.tasks.at, range(4))
    }
    for task in PROGRAMS
}
GOALS = {query: label for labels in LABELS.values() for query, label in labels.items()}


def knowing(request):
    """Answer a prompt as a model would that knows the tests, and does not know where to stop."""
    text = request.messages[-1]["content"] if hasattr(request, "messages") else request
    return f"{GOALS[_goal(text)]}\n\nTask: The next one\nAction:\nnothing"


def _goal(text):
    return text.rsplit("Task: ", 1)[1].split("\nAction:")[0]


def played(agent, task="home_search", index=0, **settings):
    env = agent.wrap(gym.make(SUITE[task].env_id, **settings))
    return play(env, agent, task_id=f"test-{index}", seed=1)


@pytest.mark.parametrize("task", PROGRAMS)
@pytest.mark.parametrize("kind", [FewShotAgent, ZeroShotAgent, SystemPromptAgent, SystemFewShotAgent])
def test_a_model_that_knows_the_program_solves_the_task_with_one_answer(kind, task):
    model = ScriptedModel(knowing)
    episode = played(kind(model), task, index=1, program=True)
    assert (episode.reward, episode.valid, len(model.requests)) == (1.0, True, 1)
    assert episode.usage["calls"] == 1


def test_the_most_likely_answer_is_asked_for_within_the_papers_bound():
    model = ScriptedModel(knowing)
    played(FewShotAgent(model), "trip_booking", program=True)
    assert model.requests[0].sampling.to_dict() == {
        "temperature": 0.0,
        "max_tokens": 300,
        "stop": ["------", "Task:"],
    }
    assert not model.requests[0].tools


@pytest.mark.parametrize(
    ("kind", "examples", "instructed"),
    [
        (FewShotAgent, 3, False),
        (ZeroShotAgent, 0, False),
        (SystemPromptAgent, 0, True),
        (SystemFewShotAgent, 3, True),
    ],
)
def test_the_cells_of_the_ablation_differ_in_examples_and_instructions(kind, examples, instructed):
    model = ScriptedModel(knowing)
    played(kind(model), program=True)
    text = model.requests[0].messages[0]["content"]
    assert text.count("\nAPI.search()\n") == examples + 1
    assert ("You are an assistant" in text) == instructed


def test_without_program_true_the_program_is_followed_by_finish():
    model = ScriptedModel(knowing)
    episode = played(FewShotAgent(model))
    assert (episode.reward, len(episode.steps), len(model.requests)) == (1.0, 2, 1)


def test_a_wrong_program_scores_nothing_and_counts():
    episode = played(FewShotAgent(ScriptedModel(["I cannot do that."])), program=True)
    assert (episode.reward, episode.valid) == (0.0, True)


def test_in_a_shop_each_action_is_asked_for_with_the_page_alone():
    model = ScriptedModel(["search[desk lamp]", "click[next >]", "click[back to search]"] * 9)
    episode = played(FewShotAgent(model), "web_shop", max_turns=3)
    assert len(model.requests) == len(episode.steps) == 3
    assert all(len(request.messages) == 1 for request in model.requests)
    pages = [_goal(request.messages[0]["content"]) for request in model.requests]
    assert ["Page " in page for page in pages] == [False, True, True]


def test_a_failing_model_makes_the_episode_invalid():
    error = ModelError("down", kind="timeout", stage="model")
    episode = played(FewShotAgent(ScriptedModel([error])), program=True)
    assert not episode.valid
    assert (episode.failure["kind"], episode.failure["stage"]) == ("timeout", "agent")


def test_without_a_model_it_says_how_to_name_one():
    with pytest.raises(ConfigError, match=r"the few-shot agent has no model: set .*STB_AGENT_BASE_URL"):
        FewShotAgent()


def test_an_environment_that_it_did_not_wrap_is_refused():
    with pytest.raises(ConfigError, match="few_shot plays what its wrap\\(\\) returned, got ToolEnv"):
        FewShotAgent(ScriptedModel([])).reset(gym.make("stb/HomeSearch-v1"), 0)


def test_the_manifest_says_what_the_prompt_was():
    fingerprint = FewShotAgent(ScriptedModel([], name="m"), chat="tags", data="somewhere").fingerprint
    assert (fingerprint["model"], fingerprint["prompt"]["chat"]) == ("m", "tags")
    assert "somewhere" not in json.dumps(fingerprint)


# -- the ablation grid -------------------------------------------------------------------------------------


@pytest.fixture
def served(monkeypatch) -> Iterator[OpenAIServer]:
    """A model over HTTP that knows the tests, and in a shop does nothing of use."""

    def answering(request):
        text = request.body["messages"][-1]["content"]
        goal = _goal(text)
        known = GOALS.get(goal)
        return Answer(completion(known if known is not None else "click[nothing]"))

    server = OpenAIServer()
    with server.running():
        server.script(*[answering] * 2_000)
        monkeypatch.setenv("STB_AGENT_BASE_URL", server.url())
        monkeypatch.setenv("STB_AGENT_MODEL", "fake")
        monkeypatch.chdir(ROOT)
        yield server


def stb(*words):
    done = CliRunner().invoke(app, [str(word) for word in words], env=dict(os.environ))
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.heavy
def test_the_grid_gives_means_over_three_runs_and_a_table(served, tmp_path):
    plan = tmp_path / "grid.toml"
    text = (ROOT / "examples" / "sambanova_grid.toml").read_text(encoding="utf-8")
    text = text.replace("trials = 3", "trials = 3\nepisodes = 1")
    # The served model knows the programs of the other five.
    for unknown in ("GoogleSheets", "WebShop", "Tabletop"):
        text = text.replace(f'    "stb/{unknown}-v1",\n', "")
        text = text.replace(f'[settings."stb/{unknown}-v1"]\nprogram = true\n', "")
    plan.write_text(text)
    report = stb("eval", plan, "--out", tmp_path / "out", "--yes", "--json")
    assert {row["agent"] for row in report["averages"]} == {
        *("zero-shot", "system prompt", "3-shot", "system prompt + 3-shot")
    }
    assert all(row["mean"] == 1.0 for row in report["averages"])
    runs = sorted((tmp_path / "out" / "offline").glob("*/*"))
    table = stb("sambanova", "table", *runs, "--published", "gpt4", "--json")
    assert len(table["rows"]) == 5
    assert table["rows"][0]["cells"]["home_search"] == [[100.0, 0.0]]


def test_the_shipped_grid_is_a_plan_of_three_runs():
    plan = read_plan(ROOT / "examples" / "sambanova_grid.toml")
    assert plan.trials == 3
    assert len(plan.cells) == len(plan.groups) * 4
