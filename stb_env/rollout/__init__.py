"""Playing episodes: one, or a resumable run of many."""

from stb_env.rollout.agent import Agent, AgentFactory, as_agent
from stb_env.rollout.batch import run_batch
from stb_env.rollout.curve import Curve, read_curve
from stb_env.rollout.episode import aplay, play
from stb_env.rollout.job import Job, plan
from stb_env.rollout.run import Run

__all__ = [
    "Agent",
    "AgentFactory",
    "Curve",
    "Job",
    "Run",
    "aplay",
    "as_agent",
    "plan",
    "play",
    "read_curve",
    "run_batch",
]
