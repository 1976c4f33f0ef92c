"""Says goals in words."""
