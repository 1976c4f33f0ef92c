"""Plain words: docstrings are statements, and a bare "ToolBench", which names two benchmarks, is not used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# What may stand: whose it is, the homes and folders of their code, and ToolLLM's wire strings for a key.
WHOSE = re.compile(
    r"(SambaNova|ToolLLM)'s ToolBench|OpenBMB/ToolBench|"
    r"\"toolbench_((rapidapi_)?key|url)\"|folder = \"toolbench\""
)
BARE = re.compile(r"(?<!stable)toolbench", re.IGNORECASE)
_QUESTION_WORD = r"(What|How|Who|Whom|Whose|Which|Where|When|Why|Whether)(ever)?\b"
QUESTION = re.compile(_QUESTION_WORD)
# A file in which no text opens with such a word need not be parsed, which takes seconds for all of them.
SUSPECT = re.compile(rf"[\"'][\s\\]*{_QUESTION_WORD}")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def bare(line: str) -> bool:
    return BARE.search(WHOSE.sub("", line)) is not None


@pytest.mark.heavy
def test_no_file_says_toolbench_without_whose_it_is():
    files = [file for name in ("stb_env", "agents", "examples") for file in (ROOT / name).rglob("*.*")]
    texts = {file: file.read_text(encoding="utf-8") for file in files if file.suffix != ".pyc"}
    assert len(texts) > 100
    assert [(file.name, line) for file in texts for line in texts[file].splitlines() if bare(line)] == []


@pytest.mark.parametrize(
    "line", ['compat="toolbench"', "the ToolBench tasks", "TOOLBENCH", "class ToolBenchServer"]
)
def test_a_bare_word_is_found(line: str):
    assert bare(line)


@pytest.mark.parametrize(
    "line", ["SambaNova's ToolBench", "stb_env.suites.stabletoolbench", "StableToolBench"]
)
def test_whose_it_is_may_be_said(line: str):
    assert not bare(line)


def questions(code: str) -> Iterator[str]:
    """Yield docstrings that open with a question word, but for those of tools: agents read these, as data."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, Documented) and not is_tool(node):
            docstring = ast.get_docstring(node) or ""
            if QUESTION.match(docstring):
                yield docstring


def is_tool(node: Documented) -> bool:
    return any(ast.unparse(one).startswith("TOOL.") for one in getattr(node, "decorator_list", ()))


@pytest.mark.heavy
@pytest.mark.parametrize("folder", ["stb_env", "agents", "examples"])
def test_no_docstring_opens_with_a_question_word(folder: str):
    codes = {file: file.read_text(encoding="utf-8") for file in (ROOT / folder).rglob("*.py")}
    found = {file: list(questions(code)) for file, code in codes.items() if SUSPECT.search(code)}
    assert {file.name: texts for file, texts in found.items() if texts} == {}


@pytest.mark.parametrize("text", ["What a run cost.", "How it ends.", "Whether it holds.", "Whoever asks."])
def test_a_docstring_that_opens_with_a_question_word_is_found(text: str):
    for code in (f'class A:\n    """{text}"""\n', f'"""{text}"""\n', f"'\\\n {text}'\n"):
        assert SUSPECT.search(code)
        assert list(questions(code)) == [text]
    assert list(questions(f'@TOOL.api("A")\ndef a():\n    """{text}"""\n')) == []


def test_a_statement_is_no_question():
    assert list(questions('"""Judges: score a finished episode. What decides is data."""\n')) == []
