"""Suites: one folder each, with everything of a benchmark; see `stb_env.suite` for how they are found."""
