"""DuckDB, the embedded default."""
