"""The stability laboratory: StableToolBench's experiments, offline, with the Sandbox as the real API."""
