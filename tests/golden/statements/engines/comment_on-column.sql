-- duckdb, postgres
COMMENT ON COLUMN "main"."in ""place"."se""x" IS '; --'

-- spark
COMMENT ON COLUMN `main`.`in "place`.`se"x` IS '; --'
