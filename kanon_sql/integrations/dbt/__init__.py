"""dbt projects."""
