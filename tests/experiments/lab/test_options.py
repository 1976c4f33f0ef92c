"""Wrong options of every experiment: one clear line, exit code 2 and never a traceback."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from stb_env.experiments.lab.registry import EXPERIMENTS
from stb_env.show.cli import app
from tests.shared import folder, queries

# Wrong for every experiment, whether it has such an option or not.
WRONG = [
    "--set nonsense=1",
    "--set nonsense",
    "--set =1",
    "--agent raeder",
    "--agent reader(x=1)",
    "--agent reader(",
    "--agent nofile.py:Player",
    "--agent replay:nowhere",
    "--agent chat",
    "--set agent=3",
    "--set agent=[]",
    "--set agent=[[3]]",
    '--set agent={"a":1}',
    "--judge heuristics",
    "--judge nofile.py:Judge",
    "--judge pass",
    "--set judge=[1]",
    "--set judge=null",
    "--data nowhere",
    "--set data=3",
    "--models nowhere.toml",
    "--set models=3",
    "--set shares=x",
    "--set faulty=x",
    "--set budgets=[null]",
    "--set writer=3",
    "--set embedding=[]",
    "--set labels=3",
    "--set votes=0",
]

ASKING = {"forms", "injections"}
"""These ask a model whatever else is said."""
MADE_SHORT = {"search": ["--set", "budgets=[2]"], "red-team": ["--set", 'ids=["stb/CatAPI-v1"]']}

SAID = [
    ("failures", "--agent raeder", r"no agent 'raeder'; give a name \(.*\), path.* Did you mean 'reader'\?"),
    ("failures", "--agent gold", r"gold relies on true answers .*; write --agent reader, which .*"),
    ("failures", "--agent gold()", r"gold relies on true answers .*"),
    ("failures", "--agent noop --agent echo", r"one agent plays in the Sandbox, got \['noop', 'echo'\]; .*"),
    ("failures", "--judge exact", r"the exact verifier judges every episode here; judge is the open one .*"),
    ("failures", "--judge heuristics", r"no judge 'heuristics'; .* Did you mean 'heuristic'\?"),
    ("failures", "--set share=[1]", r"no setting 'share'; expected .* Did you mean 'shares'\?"),
    ("failures", "--set shares=[]", r"shares is a list of shares, got \[\]; write shares=\[0,0.5\]"),
    ("failures", "--set shares=0.5", r"shares is a list of shares, got 0.5; write shares=\[0,0.5\]"),
    ("failures", "--set margin=true", r"margin is a share from 0 to 1, got True"),
    ("failures", "--set outages=0", r"outages is a whole number from 1, got 0"),
    ("failures", "--set shares=[1.5]", r"shares is a share from 0 to 1, got 1.5"),
    ("failures", "--set margin=2", r"margin is a share from 0 to 1, got 2"),
    ("failures", "--set outages=true", r"outages is a whole number from 1, got True"),
    ("failures", "--set concurrency=0", r"concurrency is a whole number from 1, got 0"),
    (
        "cache",
        "--agent noop",
        r"this experiment takes no agent: without --data its agents err at known rates; .*",
    ),
    ("cache", "--set faulty=2", r"faulty is a share from 0 to 1, got 2"),
    ("status", "--agent noop", r"this experiment takes no agent: calls are written from documentation, .*"),
    ("status", "--judge pass", r"this experiment takes no judge: answers are classed by the rules .*"),
    ("judges", "--data .", r"this experiment takes no data: it needs cases whose truth is known, .*"),
    ("judges", "--agent chat", r"this experiment takes no agent: .*; `stb-env lab failures --agent A .*"),
    ("diversity", "--set writer=agnt", r"writer must be one of .*, got 'agnt'\. Did you mean 'agent'\?"),
    ("diversity", "--models m.toml", r"models names the model that writes calls; say which: .*"),
    ("turing", "--judge pass", r"this experiment takes no judge: annotators judge here; write their .*"),
    ("turing", "--set labels=nowhere", r"no labels at nowhere; give a file of JSON lines with .*"),
    ("search", "--agent reader", r"reader follows one plan and cannot go back to another node; .*"),
    ("search", "--agent noop --set error_rate=0", r"error_rate is the default agent's, .*"),
    ("search", "--judge exact", r"the exact verifier scores the Sandbox as it is and knows no real .*"),
    ("search", "--set budgets=6", r"budgets is a list of whole numbers, got 6; write budgets=\[6,12\]"),
    ("search", "--set budgets=[0]", r"budgets is a whole number from 1, got 0"),
    ("search", "--set budget=[6]", r"no setting 'budget'; expected agent, .* Did you mean 'budgets'\?"),
    ("search", "--set error_rate=2", r"error_rate is a share from 0 to 1, got 2"),
    ("judges", "--judge heuristik", r"no judge 'heuristik'; .* Did you mean 'heuristic'\?"),
    ("turing", "--set label=x", r"no setting 'label'; expected data, labels\. Did you mean 'labels'\?"),
    ("diversity", "--set embeding=x", r"no setting 'embeding'; expected .* Did you mean 'embedding'\?"),
    ("diversity", "--set map=ump", r"map must be one of stand-in, umap, got 'ump'\. Did you mean 'umap'\?"),
    ("diversity", "--set calls=0", r"calls is a whole number from 1, got 0"),
    ("forms", "--set roles=judge", r"roles must be some of agent, .*, user, got 'judge'\."),
    ("forms", '--set ways=["txt"]', r"ways must be some of .*, text, got 'txt'\. Did you mean 'text'\?"),
    ("forms", "--set ways=3", r"ways is a list of auto, json_schema, tools, text, got 3"),
    ("forms", "--set role=agent", r"no setting 'role'; expected models, roles, ways\. Did .* 'roles'\?"),
    ("injections", "--set judges=[3]", r"judges must be some of pass, .*, got 3\."),
    ("scale", "--set latency=1", r"latency is a list of seconds, got 1; write latency=\[0.2,1\]"),
    ("scale", "--set latency=[-1]", r"latency is a number from 0, got -1"),
    ("scale", "--set core_price=cheap", r"core_price is a number from 0, got 'cheap'"),
    ("scale", "--set measure=1", r"measure is true or false, got 1"),
]


@pytest.fixture(autouse=True)
def no_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no key of whoever runs the tests be found, nor a file of theirs."""
    for name in os.environ:
        if name.endswith("_API_KEY") or name.startswith(("STB_AGENT", "STB_JUDGE")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def lab(name: str, *words: str | Path) -> Result:
    return CliRunner().invoke(app, ["lab", name, "--episodes", "1", *map(str, words)])


def error(result: Result) -> str:
    """Return the one line that says what is wrong."""
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


@pytest.mark.heavy
@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_whatever_is_wrong_is_said_in_one_line(name: str):
    for words in WRONG:
        assert error(lab(name, *words.split(" ", 1))), words


@pytest.mark.parametrize(("name", "words", "said"), SAID, ids=[f"{case[0]} {case[1]}" for case in SAID])
def test_the_line_says_what_was_got_and_what_to_do(name: str, words: str, said: str):
    assert re.fullmatch(said, error(lab(name, *words.split(" "))))


@pytest.mark.parametrize("name", ["failures", "search"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--set groups=[[]]", r"groups must be some of .*, got \[\]\."),
        ("--set groups=I1-Tools", r"groups must be some of .*, got 'I1-Tools'\. Did you mean 'I1-Tool'\?"),
        ("--set mode=liv", r"mode must be .* Did you mean 'live'\?"),
        ("--set cache=nowhere", r"no folder .*nowhere; .*"),
        ("--set jugde=pass", r"stb/\w+-v0 has no setting 'jugde'; .* Did you mean 'judge'\?"),
        ("--judge exact", r"the exact verifier .*"),
    ],
)
def test_real_queries_are_as_strict(name: str, words: str, said: str, shared_data: Path):
    data = queries(shared_data)
    assert re.fullmatch(said, error(lab(name, "--data", data, "--agent", "random", *words.split(" "))))


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("dfs", r"the chat agent has no model: .*"),
        ("stumbling_oracle", r"stumbling_oracle knows the Sandbox's solutions alone; on real queries .*"),
    ],
)
def test_a_search_over_real_queries_wants_an_agent_that_can_play_it(agent, said, shared_data):
    assert re.fullmatch(said, error(lab("search", "--data", queries(shared_data), "--agent", agent)))


