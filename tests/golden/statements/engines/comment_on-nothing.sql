-- duckdb, postgres
COMMENT ON TABLE "main"."in ""place" IS NULL

-- spark
COMMENT ON TABLE `main`.`in "place` IS NULL
