-- duckdb
COMMENT ON TABLE "main"."in ""place" IS NULL
