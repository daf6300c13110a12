"""The source: files, tables and queries, which are opened and checked against the policy."""
