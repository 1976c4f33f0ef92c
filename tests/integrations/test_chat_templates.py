"""What a chat template makes of our conversations: in exports, and token by token.

The templates here are small, and behave as the strict ones of model families do; `test_trl_templates` has
those that TRL ships.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from stb_env.errors import ConfigError
from stb_env.integrations.trl import Rollouts, TokenEpisode, check_template
from stb_env.runs import DrivenEpisode
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory
from tests.command import reported
from tests.formats.test_export import saved
from tests.integrations.characters import DROPS, IDS, ITEMS, STRICT, TOJSON, Characters, rendered

FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
TWICE = [
    {"name": "find_notes", "arguments": {"word": "bank"}, "id": "a"},
    {"name": "add_note", "arguments": {}},
]


def conversation() -> Trajectory:
    """An episode with a call, parallel calls of which one is wrong, text, a user's words, and an answer."""
    episode = DrivenEpisode(notes())
    episode.start(task_id="day", seed=0)
    episode.call(**FIND)
    episode.take(episode.env.step(TWICE))
    episode.tell("I look.")
    episode.conclude("Tuesday")
    return episode.trajectory()


def call(identity: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def by_hand(episode: Trajectory) -> list[dict[str, Any]]:
    """The same conversation as somebody writes it for a template; what the environment said is copied."""
    system, user, _, found, _, nothing, wrong, _, complaint, _, end = (
        each["content"] for each in episode.messages
    )
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": user},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [call("call00000", "find_notes", {"word": "dentist"})],
        },
        {"role": "tool", "tool_call_id": "call00000", "content": found},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                call("call00001", "find_notes", {"word": "bank"}),
                call("call00002", "add_note", {}),
            ],
        },
        {"role": "tool", "tool_call_id": "call00001", "content": nothing},
        {"role": "tool", "tool_call_id": "call00002", "content": wrong},
        {"role": "assistant", "content": "I look."},
        {"role": "user", "content": complaint},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [call("call00003", "Finish", {"final_answer": "Tuesday"})],
        },
        {"role": "tool", "tool_call_id": "call00003", "content": end},
    ]


@pytest.mark.parametrize("template", [TOJSON, ITEMS, IDS])
def test_an_exported_conversation_renders_as_one_that_was_written_by_hand(template: str, tmp_path):
    episode = conversation()
    reported("export", saved(tmp_path / "run", [episode]), "--format", "sft", "--out", tmp_path / "sft")
    line = json.loads((tmp_path / "sft" / "sft.jsonl").read_text("utf-8"))
    made = rendered(template, line["messages"], tools=line["tools"])
    assert made == rendered(template, by_hand(episode), tools=list(episode.tools))
    assert '\\"word\\"' not in made


def test_an_episode_with_arguments_that_no_template_renders_is_left_out_and_counted(tmp_path):
    episode = DrivenEpisode(notes())
    episode.start(task_id="day", seed=0)
    episode.call("find_notes", '{"word": ')
    episode.conclude("Tuesday")
    unsolved = replace(
        conversation(),
        trial=1,
        reward=0.0,
        verdict=dict(conversation().verdict, status="unsolved", score=0.0),
    )
    run = saved(tmp_path / "run", [episode.trajectory(), unsolved])
    for format, rest in (("sft", 1), ("kto", 1), ("preferences", 0)):
        words = ("export", run, "--format", format, "--only", "valid", "--out", tmp_path / format)
        if rest:
            told = reported(*words)
            assert (told["records"], told["left_out"]["broken_arguments"]) == (rest, 1)


SPECIAL = {TOJSON: ("<|end|>",), ITEMS: ("<|stop|>", "<|observation|>", "<|user|>")}


def written(template: str, name: str, arguments: dict[str, str]) -> str:
    """What a model of a template's family writes."""
    if template is TOJSON:
        return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call><|end|>"
    given = "".join(f"<parameter={key}>{value}</parameter>" for key, value in arguments.items())
    return f"<tool_call><function={name}>{given}</function></tool_call><|observation|>"


