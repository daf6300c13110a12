-- duckdb, postgres
CREATE TEMP TABLE "measu'red pairs" AS
SELECT
CASE WHEN "key_0" IS NOT NULL THEN 0 WHEN "key_1" IS NOT NULL THEN 1 WHEN "key_2" IS NOT NULL THEN 2 WHEN "key_3" IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN "key_3" IS NOT NULL THEN 3 WHEN "key_2" IS NOT NULL THEN 2 WHEN "key_1" IS NOT NULL THEN 1 WHEN "key_0" IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE("key_0", "key_1", "key_2", "key_3") AS first_value,
  COALESCE("key_3", "key_2", "key_1", "key_0") AS second_value,
  row_count
FROM (
  SELECT
    "key_0",
    "key_1",
    "key_2",
    "key_3",
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY GROUPING SETS (("key_0", "key_1"), ("key_0", "key_2"), ("key_0", "key_3"), ("key_1", "key_2"), ("key_1", "key_3"), ("key_2", "key_3"))
) AS p

-- spark
CREATE TEMP VIEW `measu'red pairs` AS
SELECT
CASE WHEN `key_0` IS NOT NULL THEN 0 WHEN `key_1` IS NOT NULL THEN 1 WHEN `key_2` IS NOT NULL THEN 2 WHEN `key_3` IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN `key_3` IS NOT NULL THEN 3 WHEN `key_2` IS NOT NULL THEN 2 WHEN `key_1` IS NOT NULL THEN 1 WHEN `key_0` IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE(`key_0`, `key_1`, `key_2`, `key_3`) AS first_value,
  COALESCE(`key_3`, `key_2`, `key_1`, `key_0`) AS second_value,
  row_count
FROM (
  SELECT
    `key_0`,
    `key_1`,
    `key_2`,
    `key_3`,
    SUM(row_count) AS row_count
  FROM `measu'red classes`
  GROUP BY GROUPING SETS ((`key_0`, `key_1`), (`key_0`, `key_2`), (`key_0`, `key_3`), (`key_1`, `key_2`), (`key_1`, `key_3`), (`key_2`, `key_3`))
) AS p
