"""Writes tool files and queries for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILMS = {
    "tool_name": "Film Fan",
    "tool_description": "Knows every film.\nAnd its cast.",
    "host": "film-fan.p.rapidapi.com",
    "api_list": [
        {
            "name": "Cast of Film",
            "description": "Who plays in a film.",
            "url": "https://film-fan.p.rapidapi.com/v1/{filmId}/cast",
            "method": "GET",
            "required_parameters": [
                {"name": "filmId", "type": "NUMBER", "description": "The film.", "default": "7"}
            ],
            "optional_parameters": [
                {"name": "limit", "type": "NUMBER", "description": "How many.", "default": ""}
            ],
        },
        {"name": "Newest", "description": "The newest films.", "url": "/v1/newest", "method": "GET"},
    ],
}
OTHER = {**FILMS, "tool_description": "Reads film from a camera.", "api_list": [{"name": "Cast of Film"}]}
MINIMAL = {"category_name": "Movies", "tool_name": "Film Fan", "api_name": "Cast of Film"}
ENTRY = {
    **MINIMAL,
    "api_description": "Own words.",
    "required_parameters": [{"name": "title", "type": "STRING", "description": "", "default": ""}],
    "optional_parameters": [],
    "method": "GET",
}


def write_tools(folder: Path, **files: Any) -> Path:
    """Write tool files by ``Category__stem``; a text is written as it is."""
    for place, data in (files or {"Movies__film_fan": FILMS, "Cameras__film_fan": OTHER}).items():
        category, _, stem = place.partition("__")
        file = folder / category / f"{stem}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return folder


def write_queries(root: Path, *records: Any) -> Path:
    """Write the I1-Instruction group in the official layout, and return its folder."""
    folder = root / "solvable_queries"
    (folder / "test_instruction").mkdir(parents=True, exist_ok=True)
    (folder / "test_instruction" / "G1_instruction.json").write_text(json.dumps(records), encoding="utf-8")
    return folder


def record(*entries: Any, **more: Any) -> dict[str, Any]:
    """Return a query record with these API entries."""
    return {"query": "Who plays in it?", "query_id": 1, "api_list": list(entries or [MINIMAL])} | more