def test_an_agent_with_a_search_of_its_own_plays_no_search(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from stb_env import Agent, DepthFirstSearch\n\n\nclass Own(Agent):\n    name = 'own'\n\n"
        "    def wrap(self, env):\n        return DepthFirstSearch(env)\n"
    )
    assert re.fullmatch(
        r".*own\.py:Own brings a search of its own, and this .*",
        error(lab("search", "--agent", f"{file}:Own")),
    )


def test_a_folder_that_is_a_file_is_found_before_anything_is_played(tmp_path):
    (tmp_path / "taken").write_text("")
    assert error(lab("failures", "--out", tmp_path / "taken")).endswith("is made where there is none")


def test_the_options_of_the_command_are_settings_of_the_experiment():
    result = lab("failures", "--agent", "give_up", "--judge", "heuristic", "--set", "shares=[0]", "--json")
    details = json.loads(result.stdout)["details"]
    assert (details["agent"], details["judge"]) == ("give_up", "heuristic")


@pytest.mark.heavy
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - ASKING))
def test_what_is_measured_and_assumed_is_printed_saved_and_in_the_manifest(name: str, tmp_path: Path):
    more = MADE_SHORT.get(name, [])
    text = lab(name, "--out", tmp_path, *more).stdout
    saved, manifest = (json.loads((tmp_path / f"{name}{end}.json").read_text()) for end in ("", ".manifest"))
    about = EXPERIMENTS[name].about
    assert text.splitlines()[2] == str(about)
    assert saved["about"] == manifest["about"] == {"measured": about.measured, "assumed": about.assumed}
    assert (manifest["experiment"], manifest["seed"], manifest["episodes"]) == (name, 0, 1)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["status", "search", "failures"])
def test_real_queries_are_described_as_such(name: str, shared_data: Path):
    more = {"search": ["--agent", "random", "--set", "budgets=[1]"], "failures": ["--agent", "reader"]}
    result = lab(name, "--data", queries(shared_data), *more.get(name, []), "--json")
    assert json.loads(result.stdout)["about"]["measured"] == EXPERIMENTS[name].with_data.measured


@pytest.mark.parametrize("name", ["diversity", "turing"])
def test_recorded_answers_are_described_as_such(name: str, shared_data: Path):
    result: Any = lab(name, "--data", folder(shared_data, "mirrorapi_bench"), "--json")
    assert json.loads(result.stdout)["about"]["measured"] == EXPERIMENTS[name].with_data.measured
