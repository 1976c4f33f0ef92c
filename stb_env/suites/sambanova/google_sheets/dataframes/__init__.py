"""Data frames for programs: an optional extra, imported when a program first asks for pandas."""
