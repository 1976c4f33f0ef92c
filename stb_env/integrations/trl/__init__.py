"""TRL: environments whose tools differ by task, and rollouts of the very tokens that were sampled.

`Environments` is for ``GRPOTrainer(environment_factory=...)``, `Rollouts` for searches, slow backends and
exact tokens. What supervised and preference training reads, ``stb-env export`` writes.
"""

from stb_env.integrations.trl.chat_tokens import check_template, ids_of, stop_ids
from stb_env.integrations.trl.environments import Environments, reward
from stb_env.integrations.trl.preference_collator import PreferenceCollator
from stb_env.integrations.trl.rollout import Rollouts, generate, token_columns
from stb_env.integrations.trl.token_episode import TokenEpisode, play_together

__all__ = [
    "Environments",
    "PreferenceCollator",
    "Rollouts",
    "TokenEpisode",
    "check_template",
    "generate",
    "ids_of",
    "play_together",
    "reward",
    "stop_ids",
    "token_columns",
]
