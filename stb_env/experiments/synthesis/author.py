"""Authors, which write the texts of roles, and the models that they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from stb_env import ChatModel, ConfigError
from stb_env.backend.simulator.llm_simulator import ask_once
from stb_env.core.request import Slow
from stb_env.errors import did_you_mean
from stb_env.experiments.synthesis.role import Role, Try
from stb_env.experiments.synthesis.roles import METHODS
from stb_env.experiments.synthesis.scene import Scene
from stb_env.models import ChatReply, Meter, connect, fingerprint, load_models, metered
from stb_env.models.retry_sampling import another_try, is_cut
from stb_env.usage import NO_USAGE, Usage

_DEFAULT = "agent"


class Written(NamedTuple):
    """Text of an author, its cost, and whether it was cut at the length limit."""

    text: str
    usage: Usage = NO_USAGE
    cut: bool = False

    @property
    def reply(self) -> ChatReply:
        """The text as a model's reply."""
        message = {"role": "assistant", "content": self.text}
        return ChatReply(message, "length" if self.cut else "stop", self.usage)


class Author(Protocol):
    """Plays roles."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides what it writes, for manifests."""
        ...

    def write(self, role: Role, scene: Scene, tries: Sequence[Try]) -> Slow[Written]:
        """Write the text of a role; what it wrote before, and why that could not be used, is in ``tries``.

        Raises:
            InfrastructureError: No text came.
        """
        ...


class ModelAuthor:
    """A chat model that plays roles.

    Args:
        model: Answers.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.experiments.synthesis import MULTI, Ability
        >>> author = ModelAuthor(ScriptedModel(['{"domains": ["Tides"]}']))
        >>> scene = Scene.opening(0, list(Ability), 1)
        >>> written = drive(author.write(MULTI[0], scene, ()))
        >>> MULTI[0].read(scene, written.text).domain
        'Tides'
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    @property
    def fingerprint(self) -> dict[str, object]:
        """The model's own."""
        return fingerprint(self.model)

    def write(self, role: Role, scene: Scene, tries: Sequence[Try]) -> Slow[Written]:
        """Ask the model; a refusal is an empty text.

        Raises:
            InfrastructureError: The model failed, at the stage ``synthesis``.
        """
        request = role.ask(scene, tries)
        if tries:
            request = another_try(request, self.model, tries[-1].reply)
        reply = yield from ask_once(self.model, request, stage="synthesis")
        return Written(reply.text, reply.usage, is_cut(reply))


def load_authors(
    method: str,
    models: Path | None,
    others: Mapping[str, Path],
    meter: Meter,
    *,
    env: Mapping[str, str] = os.environ,
) -> dict[str, Author]:
    """Return an author for each role of a method.

    A role is played by the model of that name in the models file where there is one, else by its ``agent``.

    Args:
        method: ``multi`` or ``single``.
        models: Models file for all roles; the packaged defaults where not given.
        others: For single roles a models file of their own, whose ``agent`` plays them.
        meter: Counts what they cost; answers from a cache cost nothing.
        env: Where keys and settings are looked up.

    Raises:
        ConfigError: A file or role is unknown or wrong, a key is missing, or the meter caps dollars and a
            model has no price.
    """
    roles = [role.name for role in METHODS[method]]
    for role in others:
        if role not in roles:
            raise ConfigError(
                f"method {method} has no role {role!r}; it has {', '.join(roles)}.{did_you_mean(role, roles)}"
            )
    shared = load_models(models, env)
    configs = {
        role: load_models(others[role], env)[_DEFAULT]
        if role in others
        else shared.get(role, shared[_DEFAULT])
        for role in roles
    }
    for role, config in configs.items():
        if meter.max_cost is not None and config.price is None:
            raise ConfigError(
                f"--budget needs the price of {config.model}, which plays {role}; add one under [prices]"
            )
    made: dict[int, ChatModel] = {}
    for config in configs.values():
        if id(config) not in made:
            with metered(meter):
                made[id(config)] = connect(config, env=env)
    return {role: ModelAuthor(made[id(config)]) for role, config in configs.items()}


def read_role_files(pairs: Sequence[str]) -> dict[str, Path]:
    """Read ``ROLE=FILE`` pairs.

    Raises:
        ConfigError: A pair has another form.

    Examples:
        >>> {role: str(file) for role, file in read_role_files(["tester=strict.toml"]).items()}
        {'tester': 'strict.toml'}
    """
    found = {}
    for pair in pairs:
        role, equals, file = pair.partition("=")
        if not (role and equals and file):
            raise ConfigError(f"--cast takes ROLE=FILE, got {pair!r}")
        found[role] = Path(file)
    return found
