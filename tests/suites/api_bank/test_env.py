"""API-Bank's dialogues as episodes."""

from __future__ import annotations

import json
import pickle

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import stb_env  # noqa: F401 (registers the ids)
from stb_env.envs.model_user import ModelUser
from stb_env.errors import ConfigError, DataError
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs import plan, play
from stb_env.runs.baselines import load_agent
from stb_env.suites.api_bank.user import NOTHING_TO_ADD

ABILITIES = ("Call", "Retrieve", "Plan")
STOCK = {"name": "QueryStock", "arguments": {"stock_code": "BRKV", "date": "2023-03-22"}}


def started(ability="Call", task_id="stock-price-1", **settings):
    env = gym.make(f"stb/APIBank{ability}-v1", **settings).unwrapped
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    return env, observation, info


def played(agent, ability, **settings):
    env = gym.make(f"stb/APIBank{ability}-v1", **settings)
    return [
        play(env, load_agent(agent)(), task_id=job.task_id, seed=job.seed)
        for job in plan(env.unwrapped.tasks, episodes=None)
    ]


def offered(info):
    return [spec["function"]["name"] for spec in info["tools"]]


@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasiums_checker_accepts_it(ability):
    env = gym.make(f"stb/APIBank{ability}-v1").unwrapped
    check_env(env, skip_render_check=True, skip_close_check=True)


@pytest.mark.parametrize("ability", ABILITIES)
def test_the_spec_survives_json(ability):
    spec = gym.make(f"stb/APIBank{ability}-v1", pool=3, reward_basis="state").spec
    again = gym.envs.registration.EnvSpec.from_json(spec.to_json())
    assert gym.make(again).unwrapped.rules.judge.basis == "state"


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("settings", [{}, {"pool": "all"}, {"pool": "own"}, {"pool": 4}])
def test_the_oracle_solves_every_dialogue_in_every_pool(ability, settings):
    assert {episode.reward for episode in played("gold", ability, **settings)} == {1.0}


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("search", ["ngram", "bm25", "hybrid"])
def test_the_oracle_finds_tools_by_name_whatever_the_search(ability, search):
    assert all(episode.solved for episode in played("gold", ability, search=search))


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("agent", ["noop", "give_up", "echo", "inject"])
def test_an_agent_that_calls_nothing_scores_nothing(ability, agent):
    assert {episode.reward for episode in played(agent, ability)} == {0.0}


@pytest.mark.parametrize(("settings", "told"), [({}, True), ({"reward_basis": "calls"}, False)])
def test_an_agent_is_told_that_its_last_calls_decide_where_they_do(settings, told):
    env, _, _ = started(**settings)
    episode = play(env, load_agent("noop")(), task_id="stock-price-1", seed=0)
    assert ("only your last calls of each tool are judged" in episode.messages[0]["content"]) is told


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
def test_equal_seeds_give_equal_bytes(ability):
    first, second = ("\n".join(episode.to_json() for episode in played("random", ability)) for _ in range(2))
    assert first == second


def test_what_is_no_call_goes_to_the_user_who_follows_the_script():
    env, observation, _ = started()
    assert observation["query"] == "What did BRKV cost on 22 March?"
    observation, reward, terminated, _, _ = env.step("Of which year?")
    assert json.loads(observation["result"])["response"] == "This one, 2023."
    assert (observation["status"], reward, terminated) == (0, 0.0, False)
    env.step(STOCK)
    observation, reward, terminated, _, _ = env.step("It cost 42.")
    assert (json.loads(observation["result"])["response"], terminated) == (NOTHING_TO_ADD, False)
    _, reward, terminated, _, info = env.step("Good-bye.")
    assert (reward, terminated, info["verdict"]["status"]) == (1.0, True, "solved")


def finish(answer, kind="give_answer"):
    return {"name": "Finish", "arguments": {"return_type": kind, "final_answer": answer}}


def test_a_finish_is_heard_by_the_user_who_still_wants_something():
    env, _, _ = started()
    observation, _, terminated, _, info = env.step(finish("Of which year?"))
    assert (json.loads(observation["result"])["response"], terminated) == ("This one, 2023.", False)
    assert (observation["status"], info["calls"][0]["response"]) == (0, "This one, 2023.")
    env.step(STOCK)
    _, reward, terminated, _, _ = env.step(finish("42"))
    assert (reward, terminated) == (1.0, True)


def test_a_finish_beside_a_call_is_heard_after_the_call_is_made():
    env, _, _ = started()
    observation, _, terminated, _, info = env.step([STOCK, finish("It cost 42.")])
    assert [call["name"] for call in info["calls"]] == ["QueryStock", "Finish"]
    assert (terminated, json.loads(observation["result"])[1]["response"]) == (False, "This one, 2023.")


def test_giving_up_ends_the_episode_at_any_time():
    env, _, _ = started()
    env.step(STOCK)
    _, reward, terminated, _, _ = env.step(finish("", "give_up_and_restart"))
    assert (reward, terminated) == (0.0, True)


