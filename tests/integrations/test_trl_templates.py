"""Every chat template that TRL ships renders our conversations as written by hand, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

trl = pytest.importorskip("trl", reason="needs the extra stb-env[trl]")
from transformers.utils.chat_template_utils import render_jinja_template  # noqa: E402 (needs what may be missing)

from stb_env.errors import ConfigError  # noqa: E402
from stb_env.formats.sft import sft_lines  # noqa: E402
from stb_env.integrations.trl import TokenEpisode, check_template  # noqa: E402
from stb_env.testing.notes import notes  # noqa: E402
from tests.integrations.characters import Characters  # noqa: E402
from tests.integrations.test_chat_templates import FIND, by_hand, call, conversation  # noqa: E402

TEMPLATES = {
    file.stem: file.read_text("utf-8")
    for file in (Path(trl.__file__).parent / "chat_templates").glob("*.jinja")
}
STOPS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<turn|>", "<|tool_response>", "<|return|>"),
    *("<|call|>", "<|end|>", "<|eot|>", "<|observation|>", "<|user|>", "<｜end▁of▁sentence｜>", "<eos>"),
    "<|END_OF_TURN_TOKEN|>",
)
"""Tokens that end a turn in one family or another."""

RENDER_ALL = (
    "qwen2_5",
    "qwen3",
    "qwen3_5_think",
    "glm4moe",
    "gemma4_v5",
    "nemotron_3_nano",
    "lfm2_v2",
    "muse_glimmer",
)
RENDER_ONE_CALL = ("llama3_1", "gptoss")
RENDER_NO_RESULTS = ("phi3_5", "cohere2", "gemma3")


class Transformers(Characters):
    """Renders with transformers itself."""

    def apply_chat_template(
        self, messages: Any, *, tools: Any = None, tokenize: bool = False, **how: Any
    ) -> str:
        assert not tokenize
        texts, _ = render_jinja_template(
            [messages],
            tools=tools,
            chat_template=self.chat_template,
            bos_token="<bos>",
            eos_token="<eos>",
            **how,
        )
        return str(texts[0])


def tokenizer_of(name: str) -> Transformers:
    return Transformers(TEMPLATES[name], STOPS)


def refusal(name: str, tools: Any, calls: int) -> str:
    """Why a template is refused; empty where it is not."""
    try:
        check_template(tokenizer_of(name), tools, calls=calls)
    except ConfigError as error:
        return str(error)
    return ""


def attempt(tokenizer: Transformers, messages: Any, tools: Any) -> str:
    try:
        return tokenizer.apply_chat_template(messages, tools=tools)
    except Exception as error:  # noqa: BLE001 (a template raises anything)
        return f"fails: {error}"


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_an_exported_conversation_renders_as_written_by_hand_or_its_template_is_refused(name: str):
    episode, tokenizer = conversation(), tokenizer_of(name)
    (line,) = sft_lines(episode)
    why = refusal(name, line["tools"], 2)
    made, expected = (
        attempt(tokenizer, each, line["tools"]) for each in (line["messages"], by_hand(episode))
    )
    assert made == expected
    parts = ("dentist", "bank", "Dentist on Tuesday", "I look.", "find_notes", "add_note", "Finish")
    lost = made.startswith("fails: ") or any(part not in made for part in parts)
    assert lost <= bool(why), f"a part is lost in {made}"
    assert why or '\\"word\\"' not in made


def test_families_render_what_they_are_made_for():
    tools = list(conversation().tools)
    assert [refusal(name, tools, 2) for name in RENDER_ALL] == [""] * len(RENDER_ALL)
    assert [refusal(name, tools, 1) for name in RENDER_ONE_CALL] == [""] * len(RENDER_ONE_CALL)
    assert all(refusal(name, tools, 2) for name in RENDER_ONE_CALL)
    assert all("of tools" in refusal(name, tools, 0) for name in RENDER_NO_RESULTS)


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_results_reach_the_model_token_by_token_as_the_template_renders_them(name: str):
    tokenizer = tokenizer_of(name)
    if why := refusal(name, conversation().tools, 0):
        assert "chat template" in why
        return
    stops = [tokenizer._id(each) for each in STOPS]
    episode = TokenEpisode.begin(notes(), tokenizer, "day", longest=100_000, stops=stops)
    tools, opening = episode.opening.info["tools"], episode.opening.info["messages"]
    before = len(episode.completion)
    # What the model writes is read by another test: here every family's turn ends with its own token.
    said = {"role": "assistant", "content": "", "tool_calls": [call("call00000", **FIND)]}
    text = '{"name": "find_notes", "arguments": {"word": "dentist"}}'
    ids = tokenizer(text + stop_of(tokenizer, opening, said), add_special_tokens=False)["input_ids"]
    episode.act(ids)
    told = tokenizer.decode(episode.completion[before + len(ids) :])
    result = {"role": "tool", "tool_call_id": "call00000", "content": episode.env.messages[-1]["content"]}
    whole = tokenizer.apply_chat_template([*opening, said, result], tools=tools, add_generation_prompt=True)
    assert "Dentist on Tuesday" in told
    assert whole.endswith(told)


def stop_of(tokenizer: Transformers, opening: Any, said: Any) -> str:
    """The token that a turn with a call ends by: what the template ends it with, or begins the next with."""
    chat = [*opening, said]
    result = {"role": "tool", "tool_call_id": "call00000", "content": "42"}
    try:
        alone = tokenizer.apply_chat_template(chat)
        after = tokenizer.apply_chat_template([*chat, result])
    except Exception:  # noqa: BLE001 (a template raises anything)
        return STOPS[0]
    ending = alone.rpartition("dentist")[2]
    following = after.rpartition("dentist")[2]
    found = sorted((text.index(stop), stop) for text in (ending, following) for stop in STOPS if stop in text)
    return found[0][1] if found else STOPS[0]
