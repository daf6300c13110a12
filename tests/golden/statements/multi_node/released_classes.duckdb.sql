-- released_classes
CREATE TEMP TABLE "layer of" AS
SELECT
  "q0".label AS "label_0",
  "q0".leaves AS "leaves_0",
  "q0".row_count AS "shared_0",
  "q1".label AS "label_1",
  "q1".leaves AS "leaves_1",
  "q1".row_count AS "shared_1",
  "q2".label AS "label_2",
  "q2".leaves AS "leaves_2",
  "q2".row_count AS "shared_2",
  "q3".label AS "label_3",
  "q3".leaves AS "leaves_3",
  "q3".row_count AS "shared_3",
  c.entity,
  c.row_count
FROM (
  SELECT
    f."key_1" & CAST(24 AS BIGINT) AS "key_1",
    f."key_2" & CAST(6 AS BIGINT) AS "key_2",
    f.entity,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM "frequency ""set"" 2" AS f
  WHERE NOT EXISTS (
    SELECT 1
    FROM "le'ft" AS w
    WHERE (w."key_1" & CAST(24 AS BIGINT)) = (f."key_1" & CAST(24 AS BIGINT)) AND (w."key_2" & CAST(6 AS BIGINT)) = (f."key_2" & CAST(6 AS BIGINT))
  )
  GROUP BY f."key_1" & CAST(24 AS BIGINT), f."key_2" & CAST(6 AS BIGINT), f.entity
) AS c
JOIN "labels; --" AS "q0"
  ON "q0".item = 1 AND "q0"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "q0"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
JOIN "labels; --" AS "q1"
  ON "q1".item = 3 AND "q1"."key_1" = (c."key_1" & CAST(24 AS BIGINT)) AND "q1"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
JOIN "labels; --" AS "q2"
  ON "q2".item = 7 AND "q2"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "q2"."key_2" = (c."key_2" & CAST(6 AS BIGINT))
JOIN "labels; --" AS "q3"
  ON "q3".item = 11 AND "q3"."key_1" = (c."key_1" & CAST(0 AS BIGINT)) AND "q3"."key_2" = (c."key_2" & CAST(0 AS BIGINT))
