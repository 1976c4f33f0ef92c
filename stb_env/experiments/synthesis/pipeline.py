"""The pipeline: roles in order, each held to its form, one dialogue at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from stb_env import ConfigError, InfrastructureError, seeding
from stb_env.core.request import Slow
from stb_env.errors import did_you_mean
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.author import Author
from stb_env.experiments.synthesis.dialogue import Dialogue, Outcome, Rejection
from stb_env.experiments.synthesis.form import DuplicateQuery, UnfitDraft
from stb_env.experiments.synthesis.grounding import VERSION as GROUNDING
from stb_env.experiments.synthesis.near_equal import THRESHOLD
from stb_env.experiments.synthesis.role import Role, Try
from stb_env.experiments.synthesis.roles import METHODS, MOST_TURNS
from stb_env.experiments.synthesis.sandbox_author import SandboxAuthor
from stb_env.experiments.synthesis.scene import Scene
from stb_env.models.prompting import latest
from stb_env.usage import NO_USAGE, Usage

_SAMPLES = 3
_PLACES = frozenset({"domain", "api"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a synthesis besides its authors.

    Attributes:
        abilities: What the ability of a dialogue is drawn from.
        most_turns: Number of utterances a user may make, where the ability leaves it open.
        per_domain: Number of dialogues in a row that share a domain and its APIs.
        attempts: How often an agent may write.
        fresh_domains: Whether a domain that was used before is refused.

    Raises:
        ConfigError: One is out of its range.
    """

    abilities: tuple[Ability, ...] = tuple(Ability)
    most_turns: int = 3
    per_domain: int = 2
    attempts: int = 3
    fresh_domains: bool = True

    def __post_init__(self) -> None:
        if not self.abilities:
            raise ConfigError(f"abilities must name at least one of {', '.join(Ability)}")
        for name, most in (("most_turns", MOST_TURNS), ("per_domain", 1_000), ("attempts", 100)):
            if not 1 <= getattr(self, name) <= most:
                raise ConfigError(f"{name} must be from 1 to {most}, got {getattr(self, name)}")


class _Unwritten(Exception):
    """An agent used up its attempts."""

    def __init__(self, duplicate: bool) -> None:
        super().__init__()
        self.duplicate = duplicate


