"""Policies outside the package, on public names only; run them by path, as in ``agents/dfs.py:DFSAgent``."""
