"""The release: one query of named steps, and what executes it."""
