"""The files of the viewer's page, as they stand in the package."""

from __future__ import annotations

from importlib.resources import files

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Content types by ending."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy of the page: nothing from elsewhere, no script or style in text."""


def page_files() -> dict[str, bytes]:
    """Return the page's files by name.

    Examples:
        >>> "index.html" in page_files()
        True
    """
    folder = files("stb_env.show.report.view").joinpath("page")
    return {
        file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES
    }
