"""Attacks on a release as an intruder would try them: linking, inference, composition. They only read and count."""
