"""``stb-env report``: what it says of real runs, as a page, as tables and as pictures."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stb_env.core.element import element, markup
from stb_env.evaluation.comparison import compare_folders
from stb_env.runs import Curve
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.verdict_file import Judgement
from stb_env.saved_episodes import read_trajectories
from stb_env.show.report.document.latex import escaped
from tests.command import error_of, stb
from tests.saved import unbind
from tests.show.report.mixed_run import EVIL, mixed_run
from tests.show.report.played_runs import played

EPISODES = 6
WINS = (True, True, False, False, True, None)


class Page(HTMLParser):
    """A page as it is read: its tables by title, its texts by element, its tags with attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("meta", "link", "input", "br"):
            return
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "table":
            self.tables[self.texts["caption"][-1]] = self._rows

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data
        if {"th", "td"} & set(self._open):
            self._rows[-1][-1] += data

    def column(self, table: str, name: str) -> list[str]:
        head, *rows = self.tables[table]
        return [row[head.index(name)] for row in rows]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    played(folder / "gold", "stb/Sandbox-v1", episodes=EPISODES)
    played(folder / "noop", "stb/Sandbox-v1", "noop", episodes=EPISODES)
    mixed_run(folder / "mixed", folder / "gold", folder / "noop", WINS)
    return folder


@pytest.fixture(scope="module")
def text(runs: Path) -> str:
    out = runs.parent / "out" / "report.html"
    names = ("gold", "noop", "mixed")
    done = stb("report", *(runs / name for name in names), "--out", out)
    assert done.exit_code == 0, done.stderr
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def data(*words: object) -> Any:
    return json.loads(stb("report", *words, "--json").stdout)


def test_the_rates_are_those_of_the_package(runs: Path, page: Page):
    for run, shown, everything in zip(
        ("gold", "noop", "mixed"),
        page.column("Summary", "solved of valid"),
        page.column("Summary", "solved of all"),
        strict=True,
    ):
        summary = summarize(read_trajectories(runs / run), EPISODES)
        assert shown == f"{summary['solved_valid']:.1%}"
        assert everything == f"{summary['solved_all']:.1%}"
    # An invalid episode may not raise a rate unseen.
    assert page.column("Summary", "solved of valid")[2] == "60.0%"
    assert page.column("Summary", "solved of all")[2] == "50.0%"


def test_outcomes_and_failures_are_counted_by_kind(page: Page):
    row = page.tables["Outcomes"][3]
    assert row == ["mixed", "3", "0", "2", "1", "0", "0", "6"]
    (failure,) = page.tables["Failures"][1:]
    assert failure[:4] == ["mixed", "model", "agent", "1"]


def test_a_comparison_says_what_the_package_says_and_who_gained(runs: Path, page: Page):
    found = compare_folders(runs / "gold", runs / "mixed")
    row = next(row for row in page.tables["Comparisons"][1:] if row[:2] == ["gold", "mixed"])
    assert row[5] == f"{-100 * found.solved_difference:+.1f}" == "-40.0"
    assert row[7:10] == ["2", "0", f"{found.score.mcnemar:.2g}"]
    lost = {
        task.task_id for task, won in zip(read_trajectories(runs / "gold"), WINS, strict=True) if won is False
    }
    assert set(found.only_first) == lost
    assert lost <= set(page.texts["code"])
    assert "Lost by B (2)" in page.texts["h3"]


def test_runs_that_must_not_be_compared_are_told_apart(runs: Path, tmp_path: Path):
    short = played(tmp_path / "short", "stb/Sandbox-v1", "noop", episodes=2)
    manifest = json.loads((short / "manifest.json").read_bytes())
    unbind(short)
    (short / "manifest.json").write_text(json.dumps({**manifest, "max_turns": 3}))
    (pair,) = data(runs / "gold", short)["pairs"]
    assert pair["comparison"] is None
    assert "max_turns is 24 and 3" in pair["refusal"]
    (pair,) = data(runs / "gold", short, "--ignore", "max_turns")["pairs"]
    assert pair["comparison"]["score"]["tasks"] == 2


def test_calls_are_counted_by_tool_and_by_source(runs: Path, page: Page):
    episodes = read_trajectories(runs / "gold")
    names = [call["name"] for each in episodes for step in each.steps for call in step["calls"]]
    counts = dict(
        zip(page.column("Tools of gold", "tool"), page.column("Tools of gold", "calls"), strict=True)
    )
    assert counts == {name: str(names.count(name)) for name in set(names) - {"Finish"}}
    assert page.column("Calls by source", "world")[0] == str(summarize(episodes)["sources"]["world"])


