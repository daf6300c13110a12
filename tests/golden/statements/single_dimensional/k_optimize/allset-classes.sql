-- duckdb, postgres
CREATE TEMP TABLE "all;set-classes" AS
SELECT
  a.*,
  a.row_count - GREATEST(0, a."of_0", a."of_1") AS bound
FROM (
  SELECT
    f."key_1" & CAST(7 AS BIGINT) AS "key_1",
    f."key_2" & CAST(0 AS BIGINT) AS "key_2",
    CAST(SUM(f."of_0") AS BIGINT) AS "of_0",
    CAST(SUM(f."of_1") AS BIGINT) AS "of_1",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM "co'des-classes" AS f
  GROUP BY 1, 2
) AS a

-- spark
CREATE TEMP VIEW `all;set-classes` AS
SELECT
  a.*,
  a.row_count - GREATEST(0, a.`of_0`, a.`of_1`) AS bound
FROM (
  SELECT
    f.`key_1` & CAST(7 AS BIGINT) AS `key_1`,
    f.`key_2` & CAST(0 AS BIGINT) AS `key_2`,
    CAST(SUM(f.`of_0`) AS BIGINT) AS `of_0`,
    CAST(SUM(f.`of_1`) AS BIGINT) AS `of_1`,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM `co'des-classes` AS f
  GROUP BY 1, 2
) AS a
