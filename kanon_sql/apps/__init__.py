"""What people start: the command line, Python, the explorer, `init`, dbt and SQLMesh."""
