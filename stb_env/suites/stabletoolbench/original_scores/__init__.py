"""StableToolBench's own scoring programs, defects included, for byte-exact comparison with its files."""
