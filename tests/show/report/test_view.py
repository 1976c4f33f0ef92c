"""The viewer's server and export: what may be asked, what is refused, and what a replayed world says."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, get_args

import pytest

from stb_env import make
from stb_env.errors import ConfigError
from stb_env.show.report.view.export import export_view
from stb_env.show.report.view.page_files import page_files
from stb_env.show.report.view.replayed import WorldReplay, states_of
from stb_env.show.report.view.run_index import RunIndex, encoded
from stb_env.show.report.view.server import ViewServer
from stb_env.tools import Source, Status
from tests.command import error_of, stb
from tests.saved import unbind
from tests.show.report.played_runs import NOTES, notes_run, played, searched


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    notes_run(folder / "notes")
    played(folder / "sandbox", "stb/Sandbox-v1")
    played(folder / "tabletop", "stb/Tabletop-v1", episodes=1)
    played(folder / "sheets", "stb/GoogleSheets-v1", episodes=1)
    return folder


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[ViewServer]:
    with ViewServer(RunIndex([runs / "notes", runs / "sandbox"])) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: ViewServer, path: str, *, host: str | None = None, method: str = "GET"
) -> tuple[int, Any, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request(method, path, headers={} if host is None else {"Host": host})
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, reply.headers, body


def state(runs: Path, name: str, number: int = 0) -> dict[str, Any]:
    return RunIndex([runs / name]).states(0, number)


# -- what is served ----------------------------------------------------------------------------------


def test_the_page_and_every_part_that_it_names_are_served(server: ViewServer):
    status, headers, page = ask(server, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    named = set(re.findall(r'(?:href|src)="([^"]+)"', page.decode()))
    imported = {
        name for text in page_files().values() for name in re.findall(r'from "\./([^"]+)"', text.decode())
    }
    assert imported | named == set(page_files()) - {"index.html"}
    assert {ask(server, f"/{name}")[0] for name in named} == {200}


def test_an_episode_is_served_whole_with_its_seed_to_the_digit(server: ViewServer, runs: Path):
    answer = json.loads(ask(server, "/data/0/episodes/1.json")[2])
    line = json.loads((runs / "notes" / "trajectories.jsonl").read_text().splitlines()[1])
    assert answer["episode"] == {**line, "seed": str(line["seed"])}
    assert line["seed"] > 2**53
    assert answer["seconds"] == 0.25


def test_a_search_for_text_answers_with_numbers_of_episodes(server: ViewServer):
    assert json.loads(ask(server, "/data/0/search.json?q=dentist")[2])["found"]
    assert json.loads(ask(server, "/data/0/search.json")[2]) == {"found": []}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "localhost.", "::1"]
)
def test_another_host_s_name_is_refused(server: ViewServer, host: str):
    status, _, body = ask(server, "/data/runs.json", host=host)
    assert (status, json.loads(body)) == (
        403,
        {"error": "open this page by the address 127.0.0.1 or localhost"},
    )


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1", "LOCALHOST", "[::1]:80"])
def test_this_machine_is_served_under_any_of_its_names_and_ports(server: ViewServer, host: str):
    assert ask(server, "/data/runs.json", host=host)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/data/../../etc/passwd",
        "/data/0/episodes/..%2f..%2fmanifest.json",
        "/data/9/rows/0.json",
        "/data/-1/rows/0.json",
        "/data/0/episodes/0",
        "/data/0/rows/%C2%B2",
        "/manifest.json",
        "//etc/passwd",
        "/__init__.py",
    ],
)
def test_nothing_but_the_page_and_its_runs_is_served(server: ViewServer, path: str):
    status, _, body = ask(server, path)
    assert (status, json.loads(body)) == (404, {"error": "there is nothing here"})


def test_every_answer_forbids_scripts_and_frames_of_others(server: ViewServer):
    for path in ("/", "/data/runs.json", "/nothing"):
        headers = ask(server, path)[1]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert (headers["X-Content-Type-Options"], headers["Cross-Origin-Resource-Policy"]) == (
            "nosniff",
            "same-origin",
        )


def test_nothing_can_be_written_through_it(server: ViewServer):
    assert {ask(server, "/data/runs.json", method=method)[0] for method in ("POST", "PUT", "DELETE")} == {501}
    assert ask(server, "/", method="HEAD")[2] == b""


def test_it_listens_on_this_machine_alone(server: ViewServer):
    assert server.server_address[0] == "127.0.0.1"


def test_no_module_of_the_page_makes_markup_or_code_of_text_or_asks_another_host():
    code = "\n".join(text.decode() for name, text in page_files().items() if name.endswith((".js", ".html")))
    code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE).replace("http://www.w3.org/2000/svg", "")
    assert (
        re.findall(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|https?://|srcdoc", code
        )
        == []
    )


def test_the_page_has_a_word_and_a_colour_for_every_source_and_a_word_for_every_status():
    page = {name: text.decode() for name, text in page_files().items()}
    words, sources = page["words.js"], get_args(Source)
    assert sources == ("cache", "real", "simulator", "world", "fault", "env")
    assert [source for source in sources if f"\n  {source}: " not in words] == []
    assert [source for source in sources if f".source.{source} " not in page["episode.css"]] == []
    (listed,) = re.findall(r"CALL_STATUS = \[(.*?)\]", words, re.DOTALL)
    assert len(re.findall(r'"[^"]*"', listed)) == len(Status)


def test_a_port_that_is_taken_is_refused_with_advice():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ConfigError, match=f"^cannot listen on port {port} .*; give another --port, or 0 for"
        ):
            ViewServer(RunIndex.of({}), port)


# -- worlds ------------------------------------------------------------------------------------------


def test_a_changed_table_shows_the_row_that_was_added(runs: Path):
    run_index = RunIndex([runs / "sandbox"])
    states = [run_index.states(0, number) for number in range(3)]
    changed = [table for found in states for table in found["whole"] if table["name"] != "state"]
    assert changed
    assert all(table["rows"][0]["change"] != "same" for table in changed)
    assert all(found["deviations"] == [[] for _ in found["steps"]] for found in states)


def test_changes_of_the_steps_lead_from_the_start_to_the_end(runs: Path):
    run_index = RunIndex([runs / "sandbox"])
    found = run_index.states(0, 1)
    by_step = {
        (table["name"], row["key"]) for step in found["steps"] for table in step for row in table["rows"]
    }
    whole = {(t["name"], row["key"]) for t in found["whole"] for row in t["rows"] if row["change"] != "same"}
    assert whole
    assert whole <= by_step


def test_blocks_are_drawn_where_the_record_says_that_they_were_put(runs: Path):
    found = state(runs, "tabletop")
    first, *_, last = found["pictures"]
    before, after = ({each["name"]: each["at"] for each in scene["objects"]} for scene in (first, last))
    line = json.loads((runs / "tabletop" / "trajectories.jsonl").read_text().splitlines()[0])
    moved = {
        name: at
        for s in line["steps"]
        for c in s["calls"]
        if isinstance(c["response"], dict)
        for name, at in c["response"].items()
    }
    assert moved
    assert {name: after[name] for name in moved} == moved
    assert before != after


def test_a_spreadsheet_is_drawn_as_its_reader_sees_it(runs: Path):
    found = state(runs, "sheets")
    before, after = found["pictures"][0], found["pictures"][-1]
    line = json.loads((runs / "sheets" / "trajectories.jsonl").read_text().splitlines()[0])
    header = before["sheets"][-1]["cells"][0]
    assert " ".join(header) == line["query"].splitlines()[0]
    assert before != after


def test_calls_that_come_out_otherwise_than_recorded_are_told(runs: Path):
    folder = runs / "sandbox"
    line = json.loads((folder / "trajectories.jsonl").read_text().splitlines()[0])
    line["steps"][0]["calls"][0]["response"] = {"made": "up"}
    replay = WorldReplay(json.loads((folder / "manifest.json").read_text()))
    deviations = states_of(replay, line)["deviations"]
    assert [[call["name"] for call in step] for step in deviations] == [
        [line["steps"][0]["calls"][0]["name"]],
        *[[]] * (len(line["steps"]) - 1),
    ]


def test_of_a_search_the_branch_that_was_played_is_replayed():
    env = make("stb/Sandbox-v1")
    episode = searched(env, env.tasks.at(0).id).to_dict()
    found = states_of(WorldReplay({"env": "stb/Sandbox-v1"}), episode)
    nodes, at, path = episode["tree"]["nodes"], episode["tree"]["best"], []
    while nodes[at]["step"] is not None:
        path.append([call["name"] for call in nodes[at]["step"]["calls"]])
        at = nodes[at]["parent"]
    assert found["calls"] == path[::-1]
    assert len(found["calls"]) < len(episode["steps"])
    assert [step for step in found["deviations"] if step] == []


def test_code_that_a_run_names_is_not_run_unless_the_user_names_it(tmp_path: Path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    env_id = f"{trap}:my/Trap-v0"
    folder = notes_run(tmp_path / "run")
    unbind(folder)
    (folder / "manifest.json").write_text(json.dumps({**NOTES, "env": env_id}))
    reason = RunIndex([folder]).states(0, 0)["reason"]
    assert (
        reason == f"the run was played in {env_id}, which is somebody's code; "
        f"to run that code here, name it: --env {env_id}"
    )
    assert not (tmp_path / "sprung").exists()
    RunIndex([folder], env_id=env_id).states(0, 0)
    assert (tmp_path / "sprung").exists()


def test_settings_of_a_run_that_name_code_or_servers_are_left_alone(tmp_path: Path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    named = dict.fromkeys(("judge", "simulator", "user", "models"), f"{trap}:Trap")
    WorldReplay({"env": "stb/Sandbox-v1", "settings": named})
    assert not (tmp_path / "sprung").exists()


def test_a_world_that_the_user_names_is_replayed(tmp_path: Path):
    folder = notes_run(tmp_path / "run")
    assert "whole" in RunIndex([folder], env_id=NOTES["env"]).states(0, 0)


# -- the export and the command -----------------------------------------------------------------------


def test_an_export_holds_every_answer_that_the_server_gives(runs: Path, tmp_path: Path):
    run_index = RunIndex([runs / "notes", runs / "sandbox"])
    told = export_view(run_index, tmp_path / "site", most_states=2)
    written = {
        str(file.relative_to(tmp_path / "site")): file.read_bytes()
        for file in (tmp_path / "site").rglob("*.*")
        if file.is_file()
    }
    assert written["index.html"] == page_files()["index.html"]
    assert json.loads(written["data/runs.json"]) == json.loads(encoded(run_index.overview(live=False)))
    asked = [
        name.removeprefix("data/")
        for name in written
        if name.startswith("data/") and name != "data/runs.json"
    ]
    assert all(written[f"data/{name}"] == encoded(run_index.answer(name) or {}) for name in asked)
    assert sum("/states/" in name for name in asked) == 2
    assert told["episodes"] == sum(run_index.rows(run, 0)["total"] for run in (0, 1))
    assert told["bytes"] == sum(map(len, written.values()))


def test_an_export_replaces_an_earlier_one_and_nothing_else(runs: Path, tmp_path: Path):
    run_index = RunIndex([runs / "notes"])
    assert export_view(run_index, tmp_path / "site") == export_view(run_index, tmp_path / "site")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    with pytest.raises(
        ConfigError, match=r"mine is not empty and holds no earlier export; name another folder$"
    ):
        export_view(run_index, tmp_path / "mine")
    assert (tmp_path / "mine" / "index.html").read_text() == "mine"


def test_the_command_exports(runs: Path, tmp_path: Path):
    done = stb("view", runs / "notes", "--export", tmp_path / "site", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["runs"] == 1
    assert (tmp_path / "site" / "index.html").is_file()


def test_the_command_refuses_what_holds_no_run(tmp_path: Path):
    done = stb("view", tmp_path, "--no-browser")
    assert done.exit_code == 2
    assert (
        error_of(done)
        == f"{tmp_path} holds no run; name a folder that `stb-env run --out` or `eval` has written"
    )
