"""Spark SQL."""
