"""Generalization hierarchies: their specifications, mapping tables, path codes and labels."""