@pytest.mark.parametrize("template", [TOJSON, ITEMS])
def test_tokens_that_are_only_added_to_are_those_of_the_whole_conversation(template: str):
    tokenizer = Characters(template, SPECIAL[template])
    stops = [tokenizer._id(each) for each in SPECIAL[template]]
    episode = TokenEpisode.begin(notes(), tokenizer, "day", longest=60_000, stops=stops)
    tools = episode.opening.info["tools"]
    ids = tokenizer(written(template, "find_notes", {"word": "dentist"}), add_special_tokens=False)[
        "input_ids"
    ]
    episode.act(ids)
    result = episode.trajectory().messages[-1]["content"]
    chat = [
        *episode.opening.info["messages"],
        {"role": "assistant", "content": "", "tool_calls": [call("c", "find_notes", {"word": "dentist"})]},
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]
    whole = tokenizer.apply_chat_template(chat, tools=tools, add_generation_prompt=True)
    assert tokenizer.decode(episode.ids) == whole
    assert "Dentist on Tuesday" in result
    own = [token for token, mine in zip(episode.completion, episode.mask, strict=True) if mine]
    assert own == ids


GEMMA = ("<|tool_response>", "<|tool_call>", "<tool_call|>", '<|"|>')
HARMONY = ("<|call|>", "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>")


@pytest.mark.parametrize(
    ("special", "text"),
    [
        (GEMMA, '<|tool_call>call:find_notes{word:<|"|>dentist<|"|>}<tool_call|><|tool_response>'),
        (HARMONY, ' to=functions.find_notes<|channel|>commentary json<|message|>{"word": "dentist"}<|call|>'),
        (
            HARMONY,
            "<|channel|>commentary to=functions.find_notes <|constrain|>json<|message|>"
            '{"word": "dentist"}<|call|>',
        ),
    ],
)
def test_calls_that_are_written_with_special_tokens_are_made(special: tuple[str, ...], text: str):
    tokenizer = Characters(TOJSON, special)
    episode = TokenEpisode.begin(notes(), tokenizer, "day", longest=60_000)
    episode.act(tokenizer(text, add_special_tokens=False)["input_ids"])
    (made,) = episode.trajectory().steps[0]["calls"]
    assert (made["name"], made["arguments"], made["status"]) == ("find_notes", {"word": "dentist"}, 0)


def test_a_turn_that_was_cut_is_ended_as_the_template_does_it():
    tokenizer = Characters(TOJSON)
    episode = TokenEpisode.begin(notes(max_turns=4), tokenizer, "write", longest=60_000)
    episode.act(tokenizer('<tool_call>{"name": "find_notes", "argu', add_special_tokens=False)["input_ids"])
    assert tokenizer.decode(episode.completion).startswith(
        '<tool_call>{"name": "find_notes", "argu<|end|>\n<|'
    )


@pytest.mark.parametrize(
    ("template", "why"),
    [
        (STRICT, r"the chat template fails on turns of tools \(only system, user and assistant roles\)"),
        (DROPS, "the chat template renders no results of tools"),
        (TOJSON.partition("{% endfor %}\n")[2], "does not show the model its tools"),
        ("", "the tokenizer has no chat template"),
    ],
)
def test_a_template_that_loses_a_part_is_refused_with_the_reason(template: str, why: str):
    env = notes()
    _, info = env.reset(options={"task_id": "day"})
    with pytest.raises(ConfigError, match=why):
        check_template(Characters(template), info["tools"])


def test_rollouts_refuse_such_a_template_before_the_first_turn():
    class Trainer:
        processing_class = Characters(DROPS)
        model = None

        class accelerator:  # noqa: N801 (as a trainer has it)
            unwrap_model = staticmethod(lambda model: model)

    rollouts = Rollouts(
        notes, ["day"], write=lambda prompts: pytest.fail("nothing is to be written"), longest=60_000
    )
    with pytest.raises(ConfigError, match="renders no results of tools; take a chat template"):
        rollouts([row["prompt"] for row in rollouts.rows], Trainer())


def test_a_prompt_that_leaves_no_room_is_refused():
    with pytest.raises(
        ConfigError, match=r"the prompt of task 'day' has \d+ tokens, which with turn=8 is more"
    ):
        TokenEpisode.begin(notes(), Characters(TOJSON), "day", longest=100, turn=8)


def test_episodes_that_length_cut_can_be_masked():
    from stb_env.integrations.trl import token_columns

    tokenizer = Characters(TOJSON)
    room = len(TokenEpisode.begin(notes(), tokenizer, "day", longest=60_000).prompt) + 520
    episode = TokenEpisode.begin(notes(), tokenizer, "day", longest=room)
    episode.act(
        tokenizer(written(TOJSON, "find_notes", {"word": "x"}), add_special_tokens=False)["input_ids"]
    )
    assert (episode.over, episode.cut) == (True, True)
    assert sum(token_columns([episode])["env_mask"][0]) > 0
    assert sum(token_columns([episode], mask_cut=True)["env_mask"][0]) == 0
