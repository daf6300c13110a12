-- duckdb, postgres
CREATE TEMP TABLE "all;set-people" AS
SELECT
  a.*,
  CAST(a.row_count * GREATEST(SUM(a.row_count) OVER (PARTITION BY a."key_1", a."key_2"), 2) AS BIGINT) AS bound
FROM (
  SELECT
    f."key_1" & CAST(7 AS BIGINT) AS "key_1",
    f."key_2" & CAST(0 AS BIGINT) AS "key_2",
    f."spread_0",
    f."entity",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM "co'des-people" AS f
  GROUP BY 1, 2, 3, 4
) AS a

-- spark
CREATE TEMP VIEW `all;set-people` AS
SELECT
  a.*,
  CAST(a.row_count * GREATEST(SUM(a.row_count) OVER (PARTITION BY a.`key_1`, a.`key_2`), 2) AS BIGINT) AS bound
FROM (
  SELECT
    f.`key_1` & CAST(7 AS BIGINT) AS `key_1`,
    f.`key_2` & CAST(0 AS BIGINT) AS `key_2`,
    f.`spread_0`,
    f.`entity`,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM `co'des-people` AS f
  GROUP BY 1, 2, 3, 4
) AS a
