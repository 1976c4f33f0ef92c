"""``stb-env export`` and ``stb-env data import`` of answers, end to end."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ScriptedModel
from stb_env.runs import Run
from stb_env.runs.judging import rejudge
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.verdict_file import read_judged
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli import app
from stb_env.suites.stabletoolbench.answers import answer_file, converted_entry, file_name
from stb_env.suites.stabletoolbench.queries import GROUPS
from tests.suites.stabletoolbench.test_answer_folder import value, write
from tests.suites.stabletoolbench.test_answers import GIVE_UP, OBSERVED, call, dfs

runner = CliRunner()
COUNT = 5


def stb(*words):
    return runner.invoke(app, [str(word) for word in words])


def report(*words):
    result = stb(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A Sandbox run of the gold agent."""
    folder = tmp_path_factory.mktemp("runs") / "gold"
    report("run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", COUNT, "--out", folder)
    return folder


@pytest.fixture
def answers(tmp_path):
    """A folder of two answered queries and one given up."""
    for query_id in ("1", "2"):
        write(tmp_path / "raw" / "G1_tool" / file_name(query_id, "DFS_w2"), value(f"Query {query_id}?"))
    given_up = dfs(call("Finish", GIVE_UP, OBSERVED, 4, pruned=True), final=GIVE_UP)
    given_up["answer_generation"]["finish_type"] = "give_up"
    write(tmp_path / "raw" / "G1_tool" / file_name("3", "DFS_w2"), given_up)
    return tmp_path / "raw"


def saved(folder, episodes, judge="exact"):
    made = Run(folder, {"judge": judge})
    for episode in episodes:
        made.add(episode, 0.0)
    made.close()
    return folder


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def test_stabletoolbench_writes_an_answer_file_an_episode_and_the_converted_group(run, tmp_path):
    told = report("export", run, "--format", "stabletoolbench", "--out", tmp_path)
    assert (told["episodes"], told["exported"], told["left_out"]) == (
        *(COUNT, COUNT),
        {"invalid": 0, "not_solved": 0},
    )
    entries = {}
    for episode in read_trajectories(run):
        stem = GROUPS[episode.group]
        assert read(tmp_path / stem / f"{episode.task_id}_CoT@1.json") == answer_file(episode)
        entries.setdefault(stem, {})[episode.task_id] = converted_entry(episode)
    assert {stem: read(tmp_path / f"{stem}.json") for stem in entries} == entries
    assert len(told["files"]) == COUNT + len(entries)


def test_converted_writes_the_groups_alone_under_the_method_that_is_asked_for(run, tmp_path):
    told = report("export", run, "--format", "converted", "--method", "mine", "--out", tmp_path)
    entries = [entry for name in told["files"] for entry in read(tmp_path / name).values()]
    assert {entry["answer"]["method"] for entry in entries} == {"mine"}
    assert len(entries) == COUNT


