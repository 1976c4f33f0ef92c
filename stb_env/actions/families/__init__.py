"""Parsers of model families, one file each: a family has its own marks; the data inside is JSON."""
