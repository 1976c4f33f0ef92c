"""Policies on public names alone, installed as `stb_env.agents`: ``--agent 'dfs(width=2)'``."""
