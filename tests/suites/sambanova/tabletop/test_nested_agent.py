"""Nested generation: what a program calls and nobody has defined is asked for, level by level."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import httpx2  # noqa: F401 - its first import would eat up time-outs
import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs import play
from stb_env.show.cli import app
from stb_env.suites.sambanova.tabletop.demos import SCENE
from stb_env.suites.sambanova.tabletop.env import make
from stb_env.suites.sambanova.tabletop.nested_agent import MAX_REQUESTS, NestedAgent, prompt_for
from stb_env.suites.sambanova.tabletop.tasks import tabletop_task, tasks_of
from stb_env.tasks import TaskSet
from tests.fakes.openai_server import Answer, OpenAIServer, completion

SLOTS = {"block": "pink block", "object1": "red bowl"}
TASK = tabletop_task("1", "test", "Put the pink block in the red bowl.", "SI_0", SLOTS, SCENE.positions, 0)
OBJECTS = f"objects = {list(SCENE.names)}"


def asked(request: Any) -> str:
    """Return what a prompt asks in the end: the last comment, with the line of objects before it."""
    lines = request.messages[-1]["content"].splitlines()
    return "\n".join(lines[-2:] if lines[-2].startswith("objects = ") else lines[-1:])


def model_of(answers: dict[str, str]) -> ScriptedModel:
    return ScriptedModel(lambda request: answers[asked(request)])


def played(model: ScriptedModel, *, agent: str | None = None, **settings: Any) -> Any:
    env = make(data=TaskSet([TASK]), **{"program": True, **settings})
    return play(env, NestedAgent(model, compat=agent), task_id="1", seed=0)  # type: ignore[arg-type]


GOAL = f"{OBJECTS}\n# Put the pink block in the red bowl."
LEVELS = {
    GOAL: "target = find_target('red')\ndeliver('pink block', target)",
    "# define function: target = find_target('red').": "def find_target(hue):\n    return join(hue, 'bowl')",
    "# define function: join(hue, 'bowl').": "def join(a, b):\n    return a + ' ' + b",
    "# define function: deliver('pink block', target).": (
        "def deliver(name, target):\n    put_first_on_second(name, target)"
    ),
}


@pytest.mark.parametrize("compat", [None, "original"])
def test_functions_that_nobody_defined_are_asked_for_level_by_level(compat: str | None):
    model = model_of(LEVELS)
    episode = played(model, agent=compat, compat=compat)
    assert [asked(request) for request in model.requests] == list(LEVELS)
    assert (episode.reward, episode.valid, episode.usage["calls"]) == (1.0, True, 4)
    (call,) = [call for step in episode.steps for call in step["calls"] if call["name"] == "program"]
    assert list(map(call["arguments"]["text"].count, LEVELS.values())) == [1, 1, 1, 1]


@pytest.mark.parametrize("missing", list(LEVELS))
def test_without_one_of_its_levels_a_program_does_not_run(missing: str):
    episode = played(model_of(LEVELS | {missing: "say('done')"}))
    assert (episode.reward, episode.valid) == (0.0, True)


def test_a_function_that_is_called_twice_is_asked_for_once():
    model = model_of(
        {
            GOAL: "for name in ['green block', 'pink block']:\n    drop(name)\ndrop('pink block')",
            "# define function: drop(name).": "def drop(name):\n    put_first_on_second(name, 'red bowl')",
        }
    )
    played(model)
    assert len(model.requests) == 2


def test_what_a_program_defines_takes_as_argument_or_imports_is_not_asked_for():
    model = model_of(
        {
            GOAL: "import math\nfrom numpy import mean\n"
            "def drop(name, move):\n    move(name, 'red bowl')\n"
            "drop('pink block', put_first_on_second)\n"
            "pick = lambda names: sorted(names)[0]\npick(objects), mean([1]), math.sqrt(len(objects))"
        }
    )
    assert (played(model).reward, len(model.requests)) == (1.0, 1)


CONTEXT = "f'objects = {get_obj_names()}'"
PHRASES = {
    GOAL: (
        f"name = parse_obj_name('the lowest block', {CONTEXT})\n"
        "put_first_on_second(name, parse_position('in the red bowl'))"
    ),
    f"{OBJECTS}\n# the lowest block.": "ret_val = lowest([name for name in objects if 'block' in name])",
    "# define function: ret_val = lowest([name for name in objects if 'block' in name]).": (
        "def lowest(names):\n    return min(names, key=lambda name: get_obj_pos(name)[1])"
    ),
    "# in the red bowl.": "ret_val = get_obj_pos('red bowl')",
}


@pytest.mark.parametrize("compat", [None, "original"])
def test_what_a_phrase_means_is_a_program_that_the_model_writes(compat: str | None):
    model = model_of(PHRASES)
    assert played(model, agent=compat, compat=compat).reward == 1.0
    assert [asked(request) for request in model.requests] == list(PHRASES)


def test_a_phrase_means_what_the_model_says_and_not_what_our_rules_say():
    wrong = {f"{OBJECTS}\n# the lowest block.": "ret_val = 'green block'"}
    assert played(model_of(PHRASES | wrong)).reward == 0.0


def test_a_phrase_is_asked_for_once_and_means_the_table_as_it_then_is():
    main = (
        "first = parse_position('10 cm up from pink')\n"
        "put_first_on_second('pink block', first)\n"
        "put_first_on_second('pink block', parse_position('10 cm up from pink'))\n"
        "say(str(round(get_obj_pos('pink block')[1] + 0.6, 2)))"
    )
    model = model_of({GOAL: main, "# 10 cm up from pink.": "ret_val = get_obj_pos('pink block') + [0, 0.1]"})
    env = make(data=TaskSet([TASK]), program=True)
    play(env, NestedAgent(model), task_id="1", seed=0)
    assert env.snapshot().backend.said == ("0.2",)
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("main", "request_", "answer"),
    [
        (
            f"if parse_question('is a bowl red?', {CONTEXT}):\n put_first_on_second(objects[2], 'red bowl')",
            f"{OBJECTS}\n# is a bowl red?",
            "ret_val = 'red bowl' in objects",
        ),
        (
            "points = transform_shape_pts('move it onto the red bowl', shape_pts=[[0, 0]])\n"
            "put_first_on_second('pink block', points[0])",
            "# move it onto the red bowl.",
            "new_shape_pts = np.array(shape_pts) + get_obj_pos('red bowl')",
        ),
    ],
)
def test_questions_and_changes_of_shapes_are_phrases_too(main: str, request_: str, answer: str):
    assert played(model_of({GOAL: main, request_: answer})).reward == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "```python\n# The block goes into the bowl.\n{}\n```\nThat does it!",
        "{}\n# stack the blocks.\nput_first_on_second('pink block', 'middle')",
        "# Put the pink block in the red bowl.\n{}",
        f"{OBJECTS}\n# Put it in.\n{{}}\nobjects = []\nsay('more')",
        "{}\nTask: the next\n",
    ],
)
def test_the_code_is_taken_out_of_an_answer(answer: str):
    assert (
        played(model_of({GOAL: answer.format("put_first_on_second('pink block', 'red bowl')")})).reward == 1.0
    )


def test_the_original_cuts_an_answer_at_the_first_stop_text_wherever_it_stands():
    answer = (
        "put_first_on_second('pink block', 'middle') # then\nput_first_on_second('pink block', 'red bowl')"
    )
    assert played(model_of({GOAL: answer})).reward == 1.0
    assert played(model_of({GOAL: answer}), agent="original").reward == 0.0


def test_the_original_sends_the_stop_texts_of_each_kind_of_request():
    model = model_of(PHRASES)
    played(model, agent="original")
    common = ["------", "Task:"]
    assert [request.sampling.to_dict()["stop"] for request in model.requests] == [
        [*common, "#", "objects = ["],
        [*common, "#", "objects = ["],
        [*common, "# define", "# example"],
        [*common, "#"],
    ]
    assert {(request.sampling.temperature, request.sampling.max_tokens) for request in model.requests} == {
        (0.0, 256)
    }


@pytest.mark.parametrize(
    "answer",
    ["I cannot do that.", "put_first_on_second('pink block',", "parse_obj_name(5)", "objects[99]", ""],
)
def test_a_program_that_does_not_run_is_played_and_scores_nothing(answer: str):
    model = model_of({GOAL: answer})
    episode = played(model)
    assert (episode.reward, episode.valid, len(model.requests)) == (0.0, True, 1)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("main", "further"),
    [
        ("step_0()", "step_{0}()"),
        ("for n in range(100):\n    parse_position(f'place {n}')", "ret_val = [0, 0]"),
    ],
)
def test_a_program_that_never_is_complete_is_played_as_far_as_it_is(main: str, further: str):
    def more(request: Any) -> str:
        number = len(model.requests)
        text = asked(request).removeprefix("# define function: ")
        if text == GOAL:
            return main
        return f"def {text.rstrip('.')}:\n    {further.format(number)}" if "step" in text else further

    model = ScriptedModel(more)
    episode = played(model)
    assert (episode.reward, episode.valid, len(model.requests)) == (0.0, True, MAX_REQUESTS)


def test_the_prompts_show_the_functions_and_solved_examples_of_their_kind():
    for kind, shown in {"goal": 16, "object_names": 8, "positions": 10, "functions": 11}.items():
        text = prompt_for(kind, "# this.")
        assert "# get_obj_pos(obj_name): " in text
        assert text.endswith("\n# this.")
        assert sum(line.startswith("# ") and line.endswith((".", "?")) for line in text.splitlines()) > shown
    assert "stack_objects_in_order(object_names): " not in prompt_for("goal", "# this.")


def test_after_its_program_it_finishes_where_one_action_is_not_all():
    episode = played(model_of(LEVELS), program=False)
    assert (episode.reward, len(episode.steps)) == (1.0, 2)


def test_a_failing_model_makes_the_episode_invalid():
    error = ModelError("down", kind="timeout", stage="model")
    episode = played(ScriptedModel([LEVELS[GOAL], error]))
    assert (episode.valid, episode.failure["kind"], episode.failure["stage"]) == (False, "timeout", "agent")


def test_other_tasks_are_refused():
    env = gym.make("stb/HomeSearch-v1", program=True)
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^nested plays stb/Tabletop-v1 alone; take another agent"):
        NestedAgent(ScriptedModel([])).reset(env, 0)


def test_without_a_model_it_says_how_to_name_one():
    with pytest.raises(ConfigError, match=r"the nested agent has no model: set .*STB_AGENT_BASE_URL"):
        NestedAgent()


def test_the_manifest_says_which_prompts_it_used():
    fingerprint = NestedAgent(ScriptedModel([], name="m"), compat="original").fingerprint
    assert (fingerprint["model"], fingerprint["compat"], len(fingerprint["prompts"])) == ("m", "original", 6)


# -- the command line ----------------------------------------------------------------------------------------

MOVES = {
    task.query: [(call.arguments["first"], call.arguments["second"]) for call in task.gold]
    for task in map(tasks_of().at, range(15))
}


def knowing(say: Callable[[str], str]) -> Callable[[Any], Answer]:
    """Answer over HTTP as a model would that knows the moves, and leaves the details to further requests."""

    def answer(request: Any) -> Answer:
        lines = request.body["messages"][-1]["content"].splitlines()
        if lines[-1].startswith("# define function: carry_out("):
            return Answer(
                completion("def carry_out(moves):\n    for what, where in moves:\n        bring(what, where)")
            )
        if lines[-1] == "# define function: bring(what, where).":
            to = "where if isinstance(where, str) else np.array(where)"
            return Answer(completion(f"def bring(what, where):\n    put_first_on_second(what, {to})"))
        return Answer(completion(say("\n".join(lines[-2:]))))

    return answer


@pytest.mark.parametrize("compat", ["", "original"])
@pytest.mark.parametrize("knows", [True, False])
def test_the_command_line_plays_it_against_a_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, compat: str, knows: bool
):
    server = OpenAIServer()
    with server.running():
        server.script(
            *[knowing(lambda query: f"carry_out({MOVES[query]})" if knows else "carry_out([])")] * 60
        )
        monkeypatch.setenv("STB_AGENT_BASE_URL", server.url())
        monkeypatch.setenv("STB_AGENT_MODEL", "fake")
        agent = f"nested(compat={compat!r})" if compat else "nested"
        words = ["run", "stb/Tabletop-v1", "--agent", agent, "--episodes", "15", "--json"]
        words += ["--set", "program=true", "--out", str(tmp_path / "run")]
        words += ["--set", f"compat={compat}"] if compat else []
        done = CliRunner().invoke(app, words, env=dict(os.environ))
    assert done.exit_code == 0, done.output
    assert len(server.requests) == 45
    report = json.loads(done.stdout)
    assert report["mean"] == float(knows)
