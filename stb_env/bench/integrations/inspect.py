"""Inspect's evaluation, in both forms of its solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from stb_env.bench.integrations.loop import Play
from stb_env.bench.integrations.script import ENV_ID, Script


@contextmanager
def inspect(script: Script, form: Any) -> Iterator[Play]:
    """Play as ``inspect eval`` does, logs included."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from stb_env.integrations.inspect import stb
    from stb_env.integrations.inspect.messages import chat

    def answer(messages: Sequence[Any], *_: object) -> ModelOutput:
        with script.model():
            told = [{"role": message.role, "content": message.text} for message in messages]
            made = ModelOutput.from_message(chat([script.next_turn(told)])[0])
            # Tokens that are not counted here would be counted by what has to be fetched.
            made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return made

    def play(ids: Sequence[str]) -> float:
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        with TemporaryDirectory() as folder:
            task = stb(ENV_ID, list(ids), form=form)
            log = evaluate(task, model=model, log_dir=folder, display="none", log_level="error")[0]
        return float(log.results.scores[0].metrics["mean"].value)

    yield Play(play)
