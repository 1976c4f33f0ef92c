"""Playing episodes: one, or a resumable run of many."""

from stb_env.rollout.agent import Agent, AgentFactory, as_agent
from stb_env.rollout.batch import arun_batch, run_batch
from stb_env.rollout.deadlines import Deadlines
from stb_env.rollout.episode import aplay, play
from stb_env.rollout.job import Job, plan
from stb_env.rollout.run import Run

__all__ = [
    "Agent",
    "AgentFactory",
    "Deadlines",
    "Job",
    "Run",
    "aplay",
    "arun_batch",
    "as_agent",
    "plan",
    "play",
    "run_batch",
]
