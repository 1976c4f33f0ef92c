"""TRL plays every suite, with the tools of each task, and learns from what it earned."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="TRL needs a build of PyTorch that fits the machine")
pytest.importorskip("trl", reason="needs the extra stb-env[trl]")

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

import stb_env
from stb_env.core.request import Request
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.formats.rl import rl_records
from stb_env.formats.sft import sft_lines
from stb_env.integrations.trl import Environments, Rollouts, TokenEpisode, generate, play_together, reward
from stb_env.integrations.trl.token_episode import Write
from stb_env.tasks import Task, TaskSet
from stb_env.testing.notes import Notebook, NotesJudge, notes
from stb_env.tools import Tool, ToolCall, ToolId
from stb_env.wrappers import DepthFirstSearch
from stb_env.wrappers.ruled import AroundBackend
from tests.integrations.broken import SUITE_IDS, named
from tests.integrations.scripted import NOTES, WRONG, calls_of, page_script
from tests.integrations.scripted import gold_turns as gold_messages

BROKEN = "tests.integrations.broken:"
SHORT = {"max_steps": 1, "num_generations": 2, "per_device_train_batch_size": 2, "max_completion_length": 64}
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:You are using '(rollout_func|environment_factory)'"),
]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def gold_turns(env_id: str, task_id: str) -> list[list[dict[str, Any]]]:
    """Return the calls of each turn of a known solution, as a model writes them."""
    turns = [calls_of(turn) for turn in gold_messages(env_id, task_id)]
    return [[{"name": name, "arguments": arguments} for name, arguments in turn] for turn in turns]


@cache
def qwen_tokenizer() -> Any:
    """Bytes and what little training adds, with the chat template of Qwen3."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    rows = Environments("stb/Sandbox-v1", tasks=8).rows
    made.train_from_iterator([json.dumps(row["prompt"]) for row in rows], trainer)
    made.add_tokens(
        ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<|endoftext|>",
        eos_token="<|im_end|>",
        chat_template=qwen3_chat_template,
    )


def tiny_qwen() -> Any:
    torch.manual_seed(0)
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(qwen_tokenizer()),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=16,
            max_position_embeddings=65536,
            eos_token_id=qwen_tokenizer().eos_token_id,
            pad_token_id=qwen_tokenizer().pad_token_id,
        )
    )


def ids_of(text: str) -> list[int]:
    return qwen_tokenizer()(text, add_special_tokens=False)["input_ids"]


def told(turns: list[list[dict[str, Any]]], number: int) -> str:
    calls = turns[number] if number < len(turns) else []
    written = "".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in calls)
    return (written or "That is all.") + "<|im_end|>"


class Scripted(GRPOTrainer):
    """A trainer whose model plays the known solution in every second rollout, and gives up in the others."""

    env_id: str

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations, **more):
        texts = [qwen_tokenizer().decode(ids) for ids in prompt_ids]
        opening = [not text.count("<tool_response>") for text in texts]
        return [
            ids_of("I give up.<|im_end|>" if first and number % 2 else self.known(text))
            for number, (text, first) in enumerate(zip(texts, opening, strict=True))
        ], None

    def known(self, text: str) -> str:
        turns = next(turns for query, turns in self.plans.items() if query in text)
        return told(turns, text.count("<tool_response>"))


def settings(folder: Path, **more: Any) -> GRPOConfig:
    return GRPOConfig(
        **{
            "output_dir": str(folder),
            "max_steps": 1,
            "per_device_train_batch_size": 4,
            "num_generations": 4,
            "max_completion_length": 4000,
            "max_tool_calling_iterations": 8,
            "learning_rate": 1e-3,
            "use_cpu": True,
            "bf16": False,
            "gradient_checkpointing": False,
            "report_to": "none",
            "save_strategy": "no",
            "logging_steps": 1,
            "disable_tqdm": True,
            **more,
        }
    )


def trained(
    folder: Path, environments: Environments, plans: dict[str, Any], **more: Any
) -> list[dict[str, float]]:
    trainer = Scripted(
        tiny_qwen(),
        reward,
        settings(folder, **more),
        train_dataset=Dataset.from_list(environments.rows),
        processing_class=qwen_tokenizer(),
        environment_factory=environments,
    )
    trainer.plans = plans
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def plans_of(env_id: str, task_ids: list[str]) -> dict[str, Any]:
    tasks = stb_env.make(env_id).tasks
    return {tasks.get(task_id).query: gold_turns(env_id, task_id) for task_id in task_ids}


def test_two_steps_on_the_sandbox_learn_from_the_rewards_of_its_tasks(tmp_path: Path):
    environments = Environments("stb/Sandbox-v1", tasks=2)
    plans = plans_of("stb/Sandbox-v1", [row["task_id"] for row in environments.rows])
    first, second = trained(tmp_path, environments, plans, max_steps=2)
    calls = sorted(len(turns) / 2 for turns in plans.values())
    for entry in (first, second):
        assert entry["reward"] == 0.5
        assert entry["grad_norm"] > 0.0
        assert entry["tools/failure_frequency"] == 0.0
    assert sorted(entry["tools/call_frequency"] for entry in (first, second)) == calls


