"""Open Weather: one request to an embedded weather service, as ToolBench poses it."""
