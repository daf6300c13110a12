"""Charts of figures: each a Vega-Lite specification beside a table of the same figures."""
