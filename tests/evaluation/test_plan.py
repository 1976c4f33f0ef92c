"""Plans, and what is refused in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError
from stb_env.evaluation.plan import ASSUMED, AgentPlan, EvaluationPlan, folder_name
from stb_env.evaluation.plan_file import parse_plan, read_plan

WHOLE = """
[eval]
name = "all of it"
groups = ["stb/Sandbox-v1", "stb/I1Instruction-v0"]
seed = 3
trials = 2
episodes = 5
concurrency = 2
budget = 1.5
judge = "pass"
votes = 3
models = "m.toml"
data = "queries"
cache = "base"
mode = "live"
reference = "a"
comparisons = 1
[[agent]]
name = "a"
spec = "chat"
[[agent]]
name = "b"
spec = "gold"
settings = { max_turns = 3 }
[[simulator]]
name = "cold"
model = "sim"
temperature = 0
profile = "chat"
[[simulator]]
name = "warm"
cache = "other"
[settings."stb/Sandbox-v1"]
split = "val"
[assumptions.agent]
calls = 20
"""


def test_a_plan_says_all_that_a_run_is_told():
    plan = parse_plan(WHOLE)
    assert [str(cell) for cell in plan.cells][:3] == [
        "cold · a · Sandbox",
        "cold · b · Sandbox",
        "cold · a · I1Instruction",
    ]
    assert len(plan.cells) == 8
    cold, warm = (plan.env_settings(plan.cells[index]) for index in (2, 7))
    assert cold == {
        "data": "queries",
        "cache": "base",
        "mode": "live",
        "judge": "pass",
        "votes": 3,
        "models": "m.toml",
        "simulator": {"model": "sim", "temperature": 0, "profile": "chat"},
    }
    assert (warm["cache"], warm["max_turns"], "simulator" in warm) == ("other", 3, False)


def test_a_world_keeps_its_own_tools_and_judge():
    plan = parse_plan(WHOLE)
    assert plan.env_settings(plan.cells[0]) == {"split": "val"}
    assert plan.env_settings(plan.cells[1]) == {"split": "val", "max_turns": 3}


def test_what_is_not_assumed_otherwise_keeps_its_default():
    assumed = parse_plan(WHOLE).assumptions
    assert (assumed["agent"].calls, assumed["agent"].prompt) == (20, ASSUMED["agent"].prompt)
    assert assumed["judge"] == ASSUMED["judge"]


def test_a_plan_as_data_names_no_path():
    told = json.dumps(parse_plan(WHOLE).to_dict())
    assert not any(f'"{path}"' in told for path in ("m.toml", "queries", "base", "other"))


def test_a_plan_is_named_after_its_file(tmp_path: Path):
    file = tmp_path / "my-plan.toml"
    file.write_text('[eval]\ngroups = ["stb/Sandbox-v1"]\n[[agent]]\nname = "gold"\n')
    plan = read_plan(file)
    assert (plan.name, plan.cells[0].simulator.name, plan.reference) == ("my-plan", "offline", None)


HEAD = '[eval]\ngroups = ["stb/Sandbox-v1"]\n'
GOLD = '[[agent]]\nname = "gold"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eval = [", r"the plan is not TOML: "),
        ("[evil]", r"the plan has no setting 'evil'; it takes eval, agent, .*\. Did you mean 'eval'\?"),
        (
            "[eval]\nepisode = 3",
            r"\[eval\] in the plan has no setting 'episode'; .* Did you mean 'episodes'\?",
        ),
        ("[eval]\nepisodes = 'all'", r"episodes of \[eval\] in the plan must be a whole number, got 'all'"),
        ("[eval]\ntrials = true", r"trials of \[eval\] in the plan must be a whole number, got True"),
        ("[eval]\ngroups = [3]", r"entry 1 of groups of \[eval\] in the plan must be text, got 3"),
        ("[eval]", r"needs groups = \[\.\.\.\] under \[eval\], and at least one \[\[agent\]\]"),
        (HEAD, r"needs groups = .* at least one \[\[agent\]\]"),
        (
            HEAD + '[[agent]]\nspec = "gold"',
            r"\[\[agent\]\] number 1 in the plan needs a setting 'name'; it has spec$",
        ),
        (
            HEAD + GOLD + 'speck = "x"',
            r"\[\[agent\]\] number 1 in the plan has no setting 'speck'.*mean 'spec'\?",
        ),
        (HEAD + GOLD + GOLD, r"agents 'gold' and 'gold' would share the folder gold; rename one"),
        (
            HEAD + '[[agent]]\nname = ".."',
            r"the name of agent '\.\.' makes no folder; begin it with a letter",
        ),
        (HEAD + "trials = 0\n" + GOLD, r"trials must be at least 1, got 0"),
        (HEAD + "budget = -1\n" + GOLD, r"budget must be a number of dollars from 0, got -1"),
        (HEAD + "budget = nan\n" + GOLD, r"budget must be a number of dollars from 0, got nan"),
        (HEAD + 'reference = "good"\n' + GOLD, r"reference 'good' is none of the agents gold\. Did you mean"),
        ('[eval]\ngroups = ["stb/Sandbx-v1"]\n' + GOLD, r"unknown environment 'stb/Sandbx-v1'; .*Sandbox"),
        (
            '[eval]\ngroups = ["stb/Sandbox-v1", "stb/Sandbox-v1"]\n' + GOLD,
            r"groups has an environment twice",
        ),
        (HEAD + GOLD + '[settings."stb/WebShop-v1"]', r"\[settings\] has 'stb/WebShop-v1', which is none of"),
        (
            HEAD + GOLD + "[assumptions.agents]",
            r"\[assumptions\] in the plan has no setting 'agents'.*'agent'",
        ),
        (HEAD + GOLD + "[assumptions.agent]\ncalls = -1", r"\[assumptions\.agent\] .* must not be negative"),
        (
            HEAD + GOLD + '[[simulator]]\nname = "x"',
            r"simulators are asked in the modes live and record alone; mode is 'offline'",
        ),
        (
            HEAD
            + 'mode = "record"\ncache = "c"\n'
            + GOLD
            + '[[simulator]]\nname="x"\n[[simulator]]\nname="y"',
            r"record into one cache would answer with each other's responses; give each \[\[simulator\]\]",
        ),
    ],
)
def test_what_is_wrong_in_a_plan_is_refused(text: str, message: str):
    with pytest.raises(ConfigError, match=message):
        parse_plan(text)


def test_a_plan_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"cannot read the plan .*none\.toml: No such file"):
        read_plan(tmp_path / "none.toml")


def test_an_environment_named_with_its_file_lies_within_the_evaluation(tmp_path: Path):
    (tmp_path / "mine.py").touch()
    group = f"{tmp_path}/mine.py:stb/Sandbox-v1"
    (cell,) = EvaluationPlan("x", (group,), (AgentPlan("gold"),)).cells
    assert cell.folder == Path("offline", "gold", "Sandbox")
    with pytest.raises(ConfigError, match=r"groups has an environment twice"):
        EvaluationPlan("x", (group, "stb/Sandbox-v1"), (AgentPlan("gold"),))


@given(st.text())
def test_a_name_never_leads_out_of_its_folder(name: str):
    try:
        EvaluationPlan("x", ("stb/Sandbox-v1",), (AgentPlan(name),))
    except ConfigError:
        return
    folder = folder_name(name)
    assert folder
    assert not folder.startswith(".")
    assert Path(folder).name == folder
