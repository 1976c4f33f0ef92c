"""Fuzzers, which tests play for seconds and people for hours."""
