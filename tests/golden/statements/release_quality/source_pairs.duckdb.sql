-- source_pairs
CREATE TEMP TABLE "measu'red own" AS
SELECT
CASE WHEN "value_0" IS NOT NULL THEN 0 WHEN "value_1" IS NOT NULL THEN 1 WHEN "value_2" IS NOT NULL THEN 2 WHEN "value_3" IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN "value_3" IS NOT NULL THEN 3 WHEN "value_2" IS NOT NULL THEN 2 WHEN "value_1" IS NOT NULL THEN 1 WHEN "value_0" IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE("value_0", "value_1", "value_2", "value_3") AS first_value,
  COALESCE("value_3", "value_2", "value_1", "value_0") AS second_value,
  row_count
FROM (
  SELECT
    "value_0",
    "value_1",
    "value_2",
    "value_3",
    SUM(row_count) AS row_count
  FROM (
    SELECT
      "x0"."bin" AS "value_0",
      "x1"."bin" AS "value_1",
      "x2"."bin" AS "value_2",
      "x3"."bin" AS "value_3",
      t.row_count
    FROM "measu'red classes" AS t
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins se""x"
    ) AS "x0" ON "x0"."own" = "t"."key_0"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins zip; --"
    ) AS "x1" ON "x1"."own" = "t"."key_1"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins age
of 👩"
    ) AS "x2" ON "x2"."own" = "t"."key_2"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins SELECT"
    ) AS "x3" ON "x3"."own" = "t"."key_3"
  ) AS c
  GROUP BY GROUPING SETS (("value_0", "value_1"), ("value_0", "value_2"), ("value_0", "value_3"), ("value_1", "value_2"), ("value_1", "value_3"), ("value_2", "value_3"))
) AS p
