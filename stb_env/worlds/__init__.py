"""Worlds: backends whose tools are local executable code with state, one folder each."""
