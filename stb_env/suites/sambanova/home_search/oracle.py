"""The gold solution of a home search task."""

from __future__ import annotations

from stb_env.suites.sambanova.common.form.oracle import oracle

__all__ = ["oracle"]
