"""API-Bank's files: samples, call syntax, predictions and scenes."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions.python_text import NotDataError
from stb_env.errors import DataError
from stb_env.suites.api_bank.formats.call_syntax import read_as_released, read_strictly
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance, find_dialogues
from stb_env.suites.api_bank.formats.predictions import prediction_key, read_predictions, sample_record
from stb_env.suites.api_bank.formats.samples import cut
from stb_env.suites.api_bank.formats.scenes import read_scene, read_scenes
from stb_env.suites.api_bank.inspect import statistics

USER, AI = Utterance("User", "Hi."), Utterance("AI", "Hello.")
CALL = GoldCall("GetToday", {}, {"input": None, "output": "2023-03-31", "exception": None})


@pytest.mark.parametrize(
    ("items", "samples"),
    [
        ((USER, CALL, AI), [(0, True, 1), (1, False, 2)]),
        ((USER, CALL, CALL, AI), [(0, True, 1), (1, True, 2), (2, True, 2), (3, False, 3)]),
        ((USER, CALL, USER, AI), [(0, True, 1)]),
        ((USER, CALL), [(0, True, 1)]),
        ((USER, AI), []),
    ],
)
def test_a_dialogue_is_cut_at_its_calls_and_at_what_follows_them(items, samples):
    cuts = cut([Dialogue("d", 1, items)])
    assert [(each.id, each.wants_call, len(each.history)) for each in cuts] == samples


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("[GetToday()]", ("GetToday", {})),
        ("GetToday()", None),
        ("[GetToday]", None),
        ("[A (x='1')]", None),
        ("[ A(x='1')]", None),
        ("[A.B(x='1')]", None),
        ("[A(x='1')", None),
        ("[A(x='1');]", None),
        ("[A(x='1',\ny='2')]", None),
        ("API-Request: [A(x='1')] and more", ("A", {"x": "1"})),
        ('[A(x="1")]', ("A", {"x": "1"})),
        ("[A(x=1)]", ("A", {"x": "1"})),
        ("[A(x = '1')]", ("A", {"x": "1"})),
        ("[A('foo', 'bar')]", ("A", {})),
        ("[A(x='it's fine')]", ("A", {"x": "it"})),
        ('[A(x="it\'s fine")]', ("A", {"x": "it"})),
        ("[A(x='')]", ("A", {})),
        ("[A(x='', y='b')]", ("A", {"x": "', y="})),
        ("[A(x=1.5)]", ("A", {"x": "1"})),
        ("[A(x=-3)]", ("A", {})),
        ("[A(x={'k': 'v'})]", ("A", {})),
        ("[A(f=(5+3)*6)]", ("A", {})),
        ("[A(f='(5+3)*6')]", ("A", {"f": "(5+3)*6"})),
        ("[A(x=['a', 'b'], y='c')]", ("A", {"x": "['a', 'b']", "y": "c"})),
        ("[A(x='['a', 'b']')]", ("A", {"x": "["})),
        ("[A(x=\"['a', 'b']\")]", ("A", {"x": "["})),
        ("[A(x='[{'name': 'bp', 'value': '1'}]')]", ("A", {"x": "[{"})),
        ("[A(x='1'), B(y='2')]", ("A", {"x": "1", "y": "2"})),
        ("[A(x='1')] more [B(y='2')]", ("A", {"x": "1", "y": "2"})),
        ("[A(x='1')]\n[B(y='2')]", ("A", {"x": "1"})),
        ("[A(x='1', x='2')]", ("A", {"x": "2"})),
        ("[A(user_name=John Doe)]", ("A", {"user_name": "John"})),
    ],
)
def test_the_released_parser_is_followed_in_its_losses(text, call):
    assert read_as_released(text) == call


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("[A(x='['a', 'b']')]", {"x": ["a", "b"]}),
        ("[A(x='[{'name': 'bp'}]', n=1)]", {"x": [{"name": "bp"}], "n": 1}),
        ("[A(x=-1.5, y=True)]", {"x": -1.5, "y": True}),
    ],
)
def test_the_strict_parser_types_its_values(text, arguments):
    assert read_strictly(text) == ("A", arguments)


@pytest.mark.parametrize(
    "text",
    ["no call", "[A('foo')]", "[A(x=foo)]", "[A(x='it's fine')]", "[A(x='1'), B(y='2')]", "[A(x=f(1))]"],
)
def test_the_strict_parser_refuses_the_rest(text):
    with pytest.raises(NotDataError):
        read_strictly(text)


@given(st.text(alphabet="[](){}='\", Ax1\n", max_size=60))
def test_both_parsers_survive_anything(text):
    read_as_released(text)
    with contextlib.suppress(NotDataError):
        read_strictly(text)


def test_predictions_come_as_lines_or_as_a_list(tmp_path):
    lines, listed = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text('{"file": "x/d.jsonl", "id": 1, "pred": "Hello."}\n\n')
    listed.write_text(
        '[{"sample_id": 0, "api_id": 0, "pred": "[GetToday()]"}, {"sample_id": 0, "pred": "Friday."}]'
    )
    found = read_predictions([lines, listed])
    reply = cut([Dialogue("d", 1, (USER, CALL, AI))])[1]
    call, answer = cut([Dialogue("level-3-000", 3, (USER, CALL, AI))])
    assert found == {
        prediction_key(reply, 7): "Hello.",
        prediction_key(call, 0): "[GetToday()]",
        prediction_key(answer, 0): "Friday.",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"^cannot read the predictions .*a\.jsonl: "),
        ("3", r"a\.jsonl, record 1: expected an object, got 3$"),
        ('{"file": "d", "id": 1}', r"expected the prediction as text under 'pred', got \['file', 'id'\]$"),
        ('{"file": "d", "pred": ""}', r"expected 'file' and 'id', or 'sample_id' and 'api_id'"),
        ('{"sample_id": "1", "pred": ""}', r"with numbers for ids; got \['pred', 'sample_id'\]$"),
    ],
)
def test_a_broken_prediction_is_refused(tmp_path, text, message):
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        read_predictions([file])


def test_a_sample_is_written_with_its_history():
    call, reply = cut([Dialogue("d", 2, (USER, CALL, AI))])
    documented = {name: {"name": name} for name in ("GetToday", "ToolSearcher")}
    record = sample_record(reply, 0, documented)
    assert record["input"] == "User: Hi.\nAPI-Request: [GetToday()]->2023-03-31\nGenerate AI Response: "
    assert (record["file"], record["id"], record["expected_output"]) == ("d.jsonl", 1, "Hello.")
    assert '{"name": "GetToday"}' in record["instruction"]
    assert '{"name": "ToolSearcher"}' in sample_record(call, 0, documented)["instruction"]


def test_a_sample_of_level_3_shows_whole_results():
    _, reply = cut([Dialogue("level-3-004", 3, (USER, CALL, AI))])
    record = sample_record(reply, 4, {})
    assert "->{'input': None, 'output': '2023-03-31', 'exception': None}" in record["input"]
    assert (record["sample_id"], "api_id" in record) == (4, False)


def test_a_scene_keeps_what_it_can_read():
    text = (
        "Scene: Tea\nFirst Utterence: Tea, please.\n\nKey Info:\n- cups: 2\n\n- GT API Calls:\n"
        'Brew(cups=2, kind="green"): 泡茶\n\nPour(token=a1b2)\nPour(3, x=open("f"))\nPour(x=)\n'
    )
    scene = read_scene("tea", text)
    assert (scene.title, scene.first_utterance, scene.key_info) == ("Tea", "Tea, please.", "- cups: 2")
    assert [call.arguments for call in scene.calls[:2]] == [{"cups": 2, "kind": "green"}, {"token": "a1b2"}]
    assert scene.unreadable == ("Pour(x=)",)


@pytest.mark.parametrize("text", ["", "Scene: Tea\n"])
def test_a_text_without_a_first_utterance_is_no_scene(tmp_path, text):
    (tmp_path / "tea.txt").write_text(text)
    with pytest.raises(DataError, match=r"holds no scenes; give the folder lv3-samples"):
        read_scenes(tmp_path)
    with pytest.raises(DataError, match=r"^scene tea has no line that begins with 'First Utterance:'$"):
        read_scene("tea", text)


def test_dialogues_of_all_levels_are_counted(tmp_path):
    folder = tmp_path / "level-1-given-desc"
    folder.mkdir()
    said = {"role": "User", "text": "Hi."}
    called = {"role": "API", "api_name": "GetToday", "param_dict": {}, "result": dict(CALL.result)}
    (folder / "a-level-1-1.jsonl").write_text("\n".join(map(json.dumps, [said, called, said])))
    (folder / "b-level-1-1.jsonl").write_text("")
    plan = {
        "requirement": "Do it.",
        "response": "Done.",
        "apis": [{"api_name": "GetToday", "input": {}, "output": dict(CALL.result)}] * 2,
    }
    (tmp_path / "level-3.json").write_text(json.dumps([plan]))
    found = statistics(find_dialogues(tmp_path))
    assert found.counts == {
        "dialogues": 3,
        "turns": 3,
        "single-call turns": 1,
        "multi-call turns": 1,
        "calls": 3,
        "Call": 2,
        "Retrieve+Call": 0,
        "Plan+Retrieve+Call": 1,
    }
    assert found.without_calls == ("b-level-1-1",)


def test_queries_are_no_dialogues(tmp_path):
    (tmp_path / "G1.json").write_text("[]")
    assert find_dialogues(tmp_path) == []
