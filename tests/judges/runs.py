"""Saved runs of the embedded queries, as tests of judging need them."""

from __future__ import annotations

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ScriptedModel
from stb_env.runs import Agent, Run, plan, run_batch
from stb_env.runs.baselines.null import answer

ENV = "stb/I1Instruction-v0"


def saying(text):
    """Return an agent that calls nothing and answers with a text."""

    class Saying(Agent):
        name = "saying"

        def act(self, observation, info):
            return answer(text)

    return Saying


def pass_judge(replies, **settings):
    return PassJudge(ScriptedModel(replies, name="m"), **settings)


def record(folder, text="It is sunny.", verdict="Solved", *, agent=None, judge=None, **size):
    """Play a run into a folder; ``verdict`` is what the judge says of every answer, or the replies."""
    replies = (lambda request: verdict) if isinstance(verdict, str) else verdict
    judge = judge or pass_judge(replies)
    env = gym.make(ENV, judge=judge).unwrapped
    manifest = {"env": ENV, "settings": {}, "judge": judge.name, "tasks": env.tasks.hash}
    run = Run(folder, manifest)
    jobs = plan(env.tasks, **({"episodes": 3} | size))
    run_batch(env.fork, agent or saying(text), jobs, run)
    run.close()
    return folder
