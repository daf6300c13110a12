"""The databases: one base class, a folder for each engine."""
