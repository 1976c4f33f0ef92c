"""The virtual API backend: cache, then real API, then simulator."""
