-- class_rows
CREATE TEMP TABLE "a row; a class" AS
SELECT
  "q0"."value" AS "se""x",
  "q1"."value" AS "zip; --",
  "q2"."value" AS "age
of 👩",
  "q3"."value" AS "SELECT",
  c.row_count AS "rows"""
FROM (
  SELECT
    "key_1" & CAST(24 AS BIGINT) AS "key_1",
    "key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM("row_count") AS BIGINT) AS row_count
  FROM "frequency ""set"" 0" AS f
  GROUP BY 1, 2
  HAVING CAST(SUM("row_count") AS BIGINT) >= 2
) AS c
CROSS JOIN (SELECT v.value FROM "codes se""x" AS v LIMIT 1) AS "q0"
JOIN (
  SELECT
    v.value,
    v."key_1" & CAST(24 AS BIGINT) AS "key_1",
    ROW_NUMBER() OVER (
      PARTITION BY v."key_1" & CAST(24 AS BIGINT)
      ORDER BY v."key_1"
    ) AS nth
  FROM "codes zip; --" AS v
) AS "q1"
  ON "q1".nth = 1 AND "q1"."key_1" = (c."key_1" & CAST(24 AS BIGINT))
JOIN (
  SELECT
    v.value,
    v."key_2" & CAST(6 AS BIGINT) AS "key_2",
    ROW_NUMBER() OVER (
      PARTITION BY v."key_2" & CAST(6 AS BIGINT)
      ORDER BY v."key_2"
    ) AS nth
  FROM "codes age
of 👩" AS v
) AS "q2"
  ON "q2".nth = 1 AND "q2"."key_2" = (c."key_2" & CAST(6 AS BIGINT))
CROSS JOIN (SELECT v.value FROM "codes SELECT" AS v LIMIT 1) AS "q3"
