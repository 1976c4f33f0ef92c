"""An import goes on where a killed one stopped, and reads keys and nesting as fast as it says."""

import ast
import json
import os
import signal
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache import ResponseCache
from stb_env.core import jsontext
from stb_env.suites.stabletoolbench import cache_import
from stb_env.suites.stabletoolbench.cache_folder import read_key
from stb_env.suites.stabletoolbench.cache_import import FILE, import_source

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody can be killed here without a fork")


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_import, "_FLUSH", 4)
    for number in range(6):
        file = tmp_path / "src" / "Net" / f"t{number}_for_Net" / "ping.json"
        file.parent.mkdir(parents=True)
        answers = {str({"n": n}): {"error": "", "response": n} for n in range(3)}
        file.write_text(json.dumps(answers))
    return tmp_path / "src"


def _import(source, folder, progress=None):
    with closing(ResponseCache(folder)) as cache:
        return import_source(cache, source, progress=progress).to_dict(), cache.hash


def _kill_at(number, source, folder):
    process = os.fork()
    if process == 0:
        _import(source, folder, lambda done, _: os.kill(os.getpid(), signal.SIGKILL) if done == number else 0)
        os._exit(0)
    assert os.waitpid(process, 0)[1] == signal.SIGKILL


@needs_fork
def test_a_killed_import_goes_on_after_the_files_that_it_had_stored(tmp_path, source):
    _kill_at(5, source, tmp_path / "cache")
    done = []
    found = _import(source, tmp_path / "cache", lambda number, _: done.append(number))
    assert done == [5, 6]
    assert found == _import(source, tmp_path / "whole")
    assert found[0]["entries_added"] == 18
    assert not (tmp_path / "cache" / FILE).exists()


@needs_fork
def test_an_import_begins_anew_where_a_file_that_was_done_has_changed(tmp_path, source):
    _kill_at(5, source, tmp_path / "cache")
    changed = source / "Net" / "t0_for_Net" / "ping.json"
    changed.write_text(json.dumps({"{'n': 0}": {"error": "", "response": "changed since"}}))
    done = []
    report, _ = _import(source, tmp_path / "cache", lambda number, _: done.append(number))
    assert done == [1, 2, 3, 4, 5, 6]
    assert report["entries_replaced"] == 1


@needs_fork
def test_an_import_of_another_kind_begins_anew(tmp_path, source):
    _kill_at(5, source, tmp_path / "cache")
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        report = import_source(cache, source, origin="train")
    assert report.read == 18


FLAT = st.dictionaries(
    st.text(max_size=5),
    st.text(max_size=8) | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False),
    max_size=4,
)


@given(FLAT)
def test_a_key_that_python_wrote_is_read_as_python_reads_it(arguments):
    arguments = jsontext.loads(jsontext.dumps(arguments))
    key = str(arguments)
    try:
        read = ast.literal_eval(key)
    except ValueError:
        read = None
    if read == arguments:
        assert str(read_key(key)) == key


@pytest.mark.parametrize(
    "key",
    [
        "{'a': ': True', 'b': True}",
        "{'a': True, 'b': -1.5, 'c': None}",
        "{'a': Trueish}",
        "{'a': 1.}",
        "{'a': .5}",
        "{'a': 'x: None, y', 'b': False}",
        "{'a': 0.10000000000000001}",
        "{'True': True}",
        "{'a': 1e5}",
        "{'a': true}",
        "{'a': 01}",
        "{'a': 1,}",
        "{'a': 'b\\n'}",
        "{'a': NaN}",
        "{'a'}",
        "{'a': 'b' 'c'}",
    ],
)
def test_what_only_looks_like_a_flat_key_is_read_as_before(key):
    try:
        expected = ast.literal_eval(key)
    except (ValueError, SyntaxError):
        expected = key
    assert read_key(key) == (expected if isinstance(expected, dict | str) else key)


def _plain_depth(text):
    depth = deepest = 0
    inside = escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif inside and char == "\\":
            escaped = True
        elif char == '"':
            inside = not inside
        elif not inside and char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif not inside and char in "]}":
            depth -= 1
    return deepest


HARD = st.text('[]{}"\\\\aé\ud800', max_size=6)
NESTED = st.recursive(
    HARD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HARD, inner, max_size=2)
)


@given(NESTED)
def test_nesting_is_counted_outside_of_texts_alone(value):
    text = json.dumps(value)
    assert jsontext._depth(text) == _plain_depth(text)
