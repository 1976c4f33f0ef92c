"""Base classes of searching agents: a chat model that plays a search, completion by completion."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import gymnasium as gym

from stb_env import ChainOfThought, ChatAgent, ChatModel, ConfigError, Judge, TreeSearch, load_judge

OwnJudge = Literal["model", "heuristic"]


class SearchAgent(ChatAgent):
    """Lets a chat model grow the tree of a search: one completion is one node.

    The model is asked to think before each call. What it reads is taken anew from the search each time, so
    after the search has gone elsewhere nothing of the branch that was left is there, except what the search
    itself shows of it. The calls of one message are one node: they are made in their order, and each gets
    its result before the model is asked again. A Finish among them ends the branch; the calls beside it are
    made only if this answer is the one that is played.

    A subclass defines `search`.

    Args:
        model: The model, or the path of a models file whose ``agent`` role is used; None for the role's
            usual configuration.
        compat: ``"original"`` for the published client and rules; see `ChatAgent` and the search.
        **settings: Settings of the search, for manifests.

    Raises:
        ConfigError: No model is configured.
    """

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        compat: Literal["original"] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(model, compat)
        self.settings = settings | ({} if compat is None else {"compat": compat})

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Settings that decide the answers: the model's own and those of the search."""
        return {**super().fingerprint, "search": dict(self.settings)}

    def search(self, env: gym.Env[Any, Any]) -> TreeSearch:
        """Return the search around an environment."""
        raise NotImplementedError(f"{type(self).__name__} must define search(env)")

    def wrap(self, env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
        """Return the environment in the search that this agent plays."""
        # By the published rules the environment's own words ask for thoughts.
        return self.search(ChainOfThought(env, "tools") if self.compat is None else env)

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Forget the last episode.

        Raises:
            ConfigError: The environment was not wrapped by this agent.
        """
        if not isinstance(env, TreeSearch):
            name = type(self).__name__
            raise ConfigError(f"{name} plays a search; give it the environment that {name}.wrap returns")
        super().reset(env, seed)
        self.env = env


def own_judge(name: OwnJudge, model: ChatModel, env: gym.Env[Any, Any]) -> Judge:
    """Return a judge of an agent's own, which is not the one that its episodes are scored by.

    Args:
        name: ``model`` lets the agent's model judge, ``heuristic`` goes by where facts come from.
        model: The agent's model.
        env: The environment that will be played.

    Raises:
        ConfigError: There is no such judge, or the episodes are scored by just this one.
    """
    if name not in get_args(OwnJudge):
        raise ConfigError(f"an agent's own judge is {' or '.join(get_args(OwnJudge))}, got {name!r}")
    judge = load_judge("pass" if name == "model" else name, model=model)
    rules = getattr(env, "rules", None)
    if rules is not None and rules.judge.name == judge.name:
        raise ConfigError(
            f"the episodes are scored by {judge.name} too, so the agent would search by its test's verdict; "
            "take another judge for the agent or for the environment"
        )
    return judge
