"""The gate: every statement is a template, and only quoted names and literals can be printed."""
