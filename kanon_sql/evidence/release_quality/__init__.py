"""Measures the quality of a release against its source: counts that only read."""
