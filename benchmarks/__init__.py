"""Benchmarks; run them from the repository's root, for example `python -m benchmarks.pipeline`."""
