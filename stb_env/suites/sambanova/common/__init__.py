"""What several of the ToolBench tasks share: labels, verdicts, seeded tasks and official files."""
