"""Searches of the lattice: one file an algorithm."""
