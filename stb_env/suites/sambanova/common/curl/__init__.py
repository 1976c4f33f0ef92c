"""What the tasks share whose action is one curl command: read as data, judged by its answer, never run."""
