"""Several models vote on whether a task can be solved with its tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stb_env.core.request import Slow
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.solvability import ModelSolvability, Solvability
from stb_env.tasks import Task
from stb_env.usage import Usage


@dataclass(frozen=True, slots=True)
class SolvabilityVote:
    """One model's vote on whether a task can be solved.

    Attributes:
        judge: Name of the model's judge.
        status: The status, or None where the vote is missing.
        reason: Why it is missing.
    """

    judge: str
    status: Solvability | None
    reason: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the vote as plain data."""
        return {"judge": self.judge, "status": self.status, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Poll:
    """Result of a vote on a task.

    Attributes:
        solvable: Whether enough models take it for solvable; None where missing votes could still decide.
        votes: One vote of each model.
        usage: What the votes cost.
    """

    solvable: bool | None
    votes: tuple[SolvabilityVote, ...]
    usage: Usage


class SolvabilityPanel:
    """Keeps a task where enough of several models take it for solvable.

    So Guo et al., 2024, chose their queries, with three models: their read-me speaks of the majority, their
    paper of more than two. A model that is unsure has not called the task solvable.

    Args:
        judges: One for each model.
        needed: How many must call a task solvable; more than half of them where not given.

    Raises:
        ConfigError: There is no judge, two have the same name, or ``needed`` is out of range.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.tools import Tool
        >>> forecast = Tool("forecast", "", {})
        >>> said = {"a": "Solvable", "b": "Unsolvable", "c": "Solvable"}
        >>> models = [ScriptedModel([word], name=name) for name, word in said.items()]
        >>> panel = SolvabilityPanel([ModelSolvability(model) for model in models])
        >>> panel.needed, drive(panel.poll(Task("1", "Weather in Oslo?", (forecast,)))).solvable
        (2, True)
    """

    def __init__(self, judges: Sequence[ModelSolvability], needed: int | None = None) -> None:
        names = [judge.name for judge in judges]
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"a panel needs judges with different names, got {', '.join(names) or 'none'}")
        self.judges = tuple(judges)
        self.needed = len(names) // 2 + 1 if needed is None else needed
        if not 1 <= self.needed <= len(names):
            raise ConfigError(f"needed must be from 1 to {len(names)}, the number of models, got {needed}")

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a poll, as plain data."""
        return {"judges": [judge.fingerprint for judge in self.judges], "needed": self.needed}

    def poll(self, task: Task) -> Slow[Poll]:
        """Ask every model; what one fails to say is a missing vote and never a no."""
        votes, usage = [], Usage()
        for judge in self.judges:
            try:
                opinion = yield from judge.opinion(task)
            except JudgeError as error:
                votes.append(SolvabilityVote(judge.name, None, str(error)))
            else:
                usage += opinion.usage
                votes.append(SolvabilityVote(judge.name, opinion.status))
        return Poll(self._decision(votes), tuple(votes), usage)

    def _decision(self, votes: Sequence[SolvabilityVote]) -> bool | None:
        statuses = [vote.status for vote in votes]
        sure, missing = statuses.count("solvable"), statuses.count(None)
        if sure >= self.needed:
            return True
        return False if sure + missing < self.needed else None