def test_sft_writes_chats_whose_tool_results_follow_their_calls(run, tmp_path):
    told = report("export", run, "--format", "sft", "--out", tmp_path)
    assert told["files"] == ["sft.jsonl"]
    lines = [json.loads(line) for line in (tmp_path / "sft.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == COUNT
    for line in lines:
        called = [call["id"] for m in line["messages"] for call in m.get("tool_calls", ())]
        assert called == [m["tool_call_id"] for m in line["messages"] if m["role"] == "tool"]
        assert {tool["type"] for tool in line["tools"]} == {"function"}
        assert line["verdict"] == "solved"


def test_jsonl_writes_the_episodes_as_they_were_judged(run, tmp_path):
    report("export", run, "--format", "jsonl", "--out", tmp_path)
    assert read_trajectories(tmp_path) == read_judged(run)


def test_without_a_folder_an_export_lies_with_its_run(run):
    report("export", run, "--format", "jsonl")
    assert (run / "exports" / "jsonl" / "trajectories.jsonl").is_file()


def test_exported_answers_import_as_the_same_conversations(run, tmp_path):
    report("export", run, "--out", tmp_path / "out")
    told = report("data", "import", tmp_path / "out", "--out", tmp_path / "back")
    assert (told["episodes"], told["answered"], told["problems"]) == (COUNT, COUNT, [])
    before, after = ({t.task_id: t for t in read_trajectories(folder)} for folder in (run, tmp_path / "back"))
    assert before.keys() == after.keys()
    for task_id, episode in before.items():
        assert after[task_id].text == episode.text
        assert after[task_id].tools == episode.tools
        assert [m["role"] for m in after[task_id].messages] == [m["role"] for m in episode.messages]
        assert answer_file(after[task_id])["trys"] == answer_file(episode)["trys"]


def test_exporting_again_changes_nothing_and_other_content_is_never_overwritten(run, tmp_path):
    for _ in range(2):
        report("export", run, "--out", tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.json")}
    refused = stb("export", run, "--method", "mine", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "exists with other content; nothing was written, use another --out" in refused.stderr
    assert {file: file.read_bytes() for file in tmp_path.rglob("*.json")} == before


def test_what_a_failure_cut_short_is_left_out_and_counted(run, tmp_path):
    first, second, third, *_ = read_trajectories(run)
    failure = {"kind": "timeout", "stage": "real", "retryable": True, "message": "no answer"}
    broken = replace(second, verdict=None, valid=False, failure=failure, reward=0.0, steps=second.steps[:1])
    missed = replace(third, verdict=third.verdict | {"status": "unsolved", "score": 0.0}, reward=0.0)
    folder = saved(tmp_path / "run", [first, broken, missed])
    expected = {"all": (2, 1, 0), "valid": (2, 1, 0), "solved": (1, 1, 1)}
    for only, figures in expected.items():
        told = report("export", folder, "--format", "jsonl", "--only", only, "--out", tmp_path / only)
        assert (told["exported"], *told["left_out"].values()) == figures


def test_trials_and_methods_get_folders_of_their_own(run, tmp_path):
    first, *_ = read_trajectories(run)
    folder = saved(tmp_path / "run", [first, replace(first, trial=1)])
    told = report("export", folder, "--out", tmp_path / "out")
    stem = GROUPS[first.group]
    assert f"trial_1/{stem}/{first.task_id}_CoT@1.json" in told["files"]
    assert f"trial_0/{stem}.json" in told["files"]


def test_episodes_that_would_share_a_file_are_refused(run, tmp_path):
    first, *_ = read_trajectories(run)
    folder = saved(tmp_path / "run", [first, replace(first, seed=first.seed + 1)])
    for kind, message in (("stabletoolbench", "two episodes would be"), ("converted", "would be entry")):
        refused = stb("export", folder, "--format", kind, "--out", tmp_path / kind)
        assert (refused.exit_code, message in refused.stderr) == (2, True)
        assert not (tmp_path / kind).exists()


def test_imported_answers_are_never_counted_before_they_are_judged(answers, tmp_path):
    told = report("data", "import", answers, "--out", tmp_path / "run")
    assert (told["answered"], told["unanswered"], told["files"]) == (2, 1, {"answers": 3})
    summary = summarize(read_judged(tmp_path / "run"))
    assert (summary["invalid"], summary["solved"], summary["unsolved"]) == (2, 0, 1)
    assert read(tmp_path / "run" / "summary.json")["failures"] == {"judge": 2}


def test_imported_answers_can_be_judged_and_exported_by_that_verdict(answers, tmp_path):
    folder = tmp_path / "run"
    report("data", "import", answers, "--out", folder)
    judge = PassJudge(ScriptedModel(["Solved", "Unsolved"], name="m"))
    result = rejudge(folder, judge)
    assert (result.judged, result.failed) == (2, 0)
    judged = [episode.verdict["status"] for episode in read_judged(folder, judge.name)]
    assert sorted(judged) == ["solved", "unsolved", "unsolved"]
    words = ("export", folder, "--format", "sft", "--out", tmp_path / "out")
    assert report(*words, "--judge", judge.name)["exported"] == 1


def test_imported_answers_are_exported_before_they_are_judged(answers, tmp_path):
    report("data", "import", answers, "--out", tmp_path / "run")
    told = report("export", tmp_path / "run", "--out", tmp_path / "out")
    assert (told["exported"], told["left_out"]) == (3, {"invalid": 0, "not_solved": 0})
    for file in sorted((answers / "G1_tool").iterdir()):
        written = read(tmp_path / "out" / "G1_tool" / file.name)["answer_generation"]
        original = read(file)["answer_generation"]
        assert {name: written[name] for name in original if name != "train_messages"} == {
            name: original[name] for name in original if name != "train_messages"
        }


def test_branches_of_a_search_are_exported_where_asked(answers, tmp_path):
    first, second = call("add", "{}", OBSERVED, expand_num=1), value()["tree"]["tree"]["children"][0]
    forked = value()
    forked["tree"]["tree"]["children"] = [first, second]
    write(answers / "G1_tool" / file_name("1", "DFS_w2"), forked)
    report("data", "import", answers / "G1_tool" / file_name("1", "DFS_w2"), "--out", tmp_path / "run")
    words = ("export", tmp_path / "run", "--format", "sft", "--only", "all")
    report(*words, "--branches", "--out", tmp_path / "every")
    report(*words, "--out", tmp_path / "one")
    counts = [len((tmp_path / name / "sft.jsonl").read_text().splitlines()) for name in ("every", "one")]
    assert counts == [2, 1]


def test_importing_again_changes_nothing_and_other_answers_are_refused(answers, tmp_path):
    folder = tmp_path / "run"
    for _ in range(2):
        report("data", "import", answers, "--out", folder)
    assert len(read_trajectories(folder)) == 3
    write(answers / "G1_tool" / file_name("4", "DFS_w2"), value())
    refused = stb("data", "import", answers, "--out", folder)
    assert (refused.exit_code, "holds a run with another configuration" in refused.stderr) == (2, True)


def test_converted_files_import_as_runs_too(answers, tmp_path):
    report("data", "import", answers, "--out", tmp_path / "run")
    report("export", tmp_path / "run", "--format", "converted", "--out", tmp_path / "out")
    told = report("data", "import", tmp_path / "out" / "G1_tool.json", "--out", tmp_path / "back")
    assert (told["episodes"], told["files"]) == (3, {"converted": 1})
    report("export", tmp_path / "back", "--format", "converted", "--out", tmp_path / "again")
    assert read(tmp_path / "again" / "G1_tool.json") == read(tmp_path / "out" / "G1_tool.json")


ERRORS = [
    (
        ("export", "RUN", "--format", "stabletoolbnch"),
        "no format 'stabletoolbnch'; expected one of sft,",
    ),
    (
        ("export", "RUN", "--only", "valit"),
        "no choice for --only 'valit'; expected one of solved,",
    ),
    (
        ("export", "RUN", "--branches"),
        "--branches belongs to --format sft and preferences, got stabletoolbench",
    ),
    (("export", "EMPTY"), "does not exist; give a run folder"),
    (("data", "import", "EMPTY", "--out", "OUT"), "no JSON file at"),
    (("data", "import", "RUN", "--kind", "answer", "--out", "OUT"), "no kind 'answer'; expected one of auto"),
    (("data", "import", "OTHER", "--out", "OUT"), "holds neither queries nor answers"),
    (("data", "import", "OTHER", "--kind", "answers", "--out", "OUT"), "can be read: there are none"),
]


@pytest.mark.parametrize(("words", "message"), ERRORS)
def test_bad_use_says_what_was_got_and_what_to_do(words, message, run, tmp_path):
    write(tmp_path / "other" / "x.json", {"1": 0})
    (tmp_path / "empty").mkdir()
    places = {
        "RUN": run,
        "EMPTY": tmp_path / "empty",
        "OTHER": tmp_path / "other",
        "OUT": tmp_path / "out",
    }
    result = stb(*(places.get(word, word) for word in words))
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "out").exists()


def test_strict_import_stops_at_the_first_broken_file(answers, tmp_path):
    write(answers / "G1_tool" / "0_CoT@1.json", {"trys": []})
    result = stb("data", "import", answers, "--strict", "--out", tmp_path / "out")
    assert (result.exit_code, "0_CoT@1.json: malformed" in result.stderr) == (2, True)
    loose = report("data", "import", answers, "--out", tmp_path / "out")
    assert (loose["episodes"], len(loose["problems"])) == (3, 1)
