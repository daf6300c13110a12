-- duckdb, postgres
COMMENT ON INDEX "main"."i""x" IS 'x'

-- spark
COMMENT ON INDEX `main`.`i"x` IS 'x'
