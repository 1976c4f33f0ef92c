"""Judging what is saved already: episodes again, pairs of runs, and tasks before anyone plays them."""

from stb_env.runs.judging.case import case_of
from stb_env.runs.judging.poll import Polled, poll_tasks
from stb_env.runs.judging.rejudge import Rejudged, rejudge
from stb_env.runs.judging.rounds import Preferred, prefer

__all__ = ["Polled", "Preferred", "Rejudged", "case_of", "poll_tasks", "prefer", "rejudge"]
