"""verl's own agent loop, tokens and masks included, with a server that answers as a model that knows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verl", reason="verl is not on the path: unpack its wheel")

from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap, _agent_loop_registry
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from stb_env.errors import ConfigError
from stb_env.integrations.rows import rows
from stb_env.integrations.verl import AGENT, EpisodeLoop, dataset
from tests.integrations.scripted import SETTINGS, WRONG, failing, gold_turns, page_script

SANDBOX = "stb/Sandbox-v1"
END = "<|im_end|>"
TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool['function']['name'] }} {% endfor %}"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

GIVE_UP = f"<tool_call>{json.dumps({'name': 'Finish', 'arguments': WRONG})}</tool_call>"


def letters(template: str = TEMPLATE) -> PreTrainedTokenizerFast:
    """Return a tokenizer of bytes, so that every text is tokens and back."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE({letter: number for number, letter in enumerate(alphabet)}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(["<|im_start|>", END])
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token=END, pad_token=END, chat_template=template
    )


class Server:
    """Answers with the next of some texts, as tokens with their logprobs."""

    def __init__(self, texts: list[str], tokenizer: Any) -> None:
        self.answers = [tokenizer.encode(text + END, add_special_tokens=False) for text in texts]
        self.prompts: list[list[int]] = []
        self._left = list(self.answers)

    async def generate(self, request_id: str, *, prompt_ids: list[int], sampling_params: Any) -> TokenOutput:
        self.prompts.append(prompt_ids)
        ids = self._left.pop(0)
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids))


def written(turn: dict[str, Any]) -> str:
    functions = [call["function"] for call in turn.get("tool_calls") or ()]
    calls = [{**function, "arguments": json.loads(function["arguments"])} for function in functions]
    said = "\n".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
    return said or turn["content"]


def played(
    row: dict[str, Any],
    texts: list[str],
    length: int = 100_000,
    template: str = TEMPLATE,
    longest_prompt: int = 100_000,
    **data: Any,
) -> tuple[AgentLoopOutput, Server]:
    """Play a row as a worker of verl's does, which makes the loop of a registered target."""

    async def run() -> tuple[AgentLoopOutput, Server]:
        rollout = {"prompt_length": longest_prompt, "response_length": length}
        config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": data})
        tokenizer = letters(template)
        server = Server(texts, tokenizer)
        loop = EpisodeLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=server,
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
        )
        return await loop.run(
            {"temperature": 1.0}, raw_prompt=row["prompt"], extra_info=row["extra_info"]
        ), server

    return asyncio.run(run())


@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_model_that_knows_gets_every_point(env_id: str):
    settings = SETTINGS[env_id]
    for row in dataset(env_id, 2, **settings):
        turns = gold_turns(env_id, row["extra_info"]["task_id"], **settings)
        output, server = played(row, [written(turn) for turn in turns])
        assert (output.reward_score, output.extra_fields["valid"]) == (1.0, True)
        assert len(server.prompts) == len(turns)


@pytest.mark.parametrize("env_id", SETTINGS)
def test_nothing_is_learnt_from_an_episode_that_failed(env_id: str, tmp_path: Path):
    row = dataset(env_id, 1, **failing(env_id, tmp_path))[0]
    turns = gold_turns(env_id, row["extra_info"]["task_id"], **SETTINGS[env_id])
    output, _ = played(row, [written(turn) for turn in turns])
    assert (output.reward_score, output.extra_fields["valid"]) == (0.0, False)
    assert set(output.response_mask) == {0}
    assert json.loads(output.extra_fields["failure"])["kind"] in ("judge", "cache_miss")


def test_the_mask_covers_just_the_tokens_that_the_model_wrote():
    row = dataset(SANDBOX, 1)[0]
    turns = gold_turns(SANDBOX, row["extra_info"]["task_id"])
    output, server = played(row, [written(turn) for turn in turns])
    ids = zip(output.response_ids, output.response_mask, strict=True)
    assert [token for token, ours in ids if ours] == [token for answer in server.answers for token in answer]
    scores = zip(output.response_logprobs, output.response_mask, strict=True)
    assert all(logprob == (-0.5 if ours else 0.0) for logprob, ours in scores)
    assert output.prompt_ids == server.prompts[0]


