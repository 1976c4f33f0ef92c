"""The six groups as environments."""

from __future__ import annotations

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.runs import play
from stb_env.runs.agent import Agent
from tests.fakes.api_server import APIServer


class Caller(Agent):
    """Calls the first tool and gives up."""

    name = "caller"

    def act(self, observation, info):
        if observation["turn"]:
            return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        function = info["tools"][0]["function"]
        needed = function["parameters"].get("required", ())
        return {"name": function["name"], "arguments": dict.fromkeys(needed, "x")}


def test_a_live_server_is_sent_the_key_under_the_originals_name(monkeypatch):
    monkeypatch.setenv("TOOLBENCH_KEY", "a-key-of-mine")
    with APIServer().running() as server:
        env = gym.make(
            "stb/I1Instruction-v0", mode="live", real=server.url(), simulator="none", judge="heuristic"
        )
        play(env, Caller(), task_id=env.unwrapped.tasks.at(0).id, seed=0)
        env.close()
    (request,) = server.requests
    assert request.headers["toolbench_key"] == request.body["toolbench_key"] == "a-key-of-mine"


def test_an_episode_goes_on_after_a_finish_that_the_original_refuses():
    env = gym.make("stb/I1Instruction-v0", judge="heuristic", compat="original").unwrapped
    env.reset(seed=0)
    # No blank after the colon and no end: the original finds no return_type in it, although we could.
    broken = '{"return_type":"give_answer","final_answer":"It sails at nine'
    _, _, over, _, info = env.step({"name": "Finish", "arguments": broken})
    assert (over, info["code"]) == (False, 2)
    whole = '{"return_type": "give_answer", "final_answer": "It sails at nine'
    _, _, over, _, info = env.step({"name": "Finish", "arguments": whole})
    assert (over, info["code"], info["final_answer"]) == (True, 3, "It sails at nine")


def test_without_compat_broken_json_that_says_enough_is_an_answer():
    env = gym.make("stb/I1Instruction-v0", judge="heuristic").unwrapped
    env.reset(seed=0)
    _, _, over, _, info = env.step({"name": "Finish", "arguments": '{"final_answer":"It sails at nine'})
    assert (over, info["final_answer"]) == (True, "It sails at nine")
