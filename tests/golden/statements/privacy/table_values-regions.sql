-- duckdb, postgres
CREATE TEMP TABLE "values of regi'ons" AS
SELECT
  "spread_0" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "wor'king" AS t
WHERE "spread_0" IS NOT NULL
GROUP BY "spread_0"

-- spark
CREATE TEMP VIEW `values of regi'ons` AS
SELECT
  `spread_0` AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `wor'king` AS t
WHERE `spread_0` IS NOT NULL
GROUP BY `spread_0`
