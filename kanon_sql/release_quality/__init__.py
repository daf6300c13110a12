"""Measures of a release against its source, after the fact; they read only, and count."""
