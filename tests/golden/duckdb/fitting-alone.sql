CREATE TEMP TABLE "fits at once" AS
SELECT t.*
FROM "all at once" AS t
JOIN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM "all at once" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "entity") >= 3 AND
    COUNT(DISTINCT "spread_1") >= 2
) AS "s1"
  ON t."node" = "s1"."node" AND (t."key_1" & CAST(127 AS BIGINT)) = "s1"."key_1" AND (t."key_2" & CAST(31 AS BIGINT)) = "s1"."key_2"
