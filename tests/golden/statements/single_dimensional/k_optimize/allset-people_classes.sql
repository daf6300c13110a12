-- duckdb, postgres
CREATE TEMP TABLE "all;set-people_classes" AS
SELECT
  a.*,
  CASE
    WHEN ROW_NUMBER() OVER (PARTITION BY a."key_1", a."key_2" ORDER BY a."entity") > 1 THEN CAST(0 AS BIGINT)
    ELSE CAST(SUM(a.row_count) OVER (PARTITION BY a."key_1", a."key_2") - GREATEST(0, SUM(a."of_0") OVER (PARTITION BY a."key_1", a."key_2"), SUM(a."of_1") OVER (PARTITION BY a."key_1", a."key_2")) AS BIGINT)
  END AS bound
FROM (
  SELECT
    f."key_1" & CAST(7 AS BIGINT) AS "key_1",
    f."key_2" & CAST(0 AS BIGINT) AS "key_2",
    f."entity",
    CAST(SUM(f."of_0") AS BIGINT) AS "of_0",
    CAST(SUM(f."of_1") AS BIGINT) AS "of_1",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM "co'des-people_classes" AS f
  GROUP BY 1, 2, 3
) AS a

-- spark
CREATE TEMP VIEW `all;set-people_classes` AS
SELECT
  a.*,
  CASE
    WHEN ROW_NUMBER() OVER (PARTITION BY a.`key_1`, a.`key_2` ORDER BY a.`entity`) > 1 THEN CAST(0 AS BIGINT)
    ELSE CAST(SUM(a.row_count) OVER (PARTITION BY a.`key_1`, a.`key_2`) - GREATEST(0, SUM(a.`of_0`) OVER (PARTITION BY a.`key_1`, a.`key_2`), SUM(a.`of_1`) OVER (PARTITION BY a.`key_1`, a.`key_2`)) AS BIGINT)
  END AS bound
FROM (
  SELECT
    f.`key_1` & CAST(7 AS BIGINT) AS `key_1`,
    f.`key_2` & CAST(0 AS BIGINT) AS `key_2`,
    f.`entity`,
    CAST(SUM(f.`of_0`) AS BIGINT) AS `of_0`,
    CAST(SUM(f.`of_1`) AS BIGINT) AS `of_1`,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM `co'des-people_classes` AS f
  GROUP BY 1, 2, 3
) AS a
