"""dbt and SQLMesh projects, and scripts for other databases."""
