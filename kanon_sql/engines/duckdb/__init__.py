"""The engine for DuckDB, the embedded default."""
