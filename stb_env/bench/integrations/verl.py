"""verl's agent loop, one episode after another, with a server that answers as a model that knows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script
from stb_env.bench.integrations.tokenizer import END, next_text, trained_tokenizer

_TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['role'] == 'tool' %}<tool_response>{% endif %}{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@contextmanager
def verl(script: Script) -> Iterator[Play]:
    """Play as a worker of verl's does."""
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap
    from verl.utils.dataset.rl_dataset import RLHFDataset
    from verl.workers.rollout.replica import TokenOutput

    from stb_env.integrations.verl import EpisodeLoop, dataset

    tokenizer = trained_tokenizer(script, _TEMPLATE)
    rollout = {"prompt_length": 65_536, "response_length": 65_536}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})

    class Server:
        """Writes the known solutions."""

        async def generate(
            self, request_id: str, *, prompt_ids: list[int], sampling_params: object
        ) -> TokenOutput:
            del request_id, sampling_params
            with script.model():
                text = next_text(script, tokenizer.decode(prompt_ids)) + END
                ids = tokenizer(text, add_special_tokens=False)["input_ids"]
                return TokenOutput(token_ids=ids, log_probs=[0.0] * len(ids))

    async def one(row: Any) -> float:
        loop = EpisodeLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=Server(),
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
        )
        played = await loop.run({}, raw_prompt=row["prompt"], extra_info=row["extra_info"])
        return float(played.reward_score)

    rows = {row["extra_info"]["task_id"]: row for row in dataset(ENV_ID, list(script.turns))}

    async def play(ids: Sequence[str]) -> float:
        return mean([await one(rows[task]) for task in ids])

    with asyncio.Runner() as runner:
        yield Play(lambda ids: runner.run(play(ids)))