# API-Bank's second level finds its tools on the way, which TRL's own loop cannot show: Rollouts play it.
@pytest.mark.parametrize("env_id", ["stb/OpenWeather-v1", "stb/I1Instruction-v0"])
def test_known_solutions_of_every_suite_earn_their_reward(env_id: str, tmp_path: Path):
    environments = Environments(env_id, tasks=1)
    (entry,) = trained(tmp_path, environments, plans_of(env_id, [environments.rows[0]["task_id"]]))
    assert entry["reward"] == 0.5
    assert entry["grad_norm"] > 0.0


# Conversations are refused, as `test_conversations` shows.
PLAYABLE = [env_id for env_id in SUITE_IDS if env_id != "stb/APIBankRetrieve-v1"]


@pytest.mark.parametrize("env_id", PLAYABLE)
def test_an_episode_whose_backend_failed_has_no_reward(env_id: str):
    task_id = stb_env.make(env_id).tasks.at(0).id
    environments = Environments(BROKEN + named(env_id), [task_id])
    failed, answered = (environments[task_id]() for _ in range(2))
    for played in (failed, answered):
        played.reset(**environments.rows[0])
    call = next(c for turn in gold_turns(env_id, task_id) for c in turn)
    getattr(failed, call["name"])(**call["arguments"])
    said = [[{"role": "assistant", "content": "I cannot."}]] * 2
    assert reward(said, [failed, answered]) == [None, 0.0]


def test_training_leaves_failed_episodes_out_of_their_group(tmp_path: Path):
    (task_id,) = (stb_env.make("stb/Sandbox-v1").tasks.at(0).id,)
    environments = Environments(BROKEN + named("stb/Sandbox-v1"), [task_id])
    (entry,) = trained(tmp_path, environments, plans_of("stb/Sandbox-v1", [task_id]))
    assert entry["reward"] == 0.0
    assert entry["grad_norm"] == 0.0


def test_the_prompt_shows_a_tool_exactly_as_the_environment_describes_it():
    environments = Environments(NOTES)
    played = next(iter(environments.values()))()
    env = notes()
    env.reset(options={"task_id": "day"})
    assert played.find_notes["function"]["name"] == "find_notes"
    text = qwen_tokenizer().apply_chat_template(
        [{"role": "user", "content": "?"}], tools=[played.find_notes], tokenize=False
    )
    assert json.dumps(played.find_notes) in text


def test_a_tool_that_trl_would_hide_is_refused_by_name():
    hidden = Tool("reset", "Starts over.", {}, ToolId("Office", "notebook", "reset"))
    task = Task("1", "Start over.", (hidden,))
    with pytest.raises(ConfigError, match=re.escape("TRL does not offer a tool named 'reset'")):
        Environments(lambda: ToolEnv(TaskSet([task]), Notebook(), NotesJudge()))


def writer(turns: list[list[dict[str, Any]]]) -> Write:
    """Write the known solution in every second episode, and an answer that solves nothing in the others."""

    def write(prompts: Sequence[list[int]]) -> list[tuple[list[int], list[float]]]:
        played = [qwen_tokenizer().decode(ids).count("<|im_start|>assistant") - 1 for ids in prompts]
        typed = "answer" in turns[-1][-1]["arguments"]
        wrong = [[{"name": "Finish", "arguments": WRONG if typed else {"final_answer": "No."}}]]
        said = [
            ids_of(told(wrong if number == 0 and place % 2 else turns, number))
            for place, number in enumerate(played)
        ]
        return [(ids, [0.0] * len(ids)) for ids in said]

    return write


def learned(folder: Path, rollouts: Rollouts, **more: Any) -> list[dict[str, float]]:
    trainer = GRPOTrainer(
        tiny_qwen(),
        reward,
        settings(folder, **more),
        train_dataset=Dataset.from_list(rollouts.rows),
        processing_class=qwen_tokenizer(),
        rollout_func=rollouts,
    )
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


@pytest.mark.parametrize("env_id", SUITE_IDS)
def test_rollouts_play_known_solutions_of_every_suite(env_id: str, tmp_path: Path):
    task_id = stb_env.make(env_id).tasks.at(0).id
    rollouts = Rollouts(env_id, [task_id], write=writer(gold_turns(env_id, task_id)), longest=60_000)
    (entry,) = learned(tmp_path, rollouts)
    assert entry["reward"] == 0.5
    assert entry["grad_norm"] > 0.0


def test_rollouts_of_a_failed_backend_have_no_reward(tmp_path: Path):
    turns = gold_turns("stb/Sandbox-v1", task_id := stb_env.make("stb/Sandbox-v1").tasks.at(0).id)
    rollouts = Rollouts(BROKEN + named("stb/Sandbox-v1"), [task_id], write=writer(turns))
    (entry,) = learned(tmp_path, rollouts)
    assert entry["reward"] == 0.0
    assert entry["grad_norm"] == 0.0


def test_a_random_model_plays_its_own_turns_without_a_crash(tmp_path: Path):
    (entry,) = learned(tmp_path, Rollouts("stb/Sandbox-v1", tasks=1, turn=4, max_turns=2))
    assert entry["reward"] == 0.0


