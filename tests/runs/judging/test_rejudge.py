"""Judging saved runs again: what the run wrote stays, what failed is mended, what was stopped goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace

import gymnasium as gym
import pytest
import typer
from typer.testing import CliRunner

import stb_env  # noqa: F401 (registers the ids)
from stb_env.core.request import drive
from stb_env.errors import ConfigError, DataError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs import Agent, Run, as_agent, plan, play, run_batch
from stb_env.runs.baselines import load_agent
from stb_env.runs.baselines.null import answer
from stb_env.runs.judging import case_of, rejudge
from stb_env.runs.verdict_file import read_judged, read_judgements, verdict_file
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli.judge import judge as judge_command
from stb_env.wrappers import DepthFirstSearch
from tests.fakes.openai_server import Answer, OpenAIServer, completion, error

ENV = "stb/I1Instruction-v0"
DOWN = ModelError("HTTP 503", kind="transport", retryable=False)
KEY = "sk-very-secret-0123456789"


class Guess(Agent):
    """Calls nothing and answers."""

    name = "guess"

    def act(self, observation, info):
        return answer("The answer is 42 and Oslo.")


def record(folder, judge, agent=Guess, episodes=3):
    """Play a run of the embedded queries into a folder."""
    env = gym.make(ENV, judge=judge).unwrapped
    manifest = {"env": ENV, "settings": {}, "judge": judge.name, "tasks": env.tasks.hash}
    run = Run(folder, manifest)
    run_batch(env.fork, agent, plan(env.tasks, episodes=episodes), run)
    run.close()
    return folder


def judge(replies, **settings):
    return PassJudge(ScriptedModel(replies, name="m"), **settings)


def says(status):
    return lambda request: status


def asked(pass_judge):
    return len(pass_judge._model.model.requests)


@pytest.fixture
def flaky(tmp_path):
    """A run of three episodes of which the judge failed on the second."""
    return record(tmp_path / "run", judge(["Solved", DOWN, "Unsolved"]))


def statuses(episodes):
    return [episode.verdict and episode.verdict["status"] for episode in episodes]


def test_a_failed_judge_leaves_an_invalid_episode_and_only_failed_mends_it(flaky):
    before = (flaky / "trajectories.jsonl").read_bytes()
    assert [t.valid for t in read_judged(flaky)] == [True, False, True]
    mending = judge(says("Solved"))
    result = rejudge(flaky, mending, only_failed=True)
    assert (result.judged, result.failed, asked(mending)) == (1, 0, 1)
    mended = read_judged(flaky)
    assert statuses(mended) == ["solved", "solved", "unsolved"]
    assert [(t.valid, t.reward, t.failure) for t in mended] == [(True, r, None) for r in (1.0, 1.0, 0.0)]
    assert (flaky / "trajectories.jsonl").read_bytes() == before
    assert result.summary["invalid"] == 0


def test_mending_that_fails_again_can_be_repeated(flaky):
    result = rejudge(flaky, judge([DOWN]), only_failed=True)
    assert (result.failed, result.summary["failures"]) == (1, {"transport": 1})
    assert [t.valid for t in read_judged(flaky)] == [True, False, True]
    (failed,) = read_judgements(flaky / "verdicts.jsonl").values()
    assert [vote["status"] for vote in failed.votes] == [None]
    assert rejudge(flaky, judge(["Unsolved"]), only_failed=True).failed == 0
    assert rejudge(flaky, judge([]), only_failed=True).judged == 0


def test_judging_a_run_again_from_the_cache_makes_no_model_call(flaky, tmp_path):
    copy = shutil.copytree(flaky, tmp_path / "copy")
    first = rejudge(flaky, judge(says("Solved"), votes=3, cache=tmp_path / "votes"))
    silent = judge([], votes=3, cache=tmp_path / "votes")
    again = rejudge(copy, silent)
    assert asked_inside_cache(silent) == 0
    assert (again.judged, again.summary) == (3, first.summary)
    assert statuses(again.episodes) == ["solved"] * 3


def asked_inside_cache(pass_judge):
    return len(pass_judge._model.model.model.requests)


def test_three_votes_give_mean_and_standard_deviation(flaky):
    result = rejudge(flaky, judge(["Solved", "Unsolved", "Solved"] * 3, votes=3))
    figures = result.summary["votes"]
    assert figures["scores"] == [1.0, 0.0, 1.0]
    assert (figures["mean"], figures["std"]) == (pytest.approx(2 / 3), pytest.approx(0.4714045))
    assert json.loads((flaky / "summary-pass-m-v3.json").read_text()) == json.loads(
        json.dumps(result.summary)
    )


def test_the_heuristic_reaches_the_verdicts_of_the_run_again(tmp_path):
    folder = record(tmp_path, HeuristicJudge(), load_agent("gold"), episodes=None)
    tasks = gym.make(ENV).unwrapped.tasks
    result = rejudge(folder, HeuristicJudge(), tasks=tasks)
    assert [t.verdict for t in result.episodes] == [t.verdict for t in read_trajectories(folder)]


def test_a_case_is_rebuilt_as_the_judge_saw_it(tmp_path):
    seen = []

    class Watching(HeuristicJudge):
        def judge(self, case):
            seen.append(case)
            return super().judge(case)

    folder = record(tmp_path, Watching(), load_agent("gold"), episodes=1)
    (episode,) = read_trajectories(folder)
    rebuilt = case_of(episode)
    assert (rebuilt.final_answer, rebuilt.calls) == (seen[0].final_answer, seen[0].calls)
    assert [tool.spec for tool in rebuilt.task.tools] == [tool.spec for tool in seen[0].task.tools]


@pytest.mark.parametrize("names", [[], ["net.ping", "天气", "net.ping"]], ids=["no tools", "foreign names"])
def test_an_episode_is_judged_whatever_its_tools_were(tmp_path, names):
    (episode,) = read_trajectories(record(tmp_path, HeuristicJudge(), episodes=1))
    functions = [{"type": "function", "function": {"name": name}} for name in [*names, "Finish"]]
    case = case_of(replace(episode, tools=functions))
    assert [tool.name for tool in case.task.tools] == names
    assert drive(HeuristicJudge().judge(case)).status == "unsolved"


def test_an_episode_without_an_answer_keeps_its_verdict_without_a_judge(tmp_path):
    folder = record(tmp_path, judge([]), load_agent("give_up"))
    result = rejudge(folder, judge([], votes=3))
    assert (result.judged, statuses(result.episodes)) == (0, ["unsolved"] * 3)
    assert result.summary["votes"]["scores"] == [0.0]
    with pytest.raises(DataError, match=r"ended without an answer; there is nothing to judge$"):
        case_of(result.episodes[0])


def test_an_episode_whose_agent_failed_stays_invalid(tmp_path):
    class Broken(Agent):
        def act(self, observation, info):
            raise DOWN

    folder = record(tmp_path, judge([]), Broken)
    result = rejudge(folder, judge([]), only_failed=True)
    assert (result.judged, result.summary["invalid"]) == (0, 3)


def test_a_stopped_command_goes_on_where_it_was(flaky):
    def stop(done, total):
        raise KeyboardInterrupt

    stopped = judge(says("Solved"))
    with pytest.raises(KeyboardInterrupt):
        rejudge(flaky, stopped, progress=stop)
    assert asked(stopped) == 1
    (flaky / "verdicts.jsonl").open("a").write('{"version": 1, "task_')
    resumed = judge(says("Solved"))
    assert rejudge(flaky, resumed).judged == 2
    assert statuses(read_judged(flaky)) == ["solved"] * 3
    assert rejudge(flaky, judge([])).judged == 0


def test_other_settings_judge_every_episode_again(flaky):
    rejudge(flaky, judge(says("Solved")))
    again = rejudge(flaky, judge(says("Unsolved"), votes=3))
    assert (again.judged, statuses(read_judged(flaky))) == (3, ["unsolved"] * 3)


def test_another_judge_has_verdicts_of_its_own(flaky):
    other = PassJudge(ScriptedModel(says("Unsolved"), name="org/other"))
    rejudge(flaky, other)
    assert statuses(read_judged(flaky)) == ["solved", None, "unsolved"]
    assert statuses(read_judged(flaky, other.name)) == ["unsolved"] * 3
    assert verdict_file(flaky, other.name).name == "verdicts-pass-org-other-v3.jsonl"


def test_what_a_judge_has_not_judged_is_not_valid_in_its_view(flaky):
    view = read_judged(flaky, "pass:unknown:v3")
    assert [t.valid for t in view] == [False] * 3
    assert view[0].failure["message"] == "not judged by pass:unknown:v3, only by pass:m:v3"


def test_several_at_a_time_write_the_same_lines(flaky, tmp_path):
    copy = shutil.copytree(flaky, tmp_path / "copy")
    rejudge(flaky, judge(says("Solved")))
    rejudge(copy, judge(says("Solved")), concurrency=3)
    assert (flaky / "verdicts.jsonl").read_bytes() == (copy / "verdicts.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("chosen", "settings", "message"),
    [
        (HeuristicJudge(), {"tasks": None}, r"^judge heuristic goes by what tasks alone have"),
        (
            PassJudge(ScriptedModel([])),
            {"only_failed": True},
            r"was judged by pass:m:v3, and mending it with",
        ),
        (judge([], votes=3), {"only_failed": True}, r"have 1 votes each, and this judge casts 3; mend them"),
        (judge([]), {"concurrency": 0}, r"^concurrency must be at least 1, got 0$"),
    ],
)
def test_what_would_mix_verdicts_is_refused(flaky, chosen, settings, message):
    with pytest.raises(ConfigError, match=message):
        rejudge(flaky, chosen, **settings)


def test_a_broken_line_of_verdicts_is_named(flaky):
    (flaky / "verdicts.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"verdicts\.jsonl, line 1: not a verdict line \(KeyError"):
        read_judged(flaky)


def test_a_verdict_that_was_changed_is_named(tmp_path):
    tasks = gym.make(ENV).unwrapped.tasks
    folder = record(tmp_path, judge(["Solved", "Solved"]), load_agent("gold"), episodes=2)
    rejudge(folder, HeuristicJudge(), tasks=tasks)
    file = verdict_file(folder, HeuristicJudge().name)
    lines = file.read_text()
    changed = lines.replace('"unsolved"', '"solved"', 1).replace('"score": 0.0', '"score": 1.0', 1)
    file.write_text(changed if changed != lines else lines.replace('"score": 1.0', '"score": 0.0', 1))
    with pytest.raises(DataError, match=r"verdicts-heuristic\.jsonl, line \d+: verdict line was changed"):
        read_judged(folder, "heuristic")


# -- command line --------------------------------------------------------------------------------------

app = typer.Typer()
app.command()(judge_command)


@pytest.fixture
def keyless(monkeypatch):
    for name in ("OPENAI_API_KEY", "STB_JUDGE_BASE_URL", "STB_JUDGE_MODEL", "STB_JUDGE_API_KEY_ENV"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def server(keyless) -> Iterator[OpenAIServer]:
    keyless.setenv("STB_JUDGE_MODEL", "m")
    keyless.setenv("STB_JUDGE_RETRIES", "0")
    keyless.setenv("STB_JUDGE_API_KEY_ENV", "TEST_KEY")
    keyless.setenv("TEST_KEY", KEY)
    with OpenAIServer().running() as running:
        keyless.setenv("STB_JUDGE_BASE_URL", running.url("judge"))
        yield running


def command(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_without_a_key_says_that_the_heuristic_judges(keyless, tmp_path):
    folder = record(tmp_path, HeuristicJudge(), load_agent("gold"))
    done = command(folder, "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 0
    assert (report["judge"], report["judged"], report["failed"]) == ("heuristic", 3, 0)
    assert done.stderr.startswith("no key for a judge model (OPENAI_API_KEY is not set): the heuristic")
    assert done.stderr.count("\n") == 1


def test_the_command_asks_the_configured_model_and_keeps_its_votes(server, flaky):
    server.script(*[Answer(completion("Solved"))] * 3, role="judge")
    first = command(flaky, "--json")
    assert (first.exit_code, json.loads(first.stdout)["solved"]) == (0, 3)
    assert len(server.requests) == 3
    (flaky / "verdicts.jsonl").unlink()
    second = command(flaky, "--json")
    assert json.loads(second.stdout) == json.loads(first.stdout)
    assert len(server.requests) == 3


def test_the_command_mends_alone_what_failed_and_exits_1_while_it_fails(server, flaky):
    server.script(*[error("overloaded", 503)], Answer(completion("Solved")), role="judge")
    failing = command(flaky, "--only-failed", "--json")
    assert (failing.exit_code, json.loads(failing.stdout)["failures"]) == (1, {"transport": 1})
    mended = command(flaky, "--only-failed")
    assert mended.exit_code == 0
    assert statuses(read_judged(flaky)) == ["solved", "solved", "unsolved"]


def test_the_key_is_in_no_file_and_in_no_message(server, flaky):
    def echo(request):
        return Answer({"error": {"message": str(dict(request.headers))}}, 401)

    server.script(echo, Answer(completion(f"Solved. {KEY}")), echo, role="judge")
    done = command(flaky)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert done.exit_code == 1
    written = [path.read_text() for path in flaky.rglob("*") if path.is_file()]
    assert any("HTTP 401" in text for text in written)
    assert not any(KEY in text for text in (*written, done.output))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "exact"], "the exact verifier needs the world's state"),
        (["--judge", "pas"], "Did you mean 'pass'?"),
        (["--judge", "heuristic", "--data", "/none"], "/none"),
        (["--judge", "heuristic", "--only-failed"], "was judged by pass:m:v3"),
        (["--votes", "0"], "--votes"),
    ],
)
def test_bad_use_exits_2_and_says_why(keyless, flaky, arguments, message):
    done = command(flaky, *arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_a_folder_without_a_run_exits_2(keyless, tmp_path):
    done = command(tmp_path)
    assert done.exit_code == 2
    assert "holds no run" in done.output


def test_of_a_search_only_the_branch_that_was_played_is_judged_again():
    env = DepthFirstSearch(gym.make("stb/Sandbox-v1"))
    _, info = env.reset(seed=0)
    call = env.task.gold[0]
    wrong = {"name": info["tools"][0]["function"]["name"], "arguments": {"made": "up"}}
    answer = {"cannot": {"reason": "not_found", "what": ["film"]}, "final_answer": "42"}
    plan = iter(
        [
            wrong,
            {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}},
            {"name": call.name, "arguments": dict(call.arguments)},
            {"name": "Finish", "arguments": answer},
        ]
    )
    episode = play(env, as_agent(lambda *_: next(plan)), task_id=info["task_id"], seed=0)
    assert len(episode.tree["nodes"]) == 5
    assert [record.name for record in case_of(episode).calls] == [call.name, "Finish"]
