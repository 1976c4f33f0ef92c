"""Policies and users of declared environments: what an agent is told, and whom it talks to."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stb_env.backend.own import OwnUser, as_user
from stb_env.backend.user import User
from stb_env.declare.declaration import Declaration
from stb_env.envs.model_user import ModelUser
from stb_env.envs.wording import Wording
from stb_env.errors import ConfigError
from stb_env.models import available, connect, load_models
from stb_env.tasks import Task
from stb_env.tools import Tool

MODEL = "model"


class DeclaredWording(Wording):
    """The package's words, and after them the policies of the environment and of the task.

    Args:
        declaration: The environment's declaration.
    """

    def __init__(self, declaration: Declaration) -> None:
        super().__init__()
        self._declared = declaration

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hashes of the texts by their names."""
        policy = hashlib.sha256(self._declared.policy.encode()).hexdigest()
        return {**super().fingerprint, "policy": policy}

    def system(self, task: Task, tools: Sequence[Tool]) -> str:
        """Return the system message of an episode."""
        query = self._declared.query(task.id)
        own = "" if query is None else query.policy
        return "\n\n".join(filter(None, (super().system(task, tools), self._declared.policy, own)))


class DeclaredUser(OwnUser):
    """The user that an environment was declared with; pickled as the place of the declaration.

    Args:
        declaration: The environment's declaration.
    """

    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration.user)
        self._declared = declaration

    def __reduce__(self) -> tuple[type[DeclaredUser], tuple[Declaration]]:
        return DeclaredUser, (self._declared,)


def declared_user(declaration: Declaration, models: str | Path | None = None) -> User | None:
    """Return the user of an environment; None where nobody hears what agents write.

    Args:
        declaration: The environment's declaration.
        models: Models file; its ``user`` role is used.

    Raises:
        ConfigError: A model is to be the user, and there is none.
    """
    user: Any = declaration.user
    if user is None:
        return None
    if user == MODEL:
        config = load_models(models, os.environ)["user"]
        if not available(config):
            raise ConfigError(
                f"the user of {declaration.env_id} is a model; name a models file with the role user "
                "(--models FILE), or give user=None to play without"
            )
        return ModelUser(connect(config))
    made = as_user(user)
    return DeclaredUser(declaration) if isinstance(made, OwnUser) else made
