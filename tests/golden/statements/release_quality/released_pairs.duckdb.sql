-- released_pairs
CREATE TEMP TABLE "measu'red pairs" AS
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
      "key_0" AS "value_0",
      "key_1" AS "value_1",
      "key_2" AS "value_2",
      "key_3" AS "value_3",
      row_count
    FROM "measu'red classes" AS t
  ) AS c
  GROUP BY GROUPING SETS (("value_0", "value_1"), ("value_0", "value_2"), ("value_0", "value_3"), ("value_1", "value_2"), ("value_1", "value_3"), ("value_2", "value_3"))
) AS p
