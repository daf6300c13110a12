"""Measures a plan or a release for a report, and writes the report as a page, as text and as figures."""
