"""The engine for Spark SQL."""
