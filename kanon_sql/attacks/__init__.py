"""Attacks on a release, as an intruder would carry them out; they read only, and count."""
