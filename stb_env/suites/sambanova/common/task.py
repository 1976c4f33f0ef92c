"""The declaration of one task of the suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Measure = Literal["success", "score", "executable", "lcs"]
"""The measure that a figure of the paper's table is the mean of."""

PYTHON_CALLS = "stb_env.suites.sambanova.common.calls:python_calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class SambaNovaTask:
    """One task: where its parts are, and the settings that the paper's runs had (its Table 8 and scripts).

    Parts are named as ``package.module:name`` and imported when they are used, so that declarations cost
    nothing to read. Those that are not named stand in the folder of the task's name.

    Attributes:
        id: Name of the task.
        env_id: Id of the environment that plays it.
        env: Makes the environment; ``make`` in ``env.py`` by default.
        documents: Returns the API documents; ``documents`` in ``tools.py`` by default.
        demonstrations: Returns the demonstrations; ``demonstrations`` in ``tasks.py`` by default.
        calls: Returns the calls of a program as the complexity score counts them.
        turns: Divides a demonstration into pages and the action on each, where an answer is one action on
            the page that the prompt shows; empty where it is a whole program.
        functions: Size of the API, for the complexity score; 0 where the score is 0 by definition.
        max_tokens: Bound on an answer.
        documents_k: API documents in a prompt.
        examples_k: Demonstrations in a prompt.
        templates: Templates of the alignment data.
        repeats: Samples made from each template.
        unseen_calls: Whether alignment data leave out what calls the same functions as a test's program does.
        published_complexity: Score of the paper's training data (Table 9); None for a task that is not the
            paper's.
        advanced: Whether it needs reasoning beyond API calls; the rank study leaves such tasks out.
        stops: Texts that end answers besides the usual ones.
        published_as: Its column in the paper's tables, where that has another name than the task.
        figures: What that column shows.

    Examples:
        >>> timer = SambaNovaTask(
        ...     id="timer",
        ...     env_id="stb/Timer-v0",
        ...     max_tokens=64,
        ...     documents_k=2,
        ...     examples_k=3,
        ...     templates=1,
        ...     repeats=20,
        ... )
        >>> timer.name, timer.samples, timer.env
        ('Timer', 20, 'stb_env.suites.sambanova.timer.env:make')
    """

    id: str
    env_id: str
    env: str = ""
    documents: str = ""
    demonstrations: str = ""
    calls: str = PYTHON_CALLS
    turns: str = ""
    functions: int = 0
    max_tokens: int
    documents_k: int
    examples_k: int
    templates: int
    repeats: int
    unseen_calls: bool = False
    published_complexity: float | None = None
    advanced: bool = False
    stops: tuple[str, ...] = ()
    published_as: str = ""
    figures: tuple[Measure, ...] = ("success",)

    def __post_init__(self) -> None:
        folder = f"stb_env.suites.sambanova.{self.id}"
        parts = {
            "env": "env:make",
            "documents": "tools:documents",
            "demonstrations": "tasks:demonstrations",
        }
        for part, place in parts.items():
            if not getattr(self, part):
                object.__setattr__(self, part, f"{folder}.{place}")

    @property
    def name(self) -> str:
        """Its name in observations and saved episodes."""
        return self.env_id.removeprefix("stb/").rpartition("-v")[0]

    @property
    def column(self) -> str:
        """Its column in tables like the paper's."""
        return self.published_as or self.id

    @property
    def is_bare(self) -> bool:
        """True if its prompt is the goal alone, which shows everything."""
        return not (self.documents_k or self.examples_k)

    @property
    def is_stepwise(self) -> bool:
        """True if each answer is one action on the page in the prompt, not a whole program."""
        return bool(self.turns)

    @property
    def samples(self) -> int:
        """The number of its alignment samples."""
        return self.templates * self.repeats