def test_votes_agree_as_far_as_they_do(page: Page):
    (row,) = page.tables["Agreement of votes"][1:]
    # Three equal votes, two of three, and two equal ones beside one that is missing.
    assert row[:6] == ["mixed", "exact", "3", "2", "1", "77.8%"]


def test_another_judge_of_the_same_run_is_compared(runs: Path, tmp_path: Path):
    folder = mixed_run(tmp_path / "run", runs / "gold", runs / "noop", WINS)
    verdicts = [
        Judgement(
            each.task_id,
            each.trial,
            each.seed,
            "stern",
            "",
            {"status": "unsolved", "score": 0.0, "votes": []},
        )
        for each in read_trajectories(folder)
        if each.valid
    ]
    (folder / "verdicts-stern.jsonl").write_text("".join(f"{each.to_json()}\n" for each in verdicts))
    (other,) = data(folder)["runs"][0]["judge_agreement"]
    assert other == {"judge": "stern", "episodes": 5, "same": 2, "kappa": 0.0}


def test_lengths_and_costs_are_spread(runs: Path, page: Page):
    assert page.column("Tokens an episode", "together") == [
        "0",
        "0",
        f"{sum(1000 + n for n in range(EPISODES)):,}",
    ]
    assert page.column("Seconds an episode", "largest")[2] == "5.5000"
    turns = [len(each.steps) for each in read_trajectories(runs / "gold")]
    assert page.column("Turns an episode", "largest")[0] == str(max(turns))
    assert page.column("Cost", "$ a solved task")[2] == "0.5000"


def test_every_task_is_listed_with_what_each_run_made_of_it(runs: Path, page: Page):
    head, *rows = page.tables["Tasks"]
    assert head == ["task", "gold", "noop", "mixed"]
    assert len(rows) == EPISODES
    outcomes = [re.match("[a-z]+", row[3]) for row in rows]
    expected = {True: "solved", False: "unsolved", None: "invalid"}
    assert [found and found[0] for found in outcomes] == [expected[won] for won in WINS]
    marks = [attributes for tag, attributes in page.tags if tag == "tr" and "data-outcomes" in attributes]
    assert [mark["data-outcomes"] for mark in marks][-1] == "solved unsolved invalid"


def test_what_a_model_says_stays_text(page: Page, text: str):
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert len(page.texts["script"]) == 1
    assert "document.title" not in page.texts["script"][0]
    assert EVIL not in text
    assert any(EVIL in row[3] for row in page.tables["Tasks"])


def test_the_page_asks_no_one_for_anything(page: Page, text: str):
    policies = [attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes]
    assert [str(policy).startswith("default-src 'none'; style-src 'sha256-") for policy in policies] == [True]
    for tag, attributes in page.tags:
        assert not {"src", "style", "srcset", "onclick"} & attributes.keys(), tag
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text


def test_every_chart_says_in_words_what_it_shows(page: Page):
    charts = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(charts) >= 8
    assert all(attributes["role"] == "img" for attributes in charts)
    assert len(page.texts["desc"]) == len(charts)
    assert all(page.texts["desc"])
    assert any(told.startswith("gold: 6 solved") for told in page.texts["desc"])


def test_control_characters_and_broken_letters_do_no_harm():
    assert (
        markup(element("p", "a\x00\x1b[31m\ud800", title="\ud800"))
        == '<p title="\ufffd">a\ufffd\ufffd[31m\ufffd</p>'
    )


def test_learning_curves_are_found_in_folders_and_named(runs: Path, tmp_path: Path):
    for name, gain in (("one", 0.25), ("two", 0.5)):
        with Curve(tmp_path / name / "curve.jsonl", mirrors=False) as curve:
            curve.add(0, success=0.0)
            curve.add(8, success=gain)
    out = tmp_path / "curves.html"
    assert (
        stb("report", tmp_path / "one", "--curve", tmp_path / "two/curve.jsonl", "--out", out).exit_code == 0
    )
    page = Page(out.read_text(encoding="utf-8"))
    assert page.tables["success by step"][1:] == [
        ["two/curve.jsonl", "2", "0", "0.5", "0.5"],
        ["one/curve.jsonl", "2", "0", "0.25", "0.25"],
    ]
    assert page.texts["polyline"] == ["", ""]


