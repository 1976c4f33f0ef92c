"""A transformer is trained by TRL on episodes of the Sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="training needs the extra stb-env[train]")

import torch

from examples.grpo import HELD_OUT, SHORT, Plan, lesson, main, tasks, tiny_player
from examples.token_episodes import LONGEST, Player
from stb_env.rollout import read_curve


@pytest.fixture(scope="module")
def player() -> Player:
    return tiny_player(tasks(0, 4), seed=0)


def test_a_short_run_records_its_curve(tmp_path: Path):
    curve = main(str(tmp_path / "curve.jsonl"), seed=0, plan=SHORT)
    assert [point["step"] for point in curve.points] == [0, SHORT.updates]
    assert read_curve(tmp_path / "curve.jsonl") == curve.points


def test_a_known_solution_in_the_words_of_a_model_is_solved(player: Player):
    episodes = [player.gold(task_id) for task_id in tasks(0, 4)]
    assert all(episode.solved and episode.valid and episode.reward == 1.0 for episode in episodes)


def test_what_is_learned_from_is_exactly_what_the_model_wrote(player: Player):
    episode = player.gold(tasks(0, 1)[0])
    labels = lesson(episode)["labels"]
    own = player.tokenizer.decode([token for token in labels if token != -100])
    turns = own.split("<|im_end|>")
    assert turns.pop() == ""
    assert all(turn.startswith("<tool_call>\n{") and turn.endswith("}\n</tool_call>") for turn in turns)
    assert '"error"' not in own
    assert '"error"' in player.tokenizer.decode(episode.completion)


def test_a_conversation_reads_as_the_chat_template_writes_it(player: Player):
    episode = player.gold(tasks(0, 1)[0])
    text = player.tokenizer.decode(episode.ids)
    assert text.startswith("<|im_start|>user\n")
    assert "</tool_call><|im_end|>\n<|im_start|>tool\n{" in text
    assert "}<|im_end|>\n<|im_start|>assistant\n<tool_call>" in text


def test_sampled_tokens_keep_the_probabilities_that_the_model_gives_them(player: Player):
    torch.manual_seed(0)
    (episode,) = player.play(tasks(0, 1)[:1])
    assert len(episode.completion) == len(episode.mask) == len(episode.logprobs)
    with torch.no_grad():
        logs = player.model(torch.tensor([episode.ids])).logits[0].log_softmax(-1)
    ids = torch.tensor(episode.ids)
    given = logs[:-1].gather(-1, ids[1:, None])[:, 0][len(episode.prompt) - 1 :]
    own = torch.tensor(episode.mask, dtype=torch.bool)
    torch.testing.assert_close(torch.tensor(episode.logprobs)[own], given[own], atol=1e-3, rtol=1e-3)


def test_a_model_that_writes_no_call_solves_nothing_and_comes_to_an_end(player: Player):
    episodes = player.play(tasks(0, 2))
    assert [episode.solved for episode in episodes] == [False] * len(episodes)
    assert all(episode.over and len(episode.ids) <= LONGEST for episode in episodes)


def test_gold_training_and_held_out_tasks_are_different_ones():
    plan, seed = Plan(), 2
    gold = tasks(seed * 10_000, plan.gold)
    trained = tasks(seed * 10_000 + plan.gold, plan.tasks * plan.updates)
    held_out = tasks(HELD_OUT, plan.held_out)
    assert len({*gold, *trained, *held_out}) == len(gold) + len(trained) + len(held_out)
