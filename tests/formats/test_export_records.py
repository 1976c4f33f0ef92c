"""``stb-env export`` of records for training: pairs, splits, containers and data cards."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet
import pytest

from stb_env.core.jsontext import dumps
from stb_env.formats.columns import COLUMNS
from stb_env.runs.judging.rounds import Round, by_task, duels_of
from stb_env.saved_episodes import read_trajectories
from tests.formats.test_export import report, run, saved, stb
from tests.saved import unbind

__all__ = ["run"]

UNSOLVED = {"status": "unsolved", "score": 0.0, "votes": [], "judge": "exact"}


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def with_tokens(episode):
    """An episode whose engine gave ids, each prompt an extension of what came before."""
    steps, text = [], [1]
    for step in episode.steps:
        engine = {"prompt_token_ids": list(text), "token_ids": [2, 3]}
        steps.append(step | {"engine": engine})
        text += [2, 3, 4]
    return replace(episode, steps=steps)


@pytest.fixture
def trials(run, tmp_path):
    """A run of three tasks, of two trials each: one solved, one not."""
    episodes = [with_tokens(episode) for episode in read_trajectories(run)[:3]]
    pairs = [(each, _missed(each)) for each in episodes]
    return saved(tmp_path / "trials", [episode for pair in pairs for episode in pair])


def _missed(episode):
    chat = [*episode.messages[:-2], {"role": "assistant", "content": "I do not know."}]
    return replace(episode, trial=1, verdict=UNSOLVED, reward=0.0, messages=chat)


def test_rl_records_have_the_advantage_over_the_trials_of_their_task(trials, tmp_path):
    told = report("export", trials, "--format", "rl", "--out", tmp_path / "rl")
    records = lines(tmp_path / "rl" / "rl.jsonl")
    assert (told["records"], told["left_out"]) == (6, {"invalid": 0, "not_solved": 0})
    assert [(each["trial"], each["advantage"]) for each in records] == [(0, 0.5), (1, -0.5)] * 3
    assert all(set(each["completion_mask"]) == {0, 1} for each in records)
    other = report("export", trials, "--format", "rl", "--advantage", "rloo", "--out", tmp_path / "rloo")
    assert {each["advantage"] for each in lines(tmp_path / "rloo" / other["files"][0])} == {1.0, -1.0}


def test_an_advantage_is_counted_within_one_run(trials, run, tmp_path):
    report("export", trials, trials, "--format", "rl", "--dedupe", "exact", "--out", tmp_path)
    assert {each["advantage"] for each in lines(tmp_path / "rl.jsonl")} == {0.5, -0.5}


def test_an_episode_whose_prompts_broke_is_several_records_and_told(run, tmp_path):
    first, *_ = read_trajectories(run)
    broken = with_tokens(first)
    broken.steps[1]["engine"]["prompt_token_ids"][0] = 9
    told = report("export", saved(tmp_path / "run", [broken]), "--format", "rl", "--out", tmp_path / "rl")
    assert (told["exported"], told["in_parts"]) == (1, 1)
    assert "prefix_broken" not in told["left_out"]
    card = (tmp_path / "rl" / "README.md").read_text(encoding="utf-8")
    assert "| in several records because | episodes |\n| --- | --- |\n| prefix_broken | 1 |" in card
    shown = stb("export", tmp_path / "run", "--format", "rl", "--out", tmp_path / "rl").stdout
    assert "in several records: prefix broken" in shown
    assert "left out: prefix broken" not in shown
    assert {each["parts"] for each in lines(tmp_path / "rl" / "rl.jsonl")} == {told["records"]}
    assert told["records"] > 1


def test_a_run_without_tokens_has_no_rl_records_and_says_why(run, tmp_path):
    refused = stb("export", run, "--format", "rl", "--out", tmp_path / "rl")
    assert refused.exit_code == 2
    assert "no episode has the tokens of every step; episode" in refused.stderr
    assert "step 0 has no prompt_token_ids and no token_ids; ask the engine for them" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_preferences_pair_what_was_solved_with_what_was_not(trials, tmp_path):
    told = report("export", trials, "--format", "preferences", "--out", tmp_path / "pairs")
    records = lines(tmp_path / "pairs" / "preferences.jsonl")
    assert (told["records"], told["exported"]) == (3, 6)
    for each in records:
        assert (each["source"], each["chosen_trial"], each["rejected_trial"]) == ("verdicts", 0, 1)
        assert each["rejected"][-1]["content"] == "I do not know."
        assert each["chosen"][-1] != each["rejected"][-1]


def test_preferences_of_two_runs_are_what_a_judge_preferred(trials, tmp_path):
    mine, theirs = (
        saved(tmp_path / name, [each for each in read_trajectories(trials) if each.trial == trial])
        for name, trial in (("mine", 0), ("theirs", 1))
    )
    settings = {"model": "m"}
    summary = {"judge": "prefer:m", "verdicts": "exact", "settings": settings, "comparisons": 2}
    unbind(theirs)
    (theirs / "manifest.json").write_text(dumps({"agent": "their agent"}), encoding="utf-8")
    (mine / "summary-prefer-m-against-their-agent.json").write_text(dumps(summary), encoding="utf-8")
    duels = duels_of(by_task(mine, "exact"), by_task(theirs, "exact"), settings, 2)
    results = ["win", "win", "lose", "lose", "win", "lose"]
    rounds = [
        Round(duel.task_id, duel.turn, duel.pair, "prefer:m", result, "votes")
        for duel, result in zip(duels, results, strict=True)
    ]
    text = "".join(f"{each.to_json()}\n" for each in rounds)
    (mine / "preferences-prefer-m.jsonl").write_text(text, encoding="utf-8")
    words = ("--format", "preferences", "--against", theirs, "--out", tmp_path / "pairs")
    told = report("export", mine, *words)
    records = lines(tmp_path / "pairs" / "preferences.jsonl")
    # The third task was a tie.
    assert [(each["chosen_trial"], each["rejected_trial"]) for each in records] == [(0, 1), (1, 0)]
    assert {each["source"] for each in records} == {"sowr"}
    assert told["exported"] == 4


def test_runs_that_were_never_compared_have_no_such_preferences(trials, run, tmp_path):
    refused = stb("export", run, "--format", "preferences", "--against", trials, "--out", tmp_path / "x")
    assert refused.exit_code == 2
    assert "was not compared with trials; do so with" in refused.stderr


def test_no_task_is_in_two_parts_of_a_split(trials, tmp_path):
    words = ("export", trials, "--format", "jsonl", "--split", "train=0.5,held_out=0.5")
    told = report(*words, "--out", tmp_path)
    parts = {name: {each["task_id"] for each in lines(tmp_path / f"{name}.jsonl")} for name in told["parts"]}
    assert told["records"] == 6
    assert set(told["files"]) == {f"{name}.jsonl" for name in parts}
    assert sum(len(tasks) for tasks in parts.values()) == len(set().union(*parts.values())) == 3


def test_columns_are_the_same_whatever_is_in_the_records(trials, run, tmp_path):
    for folder, name in ((trials, "several"), (run, "one")):
        report("export", folder, "--format", "parquet", "--out", tmp_path / name)
    several, one = (
        pyarrow.parquet.read_table(tmp_path / name / "trajectories.parquet") for name in ("several", "one")
    )
    assert several.schema == one.schema
    assert several.column_names == list(COLUMNS["trajectories"])
    for row, episode in zip(several.to_pylist(), read_trajectories(trials), strict=True):
        assert json.loads(row["tools"]) == list(episode.tools)
        assert json.loads(row["steps"]) == list(episode.steps)
        assert [message["content"] for message in row["messages"]] == [m["content"] for m in episode.messages]


def test_one_file_is_written_where_one_is_named(trials, tmp_path):
    told = report(
        "export", trials, "--format", "sft", "--as", "parquet", "--out", tmp_path / "solved.parquet"
    )
    assert (told["files"], told["card"]) == (["solved.parquet"], "solved.card.md")
    assert pyarrow.parquet.read_table(tmp_path / "solved.parquet").num_rows == 3


def test_the_card_tells_what_is_in_an_export_and_where_it_came_from(trials, tmp_path):
    told = report("export", trials, "--format", "jsonl", "--only", "solved", "--out", tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    part = told["parts"]["trajectories"]
    assert f"| trajectories | 3 | `{part['sha256']}` |" in text
    assert "path: trajectories.jsonl" in text
    assert "| not_solved | 3 |" in text
    assert "| only | `solved` |" in text
    assert "| world |" in text
    assert "| trials | `" in text
    assert "License:" in text


def test_an_export_says_how_long_its_longest_record_is(trials, tmp_path):
    told = report("export", trials, "--format", "kto", "--out", tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "kto.jsonl").read_text("utf-8").splitlines()]
    names = ("prompt", "completion", "tools")
    longest = max(sum(len(json.dumps(row[name], ensure_ascii=False)) for name in names) for row in rows)
    assert told["longest"] == longest
    assert f"The longest record has {longest:,} characters" in (tmp_path / "README.md").read_text("utf-8")


def test_an_export_written_again_is_the_same_and_another_is_refused_whole(trials, tmp_path):
    words = ("export", trials, "--format", "sft", "--out", tmp_path / "out")
    for _ in range(2):
        report(*words)
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    refused = stb(*words, "--only", "valid")
    assert refused.exit_code == 2
    assert "exists with other content; nothing was written, use another --out" in refused.stderr
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before
    assert {file.name for file in tmp_path.iterdir()} == {"out", "trials"}


def test_runs_of_other_agents_are_left_out(run, trials, tmp_path):
    told = report("export", run, trials, "--format", "jsonl", "--agent", "gold", "--out", tmp_path / "gold")
    assert told["episodes"] == len(read_trajectories(run))
    refused = stb("export", run, "--format", "jsonl", "--model", "none", "--out", tmp_path / "none")
    assert "no run is of that agent and model" in refused.stderr


def test_a_dataset_folder_loads_with_its_parts(trials, tmp_path):
    datasets = pytest.importorskip("datasets", reason="dataset folders need stb-env[datasets]")
    words = ("export", trials, "--format", "datasets", "--split", "0.5,0.5", "--out", tmp_path / "data")
    for _ in range(2):
        told = report(*words)
    loaded = datasets.load_from_disk(tmp_path / "data")
    assert {name: part.num_rows for name, part in loaded.items()} == {
        name: part["rows"] for name, part in told["parts"].items()
    }
    assert stb(*words, "--only", "solved").exit_code == 2


BROKEN = [
    ({"token_ids": ["a", 3]}, "step 0: an id in token_ids is a whole number from 0, got 'a'"),
    ({"prompt_token_ids": [-5]}, "step 0: an id in prompt_token_ids is a whole number from 0, got -5"),
    ({"token_ids": None}, "step 0: an id in token_ids is a whole number from 0, got None"),
    ({"logprobs": {"content": [{"logprob": -1.0}]}}, "step 0 has 1 log probabilities for 2 tokens"),
    (
        {"logprobs": [-1.0, -1.0]},
        "step 0: log probabilities are {'content': [{'logprob': ...}]}, got [-1.0, -1.0]",
    ),
]


def _with_engine(episode, engine):
    first, *rest = with_tokens(episode).steps
    return replace(episode, steps=[first | {"engine": first["engine"] | engine}, *rest])


@pytest.mark.parametrize("format", ["sft", "rl"])
@pytest.mark.parametrize(("engine", "message"), BROKEN)
def test_an_episode_whose_tokens_are_broken_is_left_out_and_counted(format, engine, message, run, tmp_path):
    first, second, *_ = read_trajectories(run)
    folder = saved(tmp_path / "run", [_with_engine(first, engine), with_tokens(second)])
    told = report("export", folder, "--format", format, "--out", tmp_path / "out")
    assert (told["exported"], told["left_out"]["broken_tokens"]) == (1, 1)
    assert {each["task_id"] for each in lines(tmp_path / "out" / f"{format}.jsonl")} == {second.task_id}
    alone = saved(tmp_path / "alone", [_with_engine(first, engine)])
    refused = stb("export", alone, "--format", format, "--out", tmp_path / "none")
    assert refused.exit_code == 2
    assert f"episode {first.task_id}, trial 0: {message}" in " ".join(refused.stderr.split())
    assert not (tmp_path / "none").exists()


LONE = "I think \ud800 so"


@pytest.fixture
def halved(run, tmp_path):
    """A run of a solved and an unsolved trial in which a model wrote half a character."""
    first, *_ = read_trajectories(run)
    chat = [*first.messages[:-1], {"role": "assistant", "content": LONE}]
    return saved(tmp_path / "halved", [replace(first, messages=chat, final_answer=LONE), _missed(first)])


@pytest.mark.parametrize(
    ("format", "container", "changed"),
    [
        ("jsonl", (), 2),
        ("parquet", (), 2),
        ("sft", (), 1),
        ("sft", ("--as", "parquet"), 1),
        ("preferences", (), 1),
        ("preferences", ("--as", "parquet"), 1),
    ],
)
def test_half_a_character_is_exported_as_a_replacement_and_told(format, container, changed, halved, tmp_path):
    words = ("export", halved, "--format", format, *container, "--only", "all", "--out", tmp_path / "out")
    told = report(*words)
    (name,) = told["files"]
    if name.endswith(".jsonl"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
    else:
        text = str(pyarrow.parquet.read_table(tmp_path / "out" / name).to_pylist())
    assert "I think \ufffd so" in text
    assert "ud800" not in text
    assert told["replaced"] == changed
    card = (tmp_path / "out" / told["card"]).read_text(encoding="utf-8")
    assert f"became U+FFFD each; {changed} texts were changed" in card


def test_files_of_a_suite_have_the_replacement_too(run, tmp_path):
    first, *_ = read_trajectories(run)
    folder = saved(tmp_path / "run", [replace(first, query=LONE)])
    told = report("export", folder, "--format", "converted", "--out", tmp_path / "out")
    (name,) = told["files"]
    text = (tmp_path / "out" / name).read_text(encoding="utf-8")
    assert (told["replaced"], "I think \\ufffd so" in text, "\\ud800" in text) == (1, True, False)


def test_masks_stay_right_where_half_a_character_was_replaced(halved, tmp_path):
    report("export", halved, "--format", "sft", "--only", "solved", "--out", tmp_path / "out")
    (line,) = lines(tmp_path / "out" / "sft.jsonl")
    last = line["mask"][-1]
    text = line["messages"][last["message"]]["content"]
    assert text[last["start"] : last["end"]] == text == "I think \ufffd so"


def test_what_holds_no_half_character_is_not_told_of_any(trials, tmp_path):
    told = report("export", trials, "--format", "jsonl", "--out", tmp_path)
    assert told["replaced"] == 0
    assert "U+FFFD" not in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_run_given_twice_is_read_once(trials, tmp_path):
    (tmp_path / "link").symlink_to(trials)
    told = report("export", trials, trials, tmp_path / "link", "--format", "jsonl", "--out", tmp_path / "out")
    assert (told["episodes"], told["records"]) == (6, 6)


def test_a_line_that_stands_twice_in_a_run_is_an_error(trials, tmp_path):
    file = trials / "trajectories.jsonl"
    text = file.read_bytes()
    file.write_bytes(text + text.splitlines(keepends=True)[0])
    refused = stb("export", trials, "--format", "jsonl", "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "line 7: the episode stands twice, first in line 1" in " ".join(refused.stderr.split())


def test_another_line_of_an_episode_of_a_run_is_an_error_too(trials, tmp_path):
    file = trials / "trajectories.jsonl"
    first, *_ = read_trajectories(trials)
    with file.open("ab") as lines:
        lines.write(replace(first, final_answer="Another.").to_json().encode() + b"\n")
    refused = stb("export", trials, "--format", "jsonl", "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "the episode stands twice, first in line 1" in " ".join(refused.stderr.split())


NOTHING = [
    (("--format", "preferences", "--min-steps", "99"), "select less strictly"),
    (
        ("--format", "sft", "--min-steps", "99"),
        "6 episodes make no record, nothing was written, left out: 3 length (--min-steps, --max-steps, "
        "--max-characters), 3 not solved (--only solved); select less strictly",
    ),
    (
        ("--format", "datasets", "--min-steps", "99"),
        "6 episodes make no record, nothing was written, left out: 6 length",
    ),
    (("--min-steps", "99"), "6 episodes make no record, nothing was written, left out: 6 length"),
    (
        ("--format", "preferences", "--only", "solved"),
        "6 episodes make no record, nothing was written, left out: 3 not solved (--only solved); a pair "
        "needs a solved and an unsolved trial of one task: play more trials (--trials, or stb-env groups)",
    ),
    (
        ("--format", "jsonl", "--suite", "Sandbx"),
        "no episode of suite 'Sandbx' in the runs; expected one of Sandbox. Did you mean 'Sandbox'?",
    ),
    (
        ("--format", "jsonl", "--suite", "Sandbox", "--group", "zzz"),
        "no episode of group 'zzz' in the runs; expected one of",
    ),
]


@pytest.mark.parametrize(("words", "message"), NOTHING)
def test_nothing_selected_is_an_error_that_says_why(words, message, trials, tmp_path):
    if "datasets" in words:
        pytest.importorskip("datasets", reason="dataset folders need stb-env[datasets]")
    refused = stb("export", trials, *words, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())
    assert {file.name for file in tmp_path.iterdir()} == {"trials"}


def test_a_run_of_no_episode_is_an_error(tmp_path):
    folder = saved(tmp_path / "run", [])
    (folder / "trajectories.jsonl").touch()
    refused = stb("export", folder, "--format", "jsonl", "--out", tmp_path / "out")
    assert (refused.exit_code, "the runs hold no episode, nothing was written" in refused.stderr) == (2, True)


ERRORS = [
    (("--format", "jsonl", "--split", "train=nan,test=0.5"), "a split is shares such as 0.8,0.1,0.1 or"),
    (("--format", "jsonl", "--split", "train=inf,test=0.5"), "a split is shares such as 0.8,0.1,0.1 or"),
    (("--format", "jsonl", "--split", "train=1.5,test=-0.5"), "a split is shares such as 0.8,0.1,0.1 or"),
    (("--format", "sft", "--against", "RUN"), "--against belongs to --format preferences, got sft"),
    (("--format", "rl", "--first-turn"), "--first-turn belongs to --format preferences, got rl"),
    (("--as", "parquet"), "--as belongs to --format sft, preferences, kto and rl, got stabletoolbench"),
    (("--split", "1"), "--split belongs to --format sft, preferences, kto, rl,"),
    (("--solved", "--only", "all"), "--solved is --only solved, got --only all too"),
    (("--format", "sft", "--as", "parket"), "no container 'parket'; expected one of jsonl,"),
    (("--format", "rl", "--advantage", "ppo"), "no estimator 'ppo'; expected one of grpo,"),
    (("--format", "sft", "--dedupe", "all"), "no choice for --dedupe 'all'; expected one of none,"),
    (
        ("--format", "preferences", "--branches", "--against", "RUN"),
        "--branches pairs the branches of one run, --against two runs; give one of them",
    ),
]


@pytest.mark.parametrize(("words", "message"), ERRORS)
def test_options_that_do_not_go_together_are_refused(words, message, run, tmp_path):
    result = stb("export", run, *words, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "out").exists()
