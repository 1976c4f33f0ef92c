"""NeMo Gym: a resources server that plays an environment's episodes, and its tasks as rows.

The file that a configuration names as ``entrypoint`` is two lines::

    from stb_env.integrations.nemo_gym import EpisodesServer

    EpisodesServer.run_webserver()

That of an agent which goes on after a text, in conversations, has `agent.ConversationAgent` in its place.

An episode is the session of a cookie. Where the infrastructure failed the sample is masked, with the kind of
the failure, and counts in no score.
"""

from __future__ import annotations

from stb_env.integrations.extra import missing

try:
    import nemo_gym  # noqa: F401 (what follows needs it)
except ImportError as error:
    raise missing("NeMo Gym (with Python 3.13)", "nemo-gym") from error

from stb_env.integrations.nemo_gym.dataset import dataset
from stb_env.integrations.nemo_gym.server import EpisodesConfig, EpisodesServer

__all__ = ["EpisodesConfig", "EpisodesServer", "dataset"]
