"""Getting started: a demo on sample data, and a first policy for a table."""
