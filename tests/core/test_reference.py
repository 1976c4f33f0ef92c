"""Objects by text: modules, files, settings, and where they stand."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stb_env.core.reference import (
    files_hash,
    is_reference,
    load_made,
    load_module,
    load_object,
    place_of,
    source_of,
)
from stb_env.errors import ConfigError

CLASS = "class Thing:\n    def __init__(self, n=1):\n        self.n = n\n"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("a.py:B", True),
        ("/tmp/x y/a.py:B", True),
        ("a.b:C", True),
        ("a:C(x='y:z')", True),
        ("pass", False),
        ("", False),
        ("folder/with:colon/x", False),
        ("C:\\evaluators\\one", False),
        ("https://host/path", False),
    ],
)
def test_what_reads_as_a_reference(text: str, known: bool):
    assert is_reference(text) is known


def test_a_file_is_imported_once_until_it_changes(tmp_path: Path):
    file = tmp_path / "thing.py"
    file.write_text(CLASS)
    first = load_module(str(file))
    assert load_module(str(file)) is first
    file.write_text(CLASS + "OTHER = 1\n")
    assert load_object(f"{file}:OTHER") == 1


def test_threads_that_import_a_file_at_once_all_get_the_whole(tmp_path: Path):
    file = tmp_path / "slow.py"
    file.write_text("first = 1\nfor _ in range(10**6):\n    pass\nlast = 2\n")
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(load_object, [f"{file}:last"] * 8)) == [2] * 8


def test_files_import_those_beside_them_as_scripts_do(tmp_path: Path):
    found = []
    for name in "aba":
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "thing.py").write_text(
            "import pack.deep, json\nfrom pack.deep import late\nHERE = late()\n"
        )
        (folder / "pack").mkdir(exist_ok=True)
        (folder / "pack" / "__init__.py").write_text("")
        (folder / "pack" / "deep.py").write_text("def late():\n    import names\n    return names.NAME\n")
        (folder / "names.py").write_text(f"NAME = {name!r}\n")
        (folder / "json.py").write_text("raise RuntimeError('Python has one')")
        module = load_module(str(folder / "thing.py"))
        found += [module.HERE, module.late(), module.pack.deep.late()]
    assert found == [*"aaabbbaaa"]
    assert not {"pack", "names"} & set(sys.modules)


def test_what_is_on_the_path_is_no_second_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "place_on_path.py").write_text("")
    (tmp_path / "thing.py").write_text("import place_on_path\nfrom .thing import __name__ as own")
    module = load_module(str(tmp_path / "thing.py"))
    assert module.place_on_path is sys.modules.pop("place_on_path")
    assert module.own == module.__name__


def test_what_is_pickled_from_a_file_is_found_in_another_process(tmp_path: Path):
    (tmp_path / "thing.py").write_text("from common import Base\nclass Thing(Base):\n    n = 7\n")
    (tmp_path / "common.py").write_text("class Base:\n    pass\n")
    data = pickle.dumps(load_made(f"{tmp_path / 'thing.py'}:Thing").object)
    code = "import pickle, sys, stb_env\nprint(pickle.loads(sys.stdin.buffer.read()).n)"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, cwd="/")
    assert done.stdout == b"7\n", done.stderr


def test_a_module_stands_under_its_name_and_a_file_under_its_path(tmp_path: Path):
    file = tmp_path / "thing.py"
    file.write_text(CLASS)
    assert place_of(load_module(str(file)).__name__) == str(file.resolve())
    assert place_of("stb_env.usage") == "stb_env.usage"


def test_the_version_of_code_is_that_of_its_file(tmp_path: Path):
    file = tmp_path / "thing.py"
    file.write_text(CLASS)
    before = load_made(f"{file}:Thing(n=2)")
    file.write_text(CLASS + "# changed\n")
    after = load_made(f"{file}:Thing(n=2)")
    assert before.source != after.source
    assert (after.object.n, after.settings, source_of(after.object)) == (2, {"n": 2}, after.source)


def test_a_module_without_a_file_counts_by_its_name():
    assert files_hash(["sys"]) != files_hash(["builtins"])


def test_a_file_that_fails_is_run_again_when_it_is_mended(tmp_path: Path):
    file = tmp_path / "thing.py"
    file.write_text("1 / 0")
    with pytest.raises(
        ConfigError, match=r"ZeroDivisionError: division by zero \(.*thing.py, line 1\); correct"
    ):
        load_module(str(file))
    file.write_text(CLASS)
    assert load_made(f"{file}:Thing").object.n == 1


def test_settings_that_a_class_offers_are_taken_where_it_has_them(tmp_path: Path):
    (tmp_path / "thing.py").write_text(CLASS)
    where = f"{tmp_path / 'thing.py'}:Thing"
    assert load_made(where, {"n": 5, "m": 6}).object.n == 5
    assert load_made(f"{where}(n=2)", {"n": 5}).object.n == 2
