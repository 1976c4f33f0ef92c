"""Conformance kit: checks that our own suites pass."""

from stb_env.testing.conformance import check, validate
from stb_env.testing.report import Check, Report

__all__ = ["Check", "Report", "check", "validate"]
