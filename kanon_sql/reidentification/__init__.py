"""Re-identification: the risks of a table, and the columns that tell its rows apart."""
