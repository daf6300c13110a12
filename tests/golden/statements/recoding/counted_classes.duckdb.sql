-- counted_classes
CREATE TEMP TABLE "too few; rows" AS
SELECT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3",
  c.row_count
FROM (
  SELECT
    "key_1" & CAST(24 AS BIGINT) AS "key_1",
    "key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM("row_count") AS BIGINT) AS row_count
  FROM "frequency ""set"" 0" AS f
  GROUP BY 1, 2
  HAVING CAST(SUM("row_count") AS BIGINT) < 2
) AS c
CROSS JOIN "lab'els 0" AS "q0"
JOIN "lab'els 1" AS "q1"
  ON "q1"."key_1" = (c."key_1" & CAST(24 AS BIGINT))
JOIN "lab'els 2" AS "q2"
  ON "q2"."key_2" = (c."key_2" & CAST(6 AS BIGINT))
CROSS JOIN "lab'els 3" AS "q3"
