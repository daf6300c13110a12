CREATE TEMP TABLE "left-rows" AS
SELECT t.*
FROM "every-rows" AS t
JOIN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(3 AS BIGINT) AS "key_1",
    "key_2" & CAST(24 AS BIGINT) AS "key_2"
  FROM "every-rows" AS b
  GROUP BY 1, 2, 3
  HAVING
    SUM(row_count) >= 3
) AS "s1"
  ON t."node" = "s1"."node" AND (t."key_1" & CAST(3 AS BIGINT)) = "s1"."key_1" AND (t."key_2" & CAST(24 AS BIGINT)) = "s1"."key_2"
