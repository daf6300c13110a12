"""The source: files, tables and queries, opened and checked against the policy."""
