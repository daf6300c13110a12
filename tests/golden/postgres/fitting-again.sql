CREATE TEMP TABLE "left again" AS
SELECT t.*
FROM "left" AS t
JOIN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM "left" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "entity") >= 2
) AS "s1"
  ON t."node" = "s1"."node" AND (t."key_1" & CAST(127 AS BIGINT)) = "s1"."key_1" AND (t."key_2" & CAST(31 AS BIGINT)) = "s1"."key_2"
JOIN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(3 AS BIGINT) AS "key_1",
    "key_2" & CAST(24 AS BIGINT) AS "key_2"
  FROM "left" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "spread_1") >= 2
) AS "s2"
  ON t."node" = "s2"."node" AND (t."key_1" & CAST(3 AS BIGINT)) = "s2"."key_1" AND (t."key_2" & CAST(24 AS BIGINT)) = "s2"."key_2"
JOIN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(28 AS BIGINT) AS "key_1"
  FROM "left" AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT "entity") >= 3
) AS "s3"
  ON t."node" = "s3"."node" AND (t."key_1" & CAST(28 AS BIGINT)) = "s3"."key_1"
