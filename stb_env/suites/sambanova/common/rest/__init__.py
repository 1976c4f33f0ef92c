"""REST services: a table of endpoints, and actions that are one curl command, read as data and never run."""