def test_each_prompt_begins_with_the_one_before_and_its_answer():
    row = dataset(SANDBOX, 1)[0]
    turns = gold_turns(SANDBOX, row["extra_info"]["task_id"])
    _, server = played(row, [written(turn) for turn in turns])
    for before, answer, after in zip(server.prompts, server.answers, server.prompts[1:], strict=False):
        assert after[: len(before) + len(answer)] == before + answer


def test_the_tools_of_the_task_stand_in_the_prompt():
    row = dataset(SANDBOX, 1)[0]
    output, _ = played(row, [GIVE_UP])
    prompt = letters().decode(output.prompt_ids)
    names = [tool["function"]["name"] for tool in rows(SANDBOX, 1)[0].tools]
    assert prompt.partition("<|im_start|>")[0].split() == names


def test_a_wrong_answer_earns_nothing_and_is_learnt_from():
    output, _ = played(dataset(SANDBOX, 1)[0], [GIVE_UP])
    assert (output.reward_score, output.extra_fields["valid"], set(output.response_mask)) == (0.0, True, {1})


def test_a_response_that_grows_too_long_ends_there_without_a_reward():
    row = dataset(SANDBOX, 1)[0]
    turns = gold_turns(SANDBOX, row["extra_info"]["task_id"])
    output, server = played(row, [written(turn) for turn in turns], length=200)
    assert (output.reward_score, len(server.prompts)) == (0.0, 1)
    assert len(output.response_ids) == len(output.response_mask) == len(output.response_logprobs) <= 200


def test_a_result_is_told_after_its_call_and_with_the_settings_that_verl_has_for_the_template():
    row = dataset(SANDBOX, 1)[0]
    turns = gold_turns(SANDBOX, row["extra_info"]["task_id"])
    strict = "{% if shout is defined %}LOUD {% endif %}" + TEMPLATE.replace(
        "<|im_start|>{{",
        "{% if message.role == 'tool' and not loop.previtem.tool_calls %}{{ raise_exception('no call') }}"
        "{% endif %}<|im_start|>{{",
    ).replace("{{ message['content'] }}", "{{ message['content'] }}{{ (message.tool_calls or []) | tojson }}")
    said = [written(turn) for turn in turns]
    output, _ = played(row, said, template=strict, apply_chat_template_kwargs={"shout": True})
    assert output.reward_score == 1.0
    assert letters().decode(output.prompt_ids).startswith("LOUD ")


def test_a_template_that_loses_results_and_a_prompt_that_is_too_long_are_refused_with_the_reason():
    row = dataset(SANDBOX, 1)[0]
    silent = TEMPLATE.replace(
        "{% for message in messages %}", "{% for message in messages if message.role != 'tool' %}"
    )
    with pytest.raises(ConfigError, match="renders no results of tools"):
        played(row, ["no"], template=silent)
    with pytest.raises(
        ConfigError, match=r"more than verl's prompt_length=10; raise data\.max_prompt_length"
    ):
        played(row, ["no"], longest_prompt=10)


def test_the_loop_is_registered_under_the_name_that_rows_have():
    assert _agent_loop_registry[AGENT] == {"_target_": "stb_env.integrations.verl.EpisodeLoop"}
    assert dataset(SANDBOX, 1)[0]["agent_name"] == AGENT


def test_the_script_of_the_page_writes_rows_that_verl_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(page_script("verl"), "docs/integrations.md", "exec"), {})
    config = OmegaConf.create(
        {"cache_dir": str(tmp_path), "max_prompt_length": 100_000, "return_raw_chat": True}
    )
    read = RLHFDataset(str(tmp_path / "train.parquet"), letters(), config)[0]
    assert (read["agent_name"], read["raw_prompt"][0]["role"]) == (AGENT, "system")
    output, _ = played({"prompt": read["raw_prompt"], "extra_info": read["extra_info"]}, [GIVE_UP])
    assert output.extra_fields["valid"]
