"""Plans for other tools: models in dbt and SQLMesh projects, and scripts for other databases."""
