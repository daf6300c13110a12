-- duckdb
CREATE TEMP TABLE "values' counts 4" AS
SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n."level_2" IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n."level_1" AS "node_1",
  SUM(g.value_rows) OVER (PARTITION BY n."level_1") AS "node_rows_1"
FROM (
SELECT
  "sensitive_1" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "frequency ""set"" 2" AS t
WHERE "sensitive_1" IS NOT NULL
GROUP BY "sensitive_1"
) AS g
LEFT JOIN "nodes of values" AS n ON "g"."value" IS NOT DISTINCT FROM "n"."value"

-- postgres
CREATE TEMP TABLE "values' counts 4" AS
SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n."level_2" IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n."level_1" AS "node_1",
  SUM(g.value_rows) OVER (PARTITION BY n."level_1") AS "node_rows_1"
FROM (
SELECT
  "sensitive_1" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "frequency ""set"" 2" AS t
WHERE "sensitive_1" IS NOT NULL
GROUP BY "sensitive_1"
) AS g
LEFT JOIN "nodes of values" AS n ON ARRAY["g"."value"] = ARRAY["n"."value"]

-- spark
CREATE TEMP VIEW `values' counts 4` AS
SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n.`level_2` IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n.`level_1` AS `node_1`,
  SUM(g.value_rows) OVER (PARTITION BY n.`level_1`) AS `node_rows_1`
FROM (
SELECT
  `sensitive_1` AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `frequency "set" 2` AS t
WHERE `sensitive_1` IS NOT NULL
GROUP BY `sensitive_1`
) AS g
LEFT JOIN `nodes of values` AS n ON `g`.`value` IS NOT DISTINCT FROM `n`.`value`
