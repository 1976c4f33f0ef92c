"""Expert iteration keeps what was solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="training needs the extra stb-env[train]")

from examples.expert_iteration import SHORT, main, solved
from examples.grpo import training_tasks, warm_player
from examples.token_episodes import Player, TokenEpisode


class HalfGold(Player):
    """Solves every second task, and says nothing in the others."""

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        episodes = [self.gold(task_id) for task_id in task_ids]
        for episode in episodes[1::2]:
            episode.solved, episode.reward = False, 0.0
        return episodes


def test_a_short_run_records_every_round(tmp_path: Path):
    curve = main(str(tmp_path / "curve.jsonl"), plan=SHORT)
    assert [point["step"] for point in curve.points] == [*range(SHORT.rounds + 1)]


def test_only_solved_episodes_are_kept_and_each_once():
    tasks = training_tasks(Player(None, None), seed=0, count=6, held_out=[])
    made = warm_player(tasks, updates=0, seed=0)
    kept = solved(HalfGold(made.model, made.tokenizer), tasks, samples=3)
    assert len(kept) == len(tasks) / 2
    assert all(episode.solved for episode in kept)
