"""The difference of two plans."""