def test_a_finish_that_the_user_heard_is_a_reply_as_any_other():
    env, _, _ = started()
    env.step(finish("Of which year?"))
    env.step(STOCK)
    *_, info = env.step(finish("One share of BRKV cost 42 on 22 March 2023."))
    assert info["verdict"]["metrics"]["rouge_l"] == 1.0


def test_the_system_message_is_about_a_conversation_and_gives_the_day():
    _, _, info = started()
    system = info["messages"][0]["content"]
    assert "plain text reaches the user" in system
    assert "today is 2023-03-31" in system
    assert "${" not in system


def test_a_search_shows_what_a_call_has_to_give_and_what_it_may_leave_out():
    env, *_ = started("Retrieve", "alarm-1")
    *_, info = env.step("[ToolSearcher(keywords='ModifyRegistration')]")
    inputs = info["calls"][0]["response"]["input_parameters"]
    assert {name: each["required"] for name, each in inputs.items()} == {
        "appointment_id": True,
        "new_appointment_date": False,
        "new_appointment_doctor": False,
    }


def test_the_official_dialogues_have_no_training_split():
    with pytest.raises(
        ConfigError, match=r"^the official dialogues are tests; leave out data, or split='train'$"
    ):
        gym.make("stb/APIBankCall-v1", data="anywhere", split="train")


@pytest.mark.parametrize(
    "action",
    [
        "[TimedSwitch(name='floor lamp', time='2023-04-02 23:00:00', on='False')]",
        "[TimedSwitch(device_id='floor lamp', time='2023-04-02 23:00:00', on='False')]",
        {
            "name": "TimedSwitch",
            "arguments": {"name": "floor lamp", "time": "2023-04-02 23:00:00", "on": False},
        },
    ],
)
def test_a_call_may_be_written_as_the_dialogues_write_it(action):
    env, _, _ = started(task_id="lamp-timer-1")
    observation, _, _, _, info = env.step(action)
    assert observation["status"] == 0
    assert info["calls"][0]["arguments"]["on"] is False


def test_a_list_may_come_as_text_in_single_quotes():
    env, _, _ = started(task_id="meeting-add-1")
    gold = env.task.record["calls"][1]
    assert isinstance(gold[1]["attendees"], str)
    observation, *_ = env.step({"name": gold[0], "arguments": gold[1]})
    assert observation["status"] == 0


@pytest.mark.parametrize(("ability", "task_id"), [("Retrieve", "alarm-1"), ("Plan", "paris-weather-1")])
def test_only_the_search_is_there_at_first(ability, task_id):
    env, _, info = started(ability, task_id)
    assert offered(info) == ["ToolSearcher", "Finish"]
    hidden = env.task.gold[-1]
    observation, *_ = env.step({"name": hidden.name, "arguments": hidden.arguments})
    assert observation["status"] == 3


def test_what_a_search_finds_can_be_called_with_the_login_that_it_needs():
    env, *_ = started("Retrieve", "alarm-1")
    observation, *_ = env.step("[ToolSearcher(keywords='add an alarm clock')]")
    names = [spec["function"]["name"] for spec in json.loads(observation["tools"])]
    assert names == ["ToolSearcher", "GetUserToken", "AddAlarm", "Finish"]
    login = env.task.gold[1]
    observation, *_ = env.step({"name": login.name, "arguments": login.arguments})
    assert observation["status"] == 0


def test_a_search_finds_nothing_outside_the_pool():
    env, *_ = started("Retrieve", "stock-1", pool="own")
    observation, *_ = env.step("[ToolSearcher(keywords='play some music, please')]")
    result = json.loads(observation["result"])
    assert result["error"] or result["response"]["name"] == "QueryStock"


def test_a_fork_finds_and_changes_for_itself_alone():
    env, *_ = started("Retrieve", "alarm-1")
    branch = env.fork()
    for gold in env.task.gold:
        branch.step({"name": gold.name, "arguments": gold.arguments})
    assert env.snapshot().backend.table("found") == {}
    alarms = [fork.snapshot().backend.table("Alarm") for fork in (env, branch)]
    assert len(alarms[1]) == len(alarms[0]) + 1


def test_a_state_survives_pickling():
    env, *_ = started("Retrieve", "alarm-1")
    env.step("[ToolSearcher(keywords='add an alarm clock')]")
    state = pickle.loads(pickle.dumps(env.snapshot()))
    other, *_ = started("Retrieve", "stock-1")
    other.restore(state)
    assert "AddAlarm" in other.step("[AddAlarm(token='x', time='y')]")[0]["tools"]


