"""Hierarchies in the engine: mapping tables, paths, lines of values."""
