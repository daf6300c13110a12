"""The first minutes: a demo on a sample, and a first policy for a table."""
