"""A transformer is trained by TRL on episodes of the Sandbox."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

pytest.importorskip("trl", reason="training needs the extra stb-env[train]")

import gymnasium as gym
import torch

import stb_env
from examples.grpo import (
    GROUP,
    HELD_OUT,
    IDLE,
    LONG,
    SHORT,
    WORLD,
    WORLDS_TASKS,
    GRPOTrainer,
    Plan,
    demonstrate,
    held_out_tasks,
    lesson,
    main,
    reinforce,
    training_tasks,
    warm_player,
    world_tasks,
)
from examples.token_episodes import LONGEST, TURNS, Player, TokenEpisode, gold_actions, written
from stb_env.integrations.trl import ids_of
from stb_env.runs import Curve, read_curve

TASKS = training_tasks(Player(None, None), seed=0, count=8, held_out=[])


@pytest.fixture(scope="module")
def player() -> Player:
    return warm_player(TASKS, updates=0, seed=0)


class Always(random.Random):
    """Draws one number."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self._number = number

    def random(self) -> float:
        return self._number


IDLY, FULLY = Always(IDLE - 0.01), Always(IDLE)


class HalfIdle(Player):
    """Plays demonstrations, every second one without doing anything."""

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        return [demonstrate(self, each, (FULLY, IDLY)[number % 2]) for number, each in enumerate(task_ids)]


def likelihood(player: Player, episode: TokenEpisode) -> float:
    """Return the log-probability that the model gives to what an episode wrote."""
    ids = torch.tensor(episode.ids)
    with torch.no_grad():
        logs = player.model(ids[None]).logits[0, :-1].log_softmax(-1)
    own = torch.tensor([0] * len(episode.prompt) + episode.mask, dtype=torch.bool)[1:]
    return float(logs.gather(-1, ids[1:, None])[:, 0][own].sum())


