"""Re-identification: the risks of a table, and the columns that distinguish its rows."""
