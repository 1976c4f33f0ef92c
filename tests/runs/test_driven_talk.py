"""Talking in an episode that somebody else's loop drives."""

from __future__ import annotations

import pytest

from stb_env.runs.driven import OVER, DrivenEpisode

pytestmark = pytest.mark.usefixtures("forgotten")


def conversation() -> DrivenEpisode:
    """Return an episode whose user has something to say."""
    episode = DrivenEpisode("stb/APIBankCall-v1")
    episode.start(seed=0)
    return episode


def test_an_episode_is_started_by_its_start_alone():
    episode = DrivenEpisode("stb_env.testing.notes:test/Notes-v0")
    before = episode.started
    episode.start(task_id="day")
    assert (before, episode.started, episode.converses) == (False, True, False)


def test_what_looks_like_a_call_is_said_and_not_called():
    episode = conversation()
    said = episode.tell('{"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}')
    assert (episode.converses, said.over, said.status) == (True, False, 0)


def test_after_the_end_nobody_listens():
    episode = conversation()
    episode.call("Finish", {"return_type": "give_up_and_restart"})
    assert episode.tell("Hello?").text == OVER
