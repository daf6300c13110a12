"""Recodings: what is done to the quasi-identifiers. One folder a family."""