def test_sampled_tokens_keep_the_probabilities_that_the_model_gave_them():
    env, model = stb_env.make("stb/Sandbox-v1", max_turns=3), tiny_qwen()
    episode = TokenEpisode.begin(env, qwen_tokenizer(), env.tasks.at(0).id, turn=8)
    torch.manual_seed(0)
    play_together(
        [episode], lambda prompts: generate(model, qwen_tokenizer(), prompts, 8, temperature=2.0, top_k=0)
    )
    with torch.no_grad():
        logs = (model(torch.tensor([episode.ids])).logits[0] / 2.0).log_softmax(-1)
    given = logs[:-1].gather(-1, torch.tensor(episode.ids)[1:, None])[:, 0][len(episode.prompt) - 1 :]
    own = torch.tensor(episode.mask, dtype=torch.bool)
    assert 8 < own.sum() < len(own)
    torch.testing.assert_close(torch.tensor(episode.logprobs)[own], given[own], atol=1e-3, rtol=1e-3)


def test_a_search_is_learned_from_where_its_conversation_was_only_added_to():
    turns = gold_turns(NOTES, "day")
    episode = TokenEpisode.begin(DepthFirstSearch(notes()), qwen_tokenizer(), "day")
    first = list(episode.prompt)
    given_up = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
    episode.act(ids_of(told([[given_up]], 0)))
    assert (episode.completion, episode.mask) == ([], [])
    assert len(episode.prompt) > len(first)
    for number in range(len(turns)):
        episode.act(ids_of(told(turns, number)))
    own = [token for token, mine in zip(episode.completion, episode.mask, strict=True) if mine]
    # The call answered a hint that the search takes back, so the call stands in the prompt, without the hint.
    assert json.dumps(turns[0][0]["arguments"]) in qwen_tokenizer().decode(episode.prompt)
    assert qwen_tokenizer().decode(own) == told(turns, 1)
    assert episode.solved
    assert episode.reward == 1.0


def test_an_episode_is_saved_with_the_very_tokens_that_were_sampled():
    turns = gold_turns(NOTES, "day")
    episode = TokenEpisode.begin(notes(), qwen_tokenizer(), "day", seed=3)
    for number in range(len(turns)):
        ids = ids_of(told(turns, number))
        episode.act(ids, [-0.5] * len(ids))
    saved = episode.trajectory(trial=2)
    episode.env.reset(seed=4)
    ((line,), (record,)) = list(sft_lines(saved)), list(rl_records(saved, 1.0))
    mask = [0] * len(episode.prompt) + episode.mask
    assert line["tokens"] == [{"input_ids": episode.ids, "loss_mask": mask}]
    assert record["logprobs"] == episode.logprobs
    assert (saved.verdict["status"], saved.trial, saved.seed) == ("solved", 2, 3)
    # As in any run: Finish, and what the environment says to it.
    assert [message["role"] for message in saved.messages[-2:]] == ["assistant", "tool"]


def test_an_episode_that_was_only_begun_is_saved_as_that():
    saved = TokenEpisode.begin(notes(), qwen_tokenizer(), "day").trajectory()
    assert (saved.steps, saved.verdict, saved.reward) == ([], None, 0.0)


def test_slow_calls_of_all_episodes_are_waited_for_at_once():
    barrier = asyncio.Barrier(3)

    class Together(AroundBackend):
        def answer(self, state: Any, tool: Tool, call: ToolCall) -> Any:
            # None of three calls is answered before all of them were made.
            yield Request(barrier.wait, barrier.wait)
            return (yield from self.backend.answer(state, tool, call))

        def recorded(self, state: Any, tool: Tool, call: ToolCall) -> None:
            return None

    def made() -> ToolEnv:
        env = notes()
        env.rules = replace(env.rules, layers=(lambda backend, state: Together(backend),))
        return env

    turns = gold_turns(NOTES, "day")
    episodes = [TokenEpisode.begin(made(), qwen_tokenizer(), "day") for _ in range(3)]
    place = iter(range(len(turns)))

    def write(prompts: Sequence[list[int]]) -> list[tuple[list[int], list[float]]]:
        ids = ids_of(told(turns, next(place)))
        return [(ids, [0.0] * len(ids))] * len(prompts)

    play_together(episodes, write)
    assert [episode.earned for episode in episodes] == [1.0] * 3


def test_the_script_of_the_page_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    model = tiny_qwen()
    # A random model seldom ends its turn, and this one need not write thousands of tokens.
    monkeypatch.setattr("trl.GRPOConfig", lambda **given: settings(tmp_path, **{**given, **SHORT}))
    model.save_pretrained(tmp_path / "model")
    qwen_tokenizer().save_pretrained(tmp_path / "model")
    script = page_script("trl", "integrations_trl.md").replace("Qwen/Qwen3-0.6B", str(tmp_path / "model"))
    names: dict[str, Any] = {}
    exec(compile(script, "docs/integrations_trl.md", "exec"), names)
    assert names["trainer"].state.global_step == 1
    assert names["trainer"].state.log_history[0]["reward"] == 0.0
