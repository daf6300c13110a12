"""The engine for PostgreSQL."""