def test_markdown_has_the_same_figures(runs: Path):
    done = stb("report", runs / "mixed", "--markdown", "-")
    assert done.stdout.startswith("# stb/Sandbox-v1: 1 run\n\n## Summary\n\n| run ")
    assert re.search(r"\| mixed +\| mixed \(incomplete\) +\| 60.0% ", done.stdout)


def test_latex_has_the_same_figures_and_prints_names_as_they_are(runs: Path, tmp_path: Path):
    out = tmp_path / "tables.tex"
    assert stb("report", runs / "mixed", "--latex", out).exit_code == 0
    written = out.read_text(encoding="utf-8")
    assert r"mixed & mixed (incomplete) & 60.0\% & " in written
    assert written.count(r"\begin{table}") == written.count(r"\end{table}") > 4
    assert escaped("a_b & 5% {x} --") == r"a\_b \& 5\% \{x\} -{}-"


def test_without_a_file_the_first_figures_are_printed_within_80_columns(runs: Path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = stb("report", runs / "gold", runs / "mixed")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "60.0%" in done.stdout
    assert "lost" in done.stdout


def test_an_evaluation_with_a_run_that_has_only_begun_says_so(runs: Path, tmp_path: Path):
    played(tmp_path / "all/done", "stb/Sandbox-v1", "noop", episodes=1)
    (tmp_path / "all/begun").mkdir()
    (tmp_path / "all/begun/manifest.json").write_bytes((runs / "gold/manifest.json").read_bytes())
    report = data(tmp_path / "all")
    assert [run["name"] for run in report["runs"]] == ["done"]
    assert report["remarks"] == ["begun has begun and saved no episode yet."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to report on; name runs, or learning curves with --curve"),
        (
            ("--markdown", "-", "--json"),
            "--markdown -, --latex - and --json exclude one another; name files for all but one",
        ),
    ],
)
def test_bad_use_is_one_clear_line(words: tuple[str, ...], message: str):
    done = stb("report", *words)
    assert (done.exit_code, error_of(done)) == (2, message)


def test_a_run_that_is_not_there_names_the_nearest(runs: Path):
    done = stb("report", runs / "glod")
    assert done.exit_code == 2
    assert "did you mean 'gold'" in error_of(done).lower()


def test_pictures_for_papers_are_vectors_with_text(runs: Path, tmp_path: Path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed; see .ci/browser")
    done = stb("report", runs, "--figures", tmp_path / "figures")
    assert done.exit_code == 0, done.stderr
    names = {file.name for file in (tmp_path / "figures").iterdir()}
    assert {"solved.svg", "solved.pdf", "outcomes.svg", "comparisons.pdf", "turns.svg"} <= names
    texts = [
        each.text
        for each in ElementTree.parse(tmp_path / "figures/solved.svg").iter()
        if each.tag.endswith("text")
    ]
    assert {"gold", "noop", "mixed"} <= set(texts)
    assert (tmp_path / "figures/solved.pdf").read_bytes().startswith(b"%PDF-")
    again = stb("report", runs, "--figures", tmp_path / "again")
    assert again.exit_code == 0
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "figures" / name).read_bytes()


def test_pictures_without_matplotlib_name_the_extra(runs: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = stb("report", runs / "gold", "--figures", tmp_path)
    assert error_of(done) == "figures need matplotlib; install it with: pip install 'stb-env[plots]'"


def test_a_row_names_the_parts_that_did_not_pass_and_the_summary_the_modes_of_rewards(tmp_path: Path):
    guess = tmp_path / "guess.py"
    guess.write_text(
        "def act(observation, info):\n"
        '    return {"name": "Finish", "arguments": {"answer": {"balance": 0.5}}}\n',
        encoding="utf-8",
    )
    told = ("stb/Sandbox-v1", "--episodes", "1", "--json")
    assert stb("run", *told, "--agent", "gold", "--out", tmp_path / "gold").exit_code == 0
    partial = ("--agent", f"{guess}:act", "--set", "reward=partial", "--out", tmp_path / "guess")
    assert stb("run", *told, *partial).exit_code == 0
    assert stb("report", tmp_path / "gold", tmp_path / "guess", "--out", tmp_path / "r.html").exit_code == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "not passed: answer:balance" in page
    assert "Rewards differ in mode, so that their means do not compare: gold sparse, guess partial." in page
    assert "reward_mode is sparse and partial" in page
