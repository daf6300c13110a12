"""Recodings of the quasi-identifiers, one folder for each family, and how each of them is staged."""
