"""SQL statements from templates. A template can print only quoted names and literals."""
