"""The databases: one protocol, one folder an engine."""
