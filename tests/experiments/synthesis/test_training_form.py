"""Dialogues as training data."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.experiments.synthesis import Ability, Dialogue
from stb_env.experiments.synthesis.dialogue import Call, Turn
from stb_env.experiments.synthesis.training import RECIPES, chat_line, recipe, training_samples
from stb_env.suites.api_bank.formats.training import (
    CALL_CUE,
    Instructions,
    Requested,
    Said,
    TrainingSample,
    call_text,
    read_call,
    read_training,
)
from tests.experiments.synthesis.replies import APIS

LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=30)
PLAIN = st.text("abc {}[]->:'\"", max_size=20)


def dialogue(ability: Ability, *calls: Call, turns: int = 1) -> Dialogue:
    pool = tuple(APIS.values())
    told = Turn("When is it?", calls, "At six.\nGood?")
    return Dialogue(3, "kept", ability, "sea", pool, pool[:1], "2031-05-04 08:00:00", (told,) * turns, None)


TIDE = Call("TideTable", {"harbour": "L'Aber", "day": "today"}, {"high_water": "06:10"})


def test_a_sample_asks_for_each_call_and_for_the_reply():
    one, other = training_samples(dialogue(Ability.CALL, TIDE), Instructions("c", "r"))
    assert one.to_record() == {
        "instruction": "c",
        "input": f"{APIS['TideTable'].line}\nUser: When is it?TIME: 2031-05-04 08:00:00\n{CALL_CUE}",
        "output": "API-Request: [TideTable(harbour=\"L'Aber\", day='today')]",
    }
    assert other.history[-1] == Requested(one.output.split(": ", 1)[1], "{'high_water': '06:10'}")
    assert other.output == "AI: At six.\nGood?\n"


@pytest.mark.parametrize(
    ("ability", "call", "reply"),
    [
        ("call", ["TideTable"], ["TideTable"]),
        ("retrieve", ["ToolSearcher"], ["ToolSearcher", "TideTable"]),
        ("plan", ["ToolSearcher"], ["ToolSearcher"]),
    ],
)
def test_what_is_described_follows_the_ability(ability: str, call: list[str], reply: list[str]):
    samples = list(training_samples(dialogue(Ability(ability), TIDE), Instructions()))
    described = [[json.loads(line)["apiCode"] for line in sample.descriptions] for sample in samples]
    assert described == [call, reply]


def test_later_turns_have_the_earlier_ones_as_history():
    *_, last = training_samples(dialogue(Ability.CALL, TIDE, turns=2), Instructions())
    kinds = [item.speaker if isinstance(item, Said) else "API" for item in last.history]
    assert kinds == ["User", "API", "AI", "User", "API"]
    assert last.history[2] == Said("AI", "At six. Good?")
    assert TrainingSample.from_record(last.to_record()) == last


def test_chat_lines_pair_calls_with_results():
    line = chat_line(dialogue(Ability.RETRIEVE, TIDE))
    roles = [message["role"] for message in line["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    (call,) = line["messages"][2]["tool_calls"]
    assert call["function"]["arguments"] == TIDE.arguments
    assert line["messages"][3]["tool_call_id"] == call["id"]
    assert [tool["function"]["name"] for tool in line["tools"]] == ["ToolSearcher"]


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_have_the_settings_of_the_paper(name: str):
    read = tomllib.loads(recipe(name))
    assert read["training"] | {"method": ""} == {
        "method": "",
        "epochs": 3,
        "batch_size": 256,
        "learning_rate": 2e-5,
    }
    assert "LLaMA-7B" in str(read["base"])
    assert "Alpaca-7B" in str(read["base"])


@given(
    descriptions=st.lists(LINE.map(lambda text: f"{{{text}"), max_size=2),
    history=st.lists(
        st.builds(Said, st.sampled_from(["User", "AI"]), LINE)
        | st.builds(Requested, st.just("[A(x='1')]"), LINE),
        min_size=1,
        max_size=4,
    ),
    output=st.text(max_size=30),
)
def test_a_sample_survives_its_record(descriptions, history, output):
    sample = TrainingSample("i", tuple(descriptions), tuple(history), CALL_CUE, output)
    assert TrainingSample.from_record(sample.to_record()) == sample


@given(text=st.text("User:AIP-Request>[] \n", max_size=80))
def test_any_record_that_is_read_comes_back_to_the_byte(text: str):
    record = {"instruction": "", "input": f"{text}\n{CALL_CUE}", "output": ""}
    assert TrainingSample.from_record(record).to_record() == record


@given(arguments=st.dictionaries(st.sampled_from("xyz"), PLAIN | st.integers() | st.booleans() | st.none()))
def test_a_written_call_is_read_as_it_was(arguments):
    call = read_call(call_text("Api", arguments))
    assert call is not None
    assert (call.name, call.arguments) == ("Api", arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"cannot read the training file .*: Expecting property name .*"),
        ("{}", r".* must be a JSON list of records, got dict"),
        (
            '[{"input": ""}]',
            r".*, record 0: expected an object with the texts instruction, input, output, got .*",
        ),
        (
            '[{"instruction": "", "input": "User: Hi", "output": ""}]',
            r".*, record 0: the last line of input must ask for an API request or response, got 'User: Hi'",
        ),
    ],
)
def test_a_broken_training_file_is_named(tmp_path, text: str, message: str):
    file = tmp_path / "train.json"
    file.write_text(text)
    with pytest.raises(DataError, match=f"^{message}$"):
        read_training(file)