@pytest.mark.parametrize("on", ["sandbox", "worlds"])
def test_a_short_run_records_its_curve_and_prints_it_as_a_table(
    on: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    curve = main(str(tmp_path / "curve.jsonl"), seed=0, plan=SHORT, on=on)
    assert [point["step"] for point in curve.points] == [0, SHORT.updates]
    assert read_curve(tmp_path / "curve.jsonl") == curve.points
    head, rule, *rows = (line for line in capsys.readouterr().out.splitlines() if line.startswith("|"))
    assert head.count("|") == rule.count("|") == 7
    assert [row.split("|")[1].strip() for row in rows] == ["0", str(SHORT.updates)]


def test_look_ups_in_a_world_take_one_call_and_no_task_trained_on_is_held_out(player: Player):
    trained, held_out = world_tasks(0, 6), world_tasks(HELD_OUT, 6)
    reader = Player(None, player.tokenizer, **{**WORLDS_TASKS, "longest": 2_000})
    assert {len(reader.solution(task_id)) for task_id in (*trained, *held_out)} == {2}
    assert {reader.query(each) for each in trained}.isdisjoint(reader.query(each) for each in held_out)


def half_a_number(actions: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a solution is one call and an answer of two fields, one of which is a number."""
    answer = actions[1]["arguments"].get("answer", {}) if len(actions) == 2 else {}
    return [isinstance(value, int | float) for value in answer.values()].count(True) == 1 == len(answer) - 1


def test_one_right_field_of_two_earns_a_part(player: Player):
    reader = Player(None, player.tokenizer, **{**WORLDS_TASKS, "longest": 2_000})
    known = ((task_id, reader.solution(task_id)) for task_id in map(f"{WORLD}.{{}}".format, range(100)))
    task_id, (look, finish) = next((task_id, actions) for task_id, actions in known if half_a_number(actions))
    answer = finish["arguments"]["answer"]
    wrong = {name: value + 1 if isinstance(value, int | float) else value for name, value in answer.items()}
    part = {"name": "Finish", "arguments": {"answer": wrong}}
    assert 0.0 < reader.replay(task_id, [look, part]).reward < 1.0
    assert reader.replay(task_id, [look, finish]).reward == 1.0


def test_a_curve_of_an_earlier_training_is_left_alone(tmp_path: Path):
    (file := tmp_path / "curve.jsonl").write_text("earlier", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"is of an earlier training: move it, or give another --out$"):
        main(str(file), plan=SHORT)
    assert file.read_text("utf-8") == "earlier"


def test_updates_by_reward_make_what_was_solved_likelier_than_what_was_not(tmp_path: Path):
    made = warm_player(TASKS, updates=20, seed=0)
    player = HalfIdle(made.model, made.tokenizer)
    episodes = player.play([task_id for task_id in TASKS[:4] for _ in "ab"])
    solved, others = episodes[::2], episodes[1::2]
    assert [each.reward for each in episodes] == [1.0, 0.0] * 4

    def lead() -> float:
        return mean(likelihood(player, one) for one in solved) - mean(
            likelihood(player, one) for one in others
        )

    before = lead()
    plan = Plan(updates=6, tasks=2, checks=1)
    with Curve(tmp_path / "curve.jsonl") as curve:
        reinforce(player, TASKS[:4] * 3, curve, TASKS[:1], plan, 0, str(tmp_path))
    assert lead() > before + 0.05


@pytest.mark.parametrize("task_id", TASKS[:2])
def test_a_demonstration_is_the_known_solution_or_only_says_so(player: Player, task_id: str):
    full, idle = (demonstrate(player, task_id, draw) for draw in (FULLY, IDLY))
    assert full.ids == player.gold(task_id).ids
    assert full.solved
    assert not idle.solved
    assert player.tokenizer.decode(idle.completion).count("<tool_call>") == 2


class Golden(Player):
    """Plays known solutions."""

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        return [self.gold(task_id) for task_id in task_ids]


class Silent(Player):
    """Says that it is done at once."""

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        return [self.replay(task_id, [{"name": "done"}]) for task_id in task_ids]


def test_turns_of_a_known_solution_are_valid_and_calls_of_no_tool_are_not(player: Player):
    golden, silent = (each(None, player.tokenizer).success(TASKS[:1]) for each in (Golden, Silent))
    assert (golden["success"], golden["reward"], golden["invalid"]) == (1.0, 1.0, 0.0)
    assert (silent["success"], silent["invalid"]) == (0.0, 1.0)


def test_a_known_solution_in_the_words_of_a_model_is_solved(player: Player):
    episodes = [player.gold(task_id) for task_id in TASKS]
    assert all(episode.solved and episode.valid and episode.reward == 1.0 for episode in episodes)


def test_what_is_learned_from_is_exactly_what_the_model_wrote(player: Player):
    episode = player.gold(TASKS[0])
    labels = lesson(episode)["labels"]
    own = player.tokenizer.decode([token for token in labels if token != -100])
    turns = own.split("<|im_end|>")
    assert turns.pop() == ""
    assert all(turn.startswith("<tool_call>\n{") and turn.endswith("}\n</tool_call>") for turn in turns)
    assert '"error"' not in own
    assert '"error"' in player.tokenizer.decode(episode.completion)


def test_a_conversation_reads_as_the_chat_template_writes_it(player: Player):
    episode = player.gold(TASKS[0])
    text = player.tokenizer.decode(episode.ids)
    assert text.startswith("<|im_start|>user\n")
    assert "</tool_call><|im_end|>\n<|im_start|>tool\n{" in text
    assert "}<|im_end|>\n<|im_start|>assistant\n<tool_call>" in text


def test_sampled_tokens_keep_the_probabilities_that_the_model_gives_them(player: Player):
    torch.manual_seed(0)
    (episode,) = player.play(TASKS[:1])
    assert len(episode.completion) == len(episode.mask) == len(episode.logprobs)
    with torch.no_grad():
        logs = player.model(torch.tensor([episode.ids])).logits[0].log_softmax(-1)
    ids = torch.tensor(episode.ids)
    given = logs[:-1].gather(-1, ids[1:, None])[:, 0][len(episode.prompt) - 1 :]
    own = torch.tensor(episode.mask, dtype=torch.bool)
    torch.testing.assert_close(torch.tensor(episode.logprobs)[own], given[own], atol=1e-3, rtol=1e-3)


def test_a_model_that_writes_no_call_solves_nothing_and_comes_to_an_end(player: Player):
    episodes = player.play(TASKS[:4])
    assert [episode.solved for episode in episodes] == [False] * len(episodes)
    assert all(episode.over and len(episode.ids) <= LONGEST for episode in episodes)


@pytest.mark.parametrize("seed", [0, 2])
def test_no_training_task_asks_what_a_held_out_task_asks(player: Player, seed: int):
    held_out = held_out_tasks(LONG.held_out)
    trained = training_tasks(player, seed, LONG.shown + LONG.tasks * LONG.updates, held_out)
    assert len({*trained, *held_out}) == len(trained) + len(held_out)
    assert {player.query(each) for each in trained}.isdisjoint(player.query(each) for each in held_out)


GIVEN_UP = "I give up."
OPENED = "<|im_start|>assistant\n"


class Knowing(Player):
    """Writes the known solution in every second episode, and gives up in the others."""

    def known(self, task_ids: Sequence[str]) -> dict[str, list[str]]:
        env = stb_env.make("stb/Sandbox-v1")
        return {
            env.tasks.get(task_id).query: [written(action) for action in gold_actions(env, task_id)]
            for task_id in task_ids
        }

    def _write(self, how: Any, prompts: Sequence[list[int]]) -> Any:
        said = []
        for place, text in enumerate(map(self.tokenizer.decode, prompts)):
            turns = next(turns for query, turns in self.solutions.items() if query in text)
            turn = text.count(OPENED) - 1
            gives_up = place % 2 if turn == 0 else GIVEN_UP in text
            ids = ids_of(self.tokenizer, (GIVEN_UP if gives_up else turns[turn]) + self.tokenizer.eos_token)
            said.append((ids, [0.0] * len(ids)))
        return said


def by_hand(
    player: Knowing, task_id: str, turns: Sequence[str]
) -> tuple[list[int], list[int], list[int], float]:
    """Play with nothing but Gymnasium and the chat template; return prompt, completion, mask and reward."""
    env = gym.make("stb_env:stb/Sandbox-v1", max_turns=TURNS)
    _, info = env.reset(seed=0, options={"task_id": task_id})
    chat, earned = list(info["messages"]), 0.0
    template = partial(player.tokenizer.apply_chat_template, tokenize=False)
    prompt = template(chat, add_generation_prompt=True)
    for text in turns:
        observation, reward, terminated, truncated, info = env.step(text)
        earned += float(reward)
        chat += [{"role": "assistant", "content": text}]
        if terminated or truncated:
            break
        told = info["calls"][0]["id"] if info["calls"] else ""
        role = "tool" if told else "user"
        chat += [{"role": role, "content": observation["result"]}]
    whole = template(chat).removesuffix("\n")
    ids, mask = [], []
    for piece in whole.removeprefix(prompt).split(OPENED):
        wrote, end, told = piece.partition(player.tokenizer.eos_token)
        for text, own in ((wrote + end, 1), (told + OPENED, 0)):
            ids += (new := ids_of(player.tokenizer, text))
            mask += [own] * len(new)
    last = len(mask) - mask[::-1].index(1)
    return ids_of(player.tokenizer, prompt), ids[:last], mask[:last], earned


def test_the_adapter_leaves_episodes_and_advantages_as_plain_gymnasium_has_them(
    player: Player, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made: dict[str, Any] = {}

    class Watched(GRPOTrainer):
        """Keeps what the trainer learns from."""

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            made.update(super()._generate_and_score_completions(inputs), inputs=inputs)
            return dict(made)

    monkeypatch.setattr("examples.grpo.GRPOTrainer", Watched)
    knowing, chosen = Knowing(player.model, player.tokenizer), TASKS[:1]
    knowing.solutions = knowing.known(chosen)
    with Curve(tmp_path / "curve.jsonl") as curve:
        plan = Plan(updates=1, tasks=1, checks=2)
        reinforce(knowing, chosen, curve, chosen[:1], plan, 0, str(tmp_path))
    played = [row["prompt"][0]["task_id"] for row in made["inputs"]]
    queries = dict(zip(chosen, knowing.solutions.values(), strict=True))
    plain = [
        by_hand(knowing, task_id, [GIVEN_UP] * TURNS if place % 2 else queries[task_id])
        for place, task_id in enumerate(played)
    ]
    for place, (prompt, completion, mask, _) in enumerate(plain):
        assert made["prompt_ids"][place][made["prompt_mask"][place].bool()].tolist() == prompt
        kept = made["completion_mask"][place].bool()
        assert made["completion_ids"][place][kept].tolist() == completion
        assert made["tool_mask"][place][kept].tolist() == mask
    earned = torch.tensor([reward for *_, reward in plain]).view(-1, GROUP)
    assert set(earned.flatten().tolist()) == {0.0, 1.0}
    advantages = (earned - earned.mean(1, keepdim=True)) / (earned.std(1, keepdim=True) + 1e-4)
    torch.testing.assert_close(made["advantages"], advantages.flatten(), atol=1e-4, rtol=1e-4)