def test_a_restored_state_offers_what_was_found_by_then_and_no_more():
    env, *_ = started("Retrieve", "alarm-1")
    before = env.snapshot()
    env.step("[ToolSearcher(keywords='add an alarm clock')]")
    after = env.snapshot()
    for state, names in (
        (before, ["ToolSearcher", "Finish"]),
        (after, ["ToolSearcher", "GetUserToken", "AddAlarm", "Finish"]),
    ):
        env.restore(state)
        assert [tool.name for tool in env.action_space.tools] == names
        observation, *_, info = env.fork().step("Hello?")
        assert [spec["function"]["name"] for spec in json.loads(observation["tools"])] == names
        *_, info = env.fork().step({"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}})
        assert offered(info) == names


def test_what_is_not_found_in_a_restored_state_cannot_be_called():
    env, *_ = started("Retrieve", "alarm-1")
    before = env.snapshot()
    env.step("[ToolSearcher(keywords='add an alarm clock')]")
    env.restore(before)
    observation, *_ = env.step("[AddAlarm(token='x', time='y')]")
    assert observation["status"] == 3


def test_ids_that_a_dialogue_recorded_are_handed_out_again_whatever_the_seed():
    env = gym.make("stb/APIBankCall-v1").unwrapped
    booked = set()
    for seed in (1, 2):
        env.reset(seed=seed, options={"task_id": "book-visit-1"})
        call = env.task.gold[0]
        *_, info = env.step({"name": call.name, "arguments": call.arguments})
        booked.add(info["calls"][0]["response"])
    assert booked == {env.task.goal["calls"][0]["result"]["output"]}


def test_the_turn_limit_ends_an_episode_unsolved():
    env, *_ = started(max_turns=1)
    _, reward, _, truncated, info = env.step(STOCK)
    assert (reward, truncated, info["verdict"]["status"]) == (0.0, True, "unsolved")


def test_a_model_can_play_the_user():
    user = ModelUser(ScriptedModel(['{"say": "2023, of course."}', '{"say": null}']))
    env, *_ = started(user=user)
    observation, *_ = env.step("Of which year?")
    assert json.loads(observation["result"])["response"] == "2023, of course."
    env.step(STOCK)
    _, reward, terminated, _, info = env.step("It cost 42.")
    assert (reward, terminated, info["usage"]["calls"]) == (1.0, True, 2)


def test_a_user_who_cannot_be_read_is_a_failure_of_its_own_kind():
    env, *_ = started(user=ModelUser(ScriptedModel(["hm"] * 3)))
    _, reward, _, truncated, info = env.step("Of which year?")
    assert (reward, truncated, info["valid"]) == (0.0, True, False)
    assert (info["failure"]["stage"], info["usage"]["calls"]) == ("user", 3)


def test_a_user_who_cannot_be_read_hears_what_was_wrong():
    model = ScriptedModel(["hm", '{"say": "Of 2023."}'])
    env, *_ = started(user=ModelUser(model))
    observation, *_ = env.step("Of which year?")
    assert json.loads(observation["result"])["response"] == "Of 2023."
    assert model.requests[1].messages[:-2] == model.requests[0].messages
    assert "could not be read" in model.requests[1].messages[-1]["content"]


def test_a_users_model_that_fails_names_its_stage():
    down = ModelError("no answer in 5 s", kind="timeout", retryable=True)
    env, *_ = started(user=ModelUser(ScriptedModel([down])))
    *_, info = env.step("Of which year?")
    assert info["failure"] == {
        "kind": "timeout",
        "stage": "user",
        "retryable": True,
        "message": "no answer in 5 s",
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"pool": "al"},
            r"^pool must be None, 'own', 'all' or a whole number, got 'al'\. Did you mean 'all'\?$",
        ),
        ({"pool": -1}, r"^pool must be 'own', 'all' or a number from 0 to 52, got -1\.$"),
        ({"pool": True}, r"^pool must be .*, got True$"),
        (
            {"search": "ngrams"},
            r"^search must be 'frozen', 'ngram', 'bm25', .* got 'ngrams'\. Did you mean 'ngram'\?$",
        ),
        (
            {"reward_basis": "call"},
            r"^reward_basis must be None, 'acts', 'calls', 'state', 'rouge' or 'all', got 'call'\.",
        ),
        (
            {"user": "modl"},
            r"^user must be 'scripted', 'model', a User or a function, got 'modl'\. Did you mean 'model'\?$",
        ),
        ({"user": "model"}, r"^the user has no model: set OPENAI_API_KEY, or STB_USER_BASE_URL and "),
        (
            {"scenes": True},
            r"^scenes are a part of the official data of Plan; give data, and ability='Plan'$",
        ),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        gym.make("stb/APIBankCall-v1", **settings)


@pytest.mark.parametrize(
    ("ability", "message"),
    [
        ("Call", r"holds no API-Bank dialogues; give the folder that holds level-1-given-desc"),
        ("Plan", r"holds no dialogues of level 3; give level-3\.json or a folder that holds it$"),
    ],
)
def test_a_folder_without_dialogues_is_refused(tmp_path, ability, message):
    with pytest.raises(DataError, match=message):
        gym.make(f"stb/APIBank{ability}-v1", data=str(tmp_path))
