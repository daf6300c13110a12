-- duckdb, postgres
CREATE TABLE "no;ted" AS
SELECT "se""x"
FROM "staged'" AS t

-- spark
CREATE TABLE `no;ted`
USING parquet
COMMENT 'it\'s ours'
AS
SELECT `se"x`
FROM `staged'` AS t
