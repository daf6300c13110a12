-- count_queries
SELECT
  SUM(CAST("c"."row_count" AS DOUBLE) * "s1"."share_0") AS "query_0",
  SUM(CAST("c"."row_count" AS DOUBLE)) AS "query_1"
FROM "measu'red classes" AS c
JOIN (
  SELECT
    label
  FROM "measu'red shares se""x" AS t
  GROUP BY label
) AS "s0" ON "s0"."label" = "c"."key_0"
JOIN (
  SELECT
    label,
    MAX(CASE WHEN query = '0' THEN share ELSE 0 END) AS "share_0"
  FROM "measu'red shares zip; --" AS t
  GROUP BY label
) AS "s1" ON "s1"."label" = "c"."key_1"
JOIN (
  SELECT
    label
  FROM "measu'red shares age
of 👩" AS t
  GROUP BY label
) AS "s2" ON "s2"."label" = "c"."key_2"
JOIN (
  SELECT
    label
  FROM "measu'red shares SELECT" AS t
  GROUP BY label
) AS "s3" ON "s3"."label" = "c"."key_3"
