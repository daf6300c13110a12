"""Multidimensional recoding: Mondrian, strict and relaxed."""
