"""Agreement of one judge's votes, and of several judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from stb_env.runs.metrics.agreement import cohen_kappa, krippendorff_alpha, observed_agreement
from stb_env.runs.verdict_file import read_judgements
from stb_env.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """Agreement of the votes on a run's episodes.

    Attributes:
        episodes: Episodes with at least two votes.
        unanimous: Those whose votes are all the same.
        missing: Votes that were asked for and are not there.
        observed: Share of equal pairs among the votes of an episode, mean over episodes; None without any.
        alpha: Krippendorff's alpha; None where it is not defined.
    """

    episodes: int
    unanimous: int
    missing: int
    observed: float | None
    alpha: float | None

    @classmethod
    def of(cls, episodes: Iterable[Trajectory]) -> VoteAgreement:
        """Take the agreement from the verdicts of episodes.

        Examples:
            >>> VoteAgreement.of([]).observed is None
            True
        """
        votes = [[vote["status"] for vote in each.verdict["votes"]] for each in episodes if each.verdict]
        cast = [[str(status) for status in unit if status is not None] for unit in votes]
        several = [unit for unit in cast if len(unit) > 1]
        return cls(
            len(several),
            sum(len(set(unit)) == 1 for unit in several),
            sum(len(every) - len(given) for every, given in zip(votes, cast, strict=True)),
            observed_agreement(several),
            krippendorff_alpha(several),
        )

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of another judge's verdicts on a run with those that count.

    Attributes:
        judge: The other judge.
        episodes: Episodes that both have judged.
        same: Those with the same status.
        kappa: Cohen's kappa; None where it is not defined.
    """

    judge: str
    episodes: int
    same: int
    kappa: float | None

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def judge_agreements(folder: Path, judge: str, episodes: Sequence[Trajectory]) -> list[JudgeAgreement]:
    """Compare the verdicts of a run with those that other judges gave later.

    Args:
        folder: The run.
        judge: Whose verdicts the episodes have.
        episodes: The run's episodes.

    Raises:
        DataError: A file of verdicts is broken.

    Examples:
        >>> judge_agreements(Path("runs/nothing"), "exact", [])
        []
    """
    mine = {each.key: str(each.verdict["status"]) for each in episodes if each.verdict}
    found = []
    for file in sorted(folder.glob("verdicts-*.jsonl")):
        theirs = read_judgements(file)
        names = sorted({judgement.judge for judgement in theirs.values()} - {judge})
        pairs = [
            (mine[key], str(judgement.verdict["status"]))
            for key, judgement in theirs.items()
            if judgement.verdict and key in mine and judgement.judge != judge
        ]
        if pairs:
            ours, others = zip(*pairs, strict=True)
            same = sum(one == other for one, other in pairs)
            found.append(JudgeAgreement(", ".join(names), len(pairs), same, cohen_kappa(ours, others)))
    return found
