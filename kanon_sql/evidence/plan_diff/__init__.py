"""Compares two plans, for a reviewer of a policy change."""
