"""dbt projects: plans as files of a project, checks of committed plans, and the keys of pseudonyms."""
