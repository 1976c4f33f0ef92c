"""The table of the tasks beside the paper's figures."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import resources

import pytest
from typer.testing import CliRunner

from stb_env.errors import DataError
from stb_env.runs.protocol import find_protocol
from stb_env.show.cli import app
from stb_env.suites.sambanova.alignment.task_complexity import embedded_tests
from stb_env.suites.sambanova.published import published_row, published_settings, rank_study
from stb_env.suites.sambanova.ranking import place
from stb_env.suites.sambanova.table import markdown, notes, read_rows
from stb_env.suites.sambanova.tasks import suite_task
from tests.runs.metrics.episodes import episode
from tests.shared import objects, task_files

JUDGED = "exact"


def run(folder, agent, suite, scores, *, model=None, invalid=0, **manifest):
    """Save a run whose trials have these scores, one list for each trial; the rest goes to its manifest."""
    folder.mkdir(parents=True)
    manifest |= {"agent": f"stb_env.suites.sambanova.few_shot_agent:{agent}", "judge": JUDGED}
    (folder / "manifest.json").write_text(json.dumps(manifest | _model(model)))
    lines = [
        _episode(suite, str(task), trial, score)
        for trial, row in enumerate(scores)
        for task, score in enumerate(row)
    ]
    lines += [episode(f"broken-{n}", None, suite=suite) for n in range(invalid)]
    (folder / "trajectories.jsonl").write_text("".join(line.to_json() + "\n" for line in lines))
    return folder


def _model(model):
    return {} if model is None else {"agent_settings": {"model": model}}


def _episode(suite, task, trial, score):
    status = "solved" if score == 1.0 else "unsolved"
    parts = {"executable": score >= 0.5, "success": score == 1.0}
    return episode(
        task,
        status,
        trial=trial,
        suite=suite,
        judge=JUDGED,
        reward=score,
        verdict={"score": score, "parts": parts},
    )


def test_a_row_has_means_and_standard_deviations_over_runs(tmp_path):
    folder = run(tmp_path / "a", "FewShotAgent", "HomeSearch", [[1.0, 1.0], [1.0, 0.0]], model="m")
    (row,) = read_rows([folder])
    assert row.name == "m · FewShotAgent"
    assert [tuple(figure) for figure in row.cells["home_search"]] == [(75.0, 25.0)]


def test_every_run_weighs_the_same_however_many_of_its_episodes_are_valid(tmp_path):
    (row,) = read_rows([run(tmp_path / "a", "A", "HomeSearch", [[1.0, 1.0, 1.0], [0.0]])])
    assert tuple(row.cells["home_search"][0]) == (50.0, 50.0)


def test_a_single_run_has_no_standard_deviation(tmp_path):
    (row,) = read_rows([run(tmp_path / "a", "A", "HomeSearch", [[1.0, 0.0]])])
    assert str(row.cells["home_search"][0]) == "50.0"


def test_the_household_shows_executability_and_common_subsequence(tmp_path):
    (row,) = read_rows([run(tmp_path / "a", "A", "VirtualHome", [[1.0, 0.5, 0.25, 0.25]])])
    assert [figure.mean for figure in row.cells["virtual_home"]] == [50.0, 50.0]


def test_a_shop_shows_the_mean_reward(tmp_path):
    (row,) = read_rows([run(tmp_path / "a", "A", "WebShop", [[1.0, 0.5]])])
    assert row.cells["webshop_long"][0].mean == 75.0


def test_invalid_episodes_are_left_out_and_counted(tmp_path):
    rows = read_rows([run(tmp_path / "a", "A", "HomeSearch", [[1.0]], invalid=2)])
    assert (rows[0].cells["home_search"][0].mean, rows[0].invalid, rows[0].episodes) == (100.0, 2, 3)
    assert "Left out as invalid: 2 of 3 episodes." in markdown(rows)


def test_runs_of_one_agent_share_a_row_and_agents_do_not(tmp_path):
    rows = read_rows(
        [
            run(tmp_path / "a", "A", "HomeSearch", [[1.0]]),
            run(tmp_path / "b", "A", "CatAPI", [[1.0]]),
            run(tmp_path / "c", "B", "CatAPI", [[0.0]]),
        ]
    )
    assert [(row.name, sorted(row.cells)) for row in rows] == [
        ("A", ["cat_api", "home_search"]),
        ("B", ["cat_api"]),
    ]


def standard(folder, env, agent, suite, *, protocol=True):
    """Save a run of model m by an agent of the paper, under its protocol or without it."""
    run(folder, "-", suite, [[1.0]], model="m")
    told = json.loads((folder / "manifest.json").read_text()) | {"env": env, "agent": agent}
    followed = {"protocol": {"name": "sambanova", "version": 2, "departures": []}}
    (folder / "manifest.json").write_text(json.dumps(told | (followed if protocol else {})))
    return folder


def table_rows(*folders):
    done = CliRunner().invoke(app, ["sambanova", "table", *map(str, folders), "--json"])
    assert done.exit_code == 0, done.output
    return [(row["name"], sorted(row["cells"])) for row in json.loads(done.stdout)["rows"]]


def test_a_model_that_plays_each_task_by_the_papers_agent_is_one_row(tmp_path):
    shot = find_protocol("sambanova").agent_spec("few_shot")
    nested = find_protocol("sambanova").agent_spec("nested")
    homes = standard(tmp_path / "a", "stb/HomeSearch-v1", shot, "HomeSearch")
    table = standard(tmp_path / "b", "stb/Tabletop-v1", nested, "Tabletop")
    assert table_rows(homes, table) == [("m", ["home_search", "tabletop"])]


def test_another_agent_or_no_protocol_is_another_row(tmp_path):
    shot = find_protocol("sambanova").agent_spec("few_shot")
    homes = standard(tmp_path / "a", "stb/HomeSearch-v1", shot, "HomeSearch")
    none = standard(tmp_path / "b", "stb/HomeSearch-v1", "few_shot", "HomeSearch", protocol=False)
    other = standard(tmp_path / "c", "stb/HomeSearch-v1", "zero_shot", "HomeSearch")
    assert [name for name, _ in table_rows(homes, none, other)] == ["m", "m (no protocol)", "m · zero_shot"]


STUDIED = {"OpenWeather": 1.0, "CatAPI": 0.9, "HomeSearch": 0.5, "WebShop": 0.0}


def studied(folder, hashes):
    """Return the row of an agent on three studied tasks and one that is none."""
    return read_rows(
        [
            run(folder / suite, "A", suite, [[float(n < 10 * s) for n in range(10)]], tasks=hashes(suite))
            for suite, s in STUDIED.items()
        ]
    )[0]


@pytest.mark.heavy
def test_the_correlation_is_of_our_tests_over_the_tasks_without_advanced_reasoning(tmp_path):
    row = studied(tmp_path, lambda suite: embedded_tests(suite_task(suite)))
    assert set(row.complexities) == {"open_weather", "cat_api", "home_search"}
    assert row.complexity_rank == pytest.approx(0.5)


def test_tests_of_unknown_complexity_have_no_correlation(tmp_path):
    row = studied(tmp_path, lambda _: "others")
    assert (row.complexities, row.complexity_rank) == ({}, None)


# -- ranks -----------------------------------------------------------------------------------------------


def ranked(rows):
    return {row.name: place(row, rows) for row in rows}


def test_agents_on_equal_tests_are_ranked_over_the_columns_that_all_have(tmp_path):
    scores = {"A": ([1.0], [0.0]), "B": ([0.0], [1.0]), "C": ([0.5], [0.5])}
    folders = [
        run(tmp_path / agent / suite, agent, suite, [score], tasks="x")
        for agent, both in scores.items()
        for suite, score in zip(("HomeSearch", "WebShop"), both, strict=True)
    ]
    # A search for homes is won or lost, a purchase has a share; D has one column, which then counts alone.
    assert ranked(read_rows(folders)) == {"A": (2.0, 3), "B": (1.75, 3), "C": (2.25, 3)}
    rows = read_rows([*folders, run(tmp_path / "d", "D", "HomeSearch", [[1.0]], tasks="x")])
    assert ranked(rows) == {"A": (1.5, 4), "D": (1.5, 4), "B": (3.5, 4), "C": (3.5, 4)}


@pytest.mark.parametrize(
    "other",
    [
        {"tasks": "y"},
        {"settings": {"split": "train"}},
        {"settings": {"compat": "original"}},
    ],
)
def test_agents_on_other_tests_are_not_ranked_together_and_the_notes_say_so(tmp_path, other):
    rows = read_rows(
        [
            run(tmp_path / "a", "A", "HomeSearch", [[1.0]], tasks="x"),
            run(tmp_path / "b", "B", "HomeSearch", [[0.0]], **({"tasks": "x"} | other)),
        ]
    )
    assert ranked(rows) == {"A": None, "B": None}
    assert "Not ranked together, for their tests differ" in markdown(rows)
    assert re.search(r"\| A \| 100\.0 \| - \| - \|", markdown(rows))


def test_agents_that_played_other_tasks_of_one_test_are_not_ranked_together(tmp_path):
    few, more = [[1.0]], [[1.0, 1.0]]
    rows = read_rows(
        [
            run(tmp_path / str(n), agent, "HomeSearch", scores, tasks="x")
            for n, (agent, scores) in enumerate([("A", few), ("B", more)])
        ]
    )
    assert ranked(rows) == {"A": None, "B": None}


def test_a_run_that_names_no_tests_is_ranked_with_none(tmp_path):
    rows = read_rows([run(tmp_path / str(n), f"A{n}", "HomeSearch", [[1.0]]) for n in range(2)])
    assert set(ranked(rows).values()) == {None}


def test_the_papers_models_are_ranked_among_each_other_and_not_with_ours(tmp_path):
    ours = read_rows([run(tmp_path / "a", "A", "HomeSearch", [[1.0]], tasks="x")])
    rows = [*ours, published_row("gpt4"), published_row("llama-30b"), published_row("bloomz")]
    first, *theirs = [place(row, rows) for row in rows]
    assert first is None
    assert [among for _, among in theirs] == [3, 3, 3]
    assert theirs[0] < theirs[1] < theirs[2]


def test_the_table_says_which_protocol_made_a_row_and_every_departure(tmp_path):
    said = {"name": "sambanova", "version": 2, "departures": ["trials is 1, not 3", "own tests"]}
    rows = read_rows(
        [
            run(tmp_path / "a", "A", "HomeSearch", [[1.0]], protocol=said),
            run(tmp_path / "b", "A", "CatAPI", [[1.0]], protocol=said),
            run(tmp_path / "c", "B", "CatAPI", [[1.0]]),
        ]
    )
    assert notes(rows)[-2:] == [
        "A: protocol sambanova, version 2; departs: trials is 1, not 3; own tests.",
        "B: no protocol.",
    ]


def test_columns_of_different_protocols_are_told_apart(tmp_path):
    said = {"name": "sambanova", "version": 2, "departures": []}
    rows = read_rows(
        [
            run(tmp_path / "a", "A", "HomeSearch", [[1.0]], protocol=said),
            run(tmp_path / "b", "A", "CatAPI", [[1.0]]),
        ]
    )
    assert notes(rows)[-2:] == [
        "A on home_search: protocol sambanova, version 2.",
        "A on cat_api: no protocol.",
    ]


def test_the_rank_study_is_a_command():
    done = CliRunner().invoke(app, ["sambanova", "ranks", "--json"])
    assert json.loads(done.stdout) == {
        model: {"computed": computed, "printed": printed}
        for model, (computed, printed) in rank_study().items()
    }


@pytest.mark.parametrize(
    ("suites", "message"),
    [
        (["Sandbox"], "must be a run of one SambaNova task, got Sandbox"),
        (["HomeSearch", "HomeSearch"], "is a second run of A on home_search; leave one of them out"),
    ],
)
def test_what_fits_in_no_table_is_refused(tmp_path, suites, message):
    folders = [run(tmp_path / str(n), "A", suite, [[1.0]]) for n, suite in enumerate(suites)]
    with pytest.raises(DataError, match=message):
        read_rows(folders)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gpt-4",), "no figures were published of model 'gpt-4'. Did you mean 'gpt4'"),
        (("gpt4", "3-shots"), "no figures were published of setting '3-shots'. Did you mean '3-shot'"),
    ],
)
def test_an_unknown_published_figure_is_refused(words, message):
    with pytest.raises(DataError, match=re.escape(message)):
        published_row(*words)


def test_every_published_row_can_be_shown():
    text = (resources.files("stb_env.suites.sambanova") / "published.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    settings = {"three_shot": data["three_shot"], **data["ablation"]}
    assert tuple(settings) == published_settings()
    rows = [published_row(model, setting) for setting, models in settings.items() for model in models]
    table = markdown(rows)
    assert all(f"| {row.name} |" in table for row in rows)


def test_the_table_is_written_as_markdown_too(tmp_path):
    folder = run(tmp_path / "a", "A", "HomeSearch", [[1.0]])
    words = ["sambanova", "table", str(folder), "--published", "gpt4", "--out", str(tmp_path / "table.md")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert "| gpt4 (paper, 3-shot) | 93.0 |" in (tmp_path / "table.md").read_text(encoding="utf-8")


# -- the published figures -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed(shared_data):
    return objects(shared_data, "toolbench_tasks/*.json", "table8_3shot_success", "table11_mean_std")[0]


def _cells(columns, texts):
    named = {"the_cat_api": "cat_api"}
    return {
        named.get(column, column): [
            tuple(float(number) for number in re.findall(r"[\d.]+", part)) for part in text.split("/")
        ]
        for column, text in zip(columns, texts, strict=True)
        if text.strip() not in ("", "-")
    }


def _shown(row):
    return {
        column: [tuple(part for part in figure if part is not None) for figure in cell]
        for column, cell in row.cells.items()
    }


def test_the_three_shot_figures_are_those_that_were_printed_golden(printed):
    for line in printed["table8_3shot_success"]:
        assert _shown(published_row(line["model"])) == _cells(printed["columns"], line["cells"]), line[
            "model"
        ]


def test_the_ablation_figures_are_those_that_were_printed_golden(printed):
    for line in printed["table11_mean_std"]:
        row = published_row(line["model"], line["setting"])
        assert _shown(row) == _cells(printed["columns"], line["cells"]), (line["setting"], line["model"])


def test_the_rank_study_reproduces_all_printed_values_but_one_golden(shared_data):
    files = task_files(shared_data, "complexity score", "spearman")
    study = rank_study()
    for model in (model for file in files for model in file["spearman"]["models"]):
        computed, published = study[model["name"]]
        assert (round(computed, 6), published) == (model["computed"], model["published"])