class Pipeline:
    """Writes dialogues; the one of a number follows from the seed, the authors and the ones before it.

    Args:
        authors: Who plays each role, by the role's name.
        seed: Seed of everything that is drawn.
        method: ``multi`` for the five agents, ``single`` for the baseline with one writer and the tester.
        settings: What else decides the dialogues.
        samples: Real APIs, of which the API maker sees a few each time.
        pool: APIs that are there already, so that no agent designs any; drawn from for each dialogue.
        domain: What these are about.

    Raises:
        ConfigError: A role has no author, or there is no such method.
    """

    def __init__(
        self,
        authors: Mapping[str, Author],
        seed: int = 0,
        *,
        method: str = "multi",
        settings: Settings | None = None,
        samples: Sequence[Api] = (),
        pool: Sequence[Api] = (),
        domain: str = "",
    ) -> None:
        if method not in METHODS:
            raise ConfigError(
                f"no method {method!r}; there is {', '.join(METHODS)}.{did_you_mean(method, METHODS)}"
            )
        self.roles = METHODS[method]
        missing = [role.name for role in self.roles if role.name not in authors]
        if missing:
            raise ConfigError(f"no author plays {', '.join(missing)}; give one for each role")
        self.authors = {role.name: authors[role.name] for role in self.roles}
        self.seed = seed
        self.method = method
        self.settings = settings or Settings()
        self.samples = tuple(samples)
        if pool and method != "multi":
            raise ConfigError(f"with APIs that are there already the method is multi, got {method}")
        self.pool, self.domain = tuple(pool), domain

    @classmethod
    def offline(cls, seed: int = 0, *, method: str = "multi", settings: Settings | None = None) -> Pipeline:
        """Return a pipeline that needs no model: the Sandbox plays every role.

        Every dialogue has a domain of its own choice there, and the Sandbox has few, so they come again.
        """
        author = SandboxAuthor()
        chosen = replace(settings or Settings(), per_domain=1, fresh_domains=False)
        authors = {role.name: author for role in METHODS.get(method, ())}
        return cls(authors, seed, method=method, settings=chosen)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides the dialogues, as plain data."""
        return {
            "seed": self.seed,
            "method": self.method,
            "settings": asdict(self.settings),
            "near_equal": THRESHOLD,
            "grounding": GROUNDING,
            "authors": {name: author.fingerprint for name, author in self.authors.items()},
            "prompts": {role.name: latest(role.prompt_name).hash for role in self.roles},
            "samples": seeding.derive(*(api.line for api in self.samples)) if self.samples else None,
        } | ({"pool": seeding.derive(*(api.line for api in self.pool))} if self.pool else {})

    def dialogue(self, index: int, earlier: Sequence[Dialogue]) -> Slow[Dialogue]:
        """Write one dialogue.

        Args:
            index: Its number.
            earlier: All dialogues of lower numbers, in order.

        Raises:
            InfrastructureError: An author could not be reached; its ``usage`` is what this dialogue has
                cost so far.
        """
        writing = _Writing(self, self._opening(index, earlier))
        given = _PLACES if writing.scene.pool else ()
        outcome = yield from writing.play([role for role in self.roles if role.name not in given])
        scene = writing.scene
        return Dialogue(
            index,
            outcome,
            scene.ability,
            scene.domain,
            scene.pool,
            scene.apis,
            scene.time,
            scene.written,
            scene.review,
            tuple(writing.rejections),
            writing.usage,
        )

    def _opening(self, index: int, earlier: Sequence[Dialogue]) -> Scene:
        settings = self.settings
        seed = seeding.derive("synthesis", self.seed, index)
        scene = Scene.opening(seed, settings.abilities, settings.most_turns)
        rng = seeding.rng("synthesis", seed, "samples")
        scene = replace(
            scene,
            known_domains=[one.domain for one in earlier if one.domain] if settings.fresh_domains else (),
            known_queries=[one.query for one in earlier if one.outcome in ("kept", "dropped")],
            samples=rng.sample(self.samples, min(_SAMPLES, len(self.samples))),
        )
        return self._shared(scene, earlier[index - index % settings.per_domain : index])

    def _shared(self, scene: Scene, group: Sequence[Dialogue]) -> Scene:
        """Return the scene in the domain of its group, where that has one with enough APIs."""
        if self.pool:
            return replace(scene, domain=self.domain).with_pool(self.pool)
        for one in group if self.method == "multi" else ():
            if len(one.pool) >= scene.size:
                return replace(scene, domain=one.domain).with_pool(one.pool)
        return scene


class _Writing:
    """One dialogue being written."""

    def __init__(self, pipeline: Pipeline, scene: Scene) -> None:
        self._pipeline = pipeline
        self.scene = scene
        self.rejections: list[Rejection] = []
        self.usage: Usage = NO_USAGE

    def play(self, roles: Sequence[Role]) -> Slow[Outcome]:
        """Let each role write, and say what became of it."""
        try:
            for role in roles:
                self.scene = yield from self._play(role)
        except _Unwritten as stop:
            return "duplicate" if stop.duplicate else "failed"
        except InfrastructureError as error:
            error.usage = self.usage + error.usage
            raise
        return "kept" if self.scene.review is not None and self.scene.review.keep else "dropped"

    def _play(self, role: Role) -> Slow[Scene]:
        tries: list[Try] = []
        duplicate = False
        for _ in range(self._pipeline.settings.attempts):
            author = self._pipeline.authors[role.name]
            written = yield from author.write(role, self.scene, tries)
            self.usage += written.usage
            try:
                return role.read(self.scene, written.text)
            except UnfitDraft as unfit:
                duplicate = isinstance(unfit, DuplicateQuery)
                tries.append(Try(written.reply, str(unfit)))
                self.rejections.append(Rejection(role.name, str(unfit)))
        raise _Unwritten(duplicate)
