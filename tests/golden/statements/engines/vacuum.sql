-- duckdb, postgres, spark
VACUUM
