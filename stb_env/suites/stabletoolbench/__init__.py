"""StableToolBench (Guo et al., 2024) and the OpenBMB ToolBench that it grew from: six groups of queries."""
