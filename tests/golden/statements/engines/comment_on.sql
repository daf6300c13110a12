-- duckdb, postgres
COMMENT ON TABLE "main"."in ""place" IS 'it''s'

-- spark
COMMENT ON TABLE `main`.`in "place` IS 'it\'s'
