"""Experiments and measurements on the rest of the package: laboratory, benchmarks, synthesis."""
