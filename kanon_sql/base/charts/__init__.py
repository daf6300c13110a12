"""Charts of numbers: each is a Vega-Lite specification with a table of the same numbers."""
