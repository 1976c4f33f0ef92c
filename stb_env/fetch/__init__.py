"""Public files from pinned revisions: resumable, checked against what was recorded, and atomic."""

from stb_env.fetch.failure import FetchError
from stb_env.fetch.fetcher import Fetcher, Outcome, Report
from stb_env.fetch.sources import DataSet, Part, Sources, read_sources

__all__ = ["DataSet", "FetchError", "Fetcher", "Outcome", "Part", "Report", "Sources", "read_sources"]
