"""Judging what is saved already: episodes again, pairs of runs, and tasks before anyone plays them."""

from stb_env.rejudge.case import case_of
from stb_env.rejudge.episodes import Rejudged, rejudge
from stb_env.rejudge.poll import Polled, poll_tasks
from stb_env.rejudge.preferences import Preferred, prefer

__all__ = ["Polled", "Preferred", "Rejudged", "case_of", "poll_tasks", "prefer", "rejudge"]
