-- allset
CREATE TEMP TABLE "all;set" AS
SELECT
  a.*,
  a.row_count * GREATEST(a.row_count, CAST(2 AS BIGINT)) AS bound
FROM (
  SELECT
    f."key_1" & CAST(7 AS BIGINT) AS "key_1",
    f."key_2" & CAST(0 AS BIGINT) AS "key_2",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM "co'des" AS f
  GROUP BY 1, 2
) AS a
