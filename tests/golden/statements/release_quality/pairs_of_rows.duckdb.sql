-- pairs_of_rows
CREATE TEMP TABLE "measu'red row pairs" AS
SELECT
CASE WHEN "value_0" IS NOT NULL THEN 0 WHEN "value_1" IS NOT NULL THEN 1 WHEN "value_2" IS NOT NULL THEN 2 WHEN "value_3" IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN "value_3" IS NOT NULL THEN 3 WHEN "value_2" IS NOT NULL THEN 2 WHEN "value_1" IS NOT NULL THEN 1 WHEN "value_0" IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE("value_0", "value_1", "value_2", "value_3") AS first_value,
  COALESCE("value_3", "value_2", "value_1", "value_0") AS second_value,
  row_count
FROM (
  SELECT
    "x0"."bin" AS "value_0",
    "x1"."bin" AS "value_1",
    "x2"."bin" AS "value_2",
    "x3"."bin" AS "value_3",
COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS t
  JOIN (
    SELECT DISTINCT
      value,
      bin
    FROM "measu'red bins se""x" AS b
  ) AS "x0" ON "t"."se""x" IS NOT DISTINCT FROM "x0"."value"
  JOIN (
    SELECT DISTINCT
      value,
      bin
    FROM "measu'red bins zip; --" AS b
  ) AS "x1" ON "t"."zip; --" IS NOT DISTINCT FROM "x1"."value"
  JOIN (
    SELECT DISTINCT
      value,
      bin
    FROM "measu'red bins age
of 👩" AS b
  ) AS "x2" ON "t"."age
of 👩" IS NOT DISTINCT FROM "x2"."value"
  JOIN (
    SELECT DISTINCT
      value,
      bin
    FROM "measu'red bins SELECT" AS b
  ) AS "x3" ON "t"."SELECT" IS NOT DISTINCT FROM "x3"."value"
  GROUP BY GROUPING SETS (("value_0", "value_1"), ("value_0", "value_2"), ("value_0", "value_3"), ("value_1", "value_2"), ("value_1", "value_3"), ("value_2", "value_3"))
) AS p
