"""What checks an environment: the conformance kit that our own suites pass."""
