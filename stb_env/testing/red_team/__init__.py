"""Agents that look clever and deserve nothing; what they score says what a judge can be talked into."""

from stb_env.testing.red_team.team import LINES, RED_TEAM, RedTeam

__all__ = ["LINES", "RED_TEAM", "RedTeam"]
