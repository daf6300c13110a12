"""SQLMesh projects: a plan as a model with audits."""
