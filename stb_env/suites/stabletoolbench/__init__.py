"""StableToolBench (Guo et al., 2024) and ToolLLM's ToolBench that it grew from: six groups of queries."""
