-- duckdb
SELECT
  number,
  verdict,
  found
FROM (
WITH
-- The equivalence classes: rows with the same values in all quasi-identifiers. NULL is a value of its own.
"counted_1" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, SUM(class_rows) AS row_count,
    8 - SUM(class_rows) AS suppressed, MAX("worst_1") AS "worst_1", MAX("worst_2") AS "worst_2", MAX("worst_3") AS "worst_3", MIN("distinct_4") AS "distinct_4"
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(*) AS class_size,
      COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))
    ) / ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))) AS BIGINT), 1000000000) AS "worst_1",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)
      + ("kanon_in_table_1" * "kanon_of_class_1" - 1000000000 * GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0) % ("kanon_in_table_1" * "kanon_of_class_1")) % ("kanon_in_table_1" * "kanon_of_class_1")
    ) / ("kanon_in_table_1" * "kanon_of_class_1"))) AS BIGINT), 1000000000000000000) AS "worst_2",
      COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_2")
      - 1000000000 * MAX("kanon_in_class_2") % (SUM(CASE WHEN "kanon_rank_2" >= 2 THEN "kanon_in_class_2" END))
    ) / (SUM(CASE WHEN "kanon_rank_2" >= 2 THEN "kanon_in_class_2" END))) AS BIGINT) + 1, 1000000000000000000) AS "worst_3",
      COUNT(DISTINCT "t"."dis'ease") AS "distinct_4"
    FROM (
  SELECT
    r.*,
    CAST("x0".place AS DECIMAL(38, 0)) AS "kanon_cross_place_0",
    CAST("x0".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_0"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)) ORDER BY COALESCE("kanon_in_class_2", 0) DESC) AS "kanon_rank_2",
    SUM("kanon_in_class_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0" ROWS UNBOUNDED PRECEDING) AS "kanon_running_0",
    COALESCE(LEAD("kanon_place_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_in_all_0") AS "kanon_next_place_0",
    COALESCE(LEAD("kanon_sum_before_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_sum_of_all_0") AS "kanon_next_sum_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST("w0".place AS DECIMAL(38, 0)) AS "kanon_place_0",
    CAST("w0".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_0",
    CAST("w0".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_2",
    CAST(
      SUM(CASE WHEN "r"."dis'ease" IS NOT NULL THEN 1 END) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_2"
  FROM "staged'" AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, encode(CAST("t"."ward 🏥" AS VARCHAR))) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND encode(CAST("t"."ward 🏥" AS VARCHAR)) IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "w0"
  ON "r"."ward 🏥" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON "r"."ward 🏥" IS NOT DISTINCT FROM "w1"."value"
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, encode(CAST("t"."ward 🏥" AS VARCHAR))) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND encode(CAST("t"."ward 🏥" AS VARCHAR)) IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "x0"
  ON "x0".rows_up_to - "x0".value_rows <= CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) < "x0".rows_up_to
) AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)),
      encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
"counted_2" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest
  FROM (
    SELECT COUNT(*) AS class_size
    FROM "staged'" AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR))
  ) AS classes
),
-- The columns of the release: how many are missing or unexpected.
matched AS (
  SELECT COUNT(*) + 11 - 2 * COALESCE(SUM(CASE WHEN name IN ('na''me', 's.s.n', 'se"x', 'zip; --', 'age
of 👩_low', 'age
of 👩_high', 'SELECT', 'dis''ease', 'ward 🏥', 'vis.it', '_kanon_entity') THEN 1 ELSE 0 END), 0) AS others
  FROM (
  SELECT column_name AS name
  FROM (DESCRIBE SELECT * FROM "staged'" AS t)
  ) AS n
)
-- How the values of each class are distributed, by themselves or compared with all released rows.
SELECT 1 AS number, CASE WHEN "worst_1" <= 500000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 0.5' AS required,
  CONCAT("worst_1" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'ordered distance of ward 🏥, NULL counted as a value from the released rows in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 2 AS number, CASE WHEN "worst_2" <= 2000000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2' AS required,
  CONCAT("worst_2" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'gain of a value of ward 🏥, NULL counted as a value over its share in the released rows in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 3 AS number, CASE WHEN "worst_3" <= 2250000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2.25' AS required,
  CONCAT("worst_3" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'c of recursive (c, 2)-diversity of dis''ease (NULL not counted) in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- k-anonymity: no class is smaller than k.
SELECT 4 AS number, CASE WHEN "smallest" >= 2 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in every class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 5 AS number, CASE WHEN "distinct_4" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_4" AS VARCHAR) AS found, 'distinct values of dis''ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many classes as were certified.
SELECT 6 AS number, CASE WHEN "classes" = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST("classes" AS VARCHAR) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 7 AS number, CASE WHEN "smallest" >= 4 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in the smallest class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 8 AS number, CASE WHEN "row_count" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("row_count" AS VARCHAR) AS found, 'rows of the release' AS claim FROM "counted_1" AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 9 AS number, CASE WHEN "suppressed" <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST("suppressed" AS VARCHAR) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM "counted_1" AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 10 AS number, CASE WHEN "others" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("others" AS VARCHAR) AS found, 'missing or unexpected columns' AS claim FROM "matched" AS c

) AS c
ORDER BY number

-- postgres
SELECT
  number,
  verdict,
  found
FROM (
WITH
-- The equivalence classes: rows with the same values in all quasi-identifiers. NULL is a value of its own.
"counted_1" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, SUM(class_rows) AS row_count,
    8 - SUM(class_rows) AS suppressed, MAX("worst_1") AS "worst_1", MAX("worst_2") AS "worst_2", MAX("worst_3") AS "worst_3", MIN("distinct_4") AS "distinct_4"
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(*) AS class_size,
      COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))
    ) / ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)))) AS BIGINT), 1000000000) AS "worst_1",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)
      + ("kanon_in_table_1" * "kanon_of_class_1" - 1000000000 * GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0) % ("kanon_in_table_1" * "kanon_of_class_1")) % ("kanon_in_table_1" * "kanon_of_class_1")
    ) / ("kanon_in_table_1" * "kanon_of_class_1"))) AS BIGINT), 1000000000000000000) AS "worst_2",
      COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_2")
      - 1000000000 * MAX("kanon_in_class_2") % (SUM(CASE WHEN "kanon_rank_2" >= 2 THEN "kanon_in_class_2" END))
    ) / (SUM(CASE WHEN "kanon_rank_2" >= 2 THEN "kanon_in_class_2" END))) AS BIGINT) + 1, 1000000000000000000) AS "worst_3",
      COUNT(DISTINCT "t"."dis'ease") AS "distinct_4"
    FROM (
  SELECT
    r.*,
    CAST("x0".place AS DECIMAL(38, 0)) AS "kanon_cross_place_0",
    CAST("x0".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_0"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C") ORDER BY COALESCE("kanon_in_class_2", 0) DESC) AS "kanon_rank_2",
    SUM("kanon_in_class_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0" ROWS UNBOUNDED PRECEDING) AS "kanon_running_0",
    COALESCE(LEAD("kanon_place_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_in_all_0") AS "kanon_next_place_0",
    COALESCE(LEAD("kanon_sum_before_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_sum_of_all_0") AS "kanon_next_sum_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST("w0".place AS DECIMAL(38, 0)) AS "kanon_place_0",
    CAST("w0".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_0",
    CAST("w0".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_2",
    CAST(
      SUM(CASE WHEN "r"."dis'ease" IS NOT NULL THEN 1 END) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_2"
  FROM "staged'" AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, (CAST("t"."ward 🏥" AS TEXT) COLLATE "C")) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND (CAST("t"."ward 🏥" AS TEXT) COLLATE "C") IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "w0"
  ON ARRAY["r"."ward 🏥"] = ARRAY["w0"."value"]
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON ARRAY["r"."ward 🏥"] = ARRAY["w1"."value"]
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, (CAST("t"."ward 🏥" AS TEXT) COLLATE "C")) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND (CAST("t"."ward 🏥" AS TEXT) COLLATE "C") IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "staged'" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "x0"
  ON "x0".rows_up_to - "x0".value_rows <= CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) < "x0".rows_up_to
) AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C"),
      (CAST("t"."SELECT" AS TEXT) COLLATE "C")
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
"counted_2" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest
  FROM (
    SELECT COUNT(*) AS class_size
    FROM "staged'" AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C")
  ) AS classes
),
-- The columns of the release: how many are missing or unexpected.
matched AS (
  SELECT COUNT(*) + 11 - 2 * COALESCE(SUM(CASE WHEN name IN ('na''me', 's.s.n', 'se"x', 'zip; --', 'age
of 👩_low', 'age
of 👩_high', 'SELECT', 'dis''ease', 'ward 🏥', 'vis.it', '_kanon_entity') THEN 1 ELSE 0 END), 0) AS others
  FROM (
  SELECT JSON_OBJECT_KEYS(ROW_TO_JSON(t.*)) AS name
  FROM (SELECT * FROM "staged'" AS r LIMIT 1) AS t
  ) AS n
)
-- How the values of each class are distributed, by themselves or compared with all released rows.
SELECT 1 AS number, CASE WHEN "worst_1" <= 500000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 0.5' AS required,
  CONCAT("worst_1" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'ordered distance of ward 🏥, NULL counted as a value from the released rows in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 2 AS number, CASE WHEN "worst_2" <= 2000000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2' AS required,
  CONCAT("worst_2" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'gain of a value of ward 🏥, NULL counted as a value over its share in the released rows in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 3 AS number, CASE WHEN "worst_3" <= 2250000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2.25' AS required,
  CONCAT("worst_3" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'c of recursive (c, 2)-diversity of dis''ease (NULL not counted) in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- k-anonymity: no class is smaller than k.
SELECT 4 AS number, CASE WHEN "smallest" >= 2 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS TEXT) AS found, 'distinct values of who in every class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 5 AS number, CASE WHEN "distinct_4" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_4" AS TEXT) AS found, 'distinct values of dis''ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many classes as were certified.
SELECT 6 AS number, CASE WHEN "classes" = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST("classes" AS TEXT) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 7 AS number, CASE WHEN "smallest" >= 4 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("smallest" AS TEXT) AS found, 'distinct values of who in the smallest class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 8 AS number, CASE WHEN "row_count" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("row_count" AS TEXT) AS found, 'rows of the release' AS claim FROM "counted_1" AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 9 AS number, CASE WHEN "suppressed" <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST("suppressed" AS TEXT) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM "counted_1" AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 10 AS number, CASE WHEN "others" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("others" AS TEXT) AS found, 'missing or unexpected columns' AS claim FROM "matched" AS c

) AS c
ORDER BY number

-- spark
SELECT
  number,
  verdict,
  found
FROM (
WITH
-- The equivalence classes: rows with the same values in all quasi-identifiers. NULL is a value of its own.
`counted_1` AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, SUM(class_rows) AS row_count,
    8 - SUM(class_rows) AS suppressed, MAX(`worst_1`) AS `worst_1`, MAX(`worst_2`) AS `worst_2`, MAX(`worst_3`) AS `worst_3`, MIN(`distinct_4`) AS `distinct_4`
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(*) AS class_size,
      COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL THEN
        `kanon_running_0` * `kanon_of_table_0` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_0`, `kanon_in_all_0`), `kanon_place_0`), `kanon_next_place_0`) - `kanon_place_0` - `kanon_next_place_0`)
        + `kanon_of_class_0` * (`kanon_sum_before_0` + `kanon_next_sum_0` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_0`, `kanon_sum_of_all_0`), `kanon_sum_before_0`), `kanon_next_sum_0`))
        + CASE WHEN `kanon_running_0` = `kanon_in_class_0` THEN `kanon_of_class_0` * `kanon_sum_before_0` ELSE 0 END
      END)
      + ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)) - 1000000000 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL THEN
        `kanon_running_0` * `kanon_of_table_0` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_0`, `kanon_in_all_0`), `kanon_place_0`), `kanon_next_place_0`) - `kanon_place_0` - `kanon_next_place_0`)
        + `kanon_of_class_0` * (`kanon_sum_before_0` + `kanon_next_sum_0` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_0`, `kanon_sum_of_all_0`), `kanon_sum_before_0`), `kanon_next_sum_0`))
        + CASE WHEN `kanon_running_0` = `kanon_in_class_0` THEN `kanon_of_class_0` * `kanon_sum_before_0` ELSE 0 END
      END) % ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)))) % ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)))
    ) / ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)))) AS BIGINT), 1000000000) AS `worst_1`,
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0)
      + (`kanon_in_table_1` * `kanon_of_class_1` - 1000000000 * GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0) % (`kanon_in_table_1` * `kanon_of_class_1`)) % (`kanon_in_table_1` * `kanon_of_class_1`)
    ) / (`kanon_in_table_1` * `kanon_of_class_1`))) AS BIGINT), 1000000000000000000) AS `worst_2`,
      COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_2`)
      - 1000000000 * MAX(`kanon_in_class_2`) % (SUM(CASE WHEN `kanon_rank_2` >= 2 THEN `kanon_in_class_2` END))
    ) / (SUM(CASE WHEN `kanon_rank_2` >= 2 THEN `kanon_in_class_2` END))) AS BIGINT) + 1, 1000000000000000000) AS `worst_3`,
      COUNT(DISTINCT `t`.`dis'ease`) AS `distinct_4`
    FROM (
  SELECT
    r.*,
    CAST(`x0`.place AS DECIMAL(38, 0)) AS `kanon_cross_place_0`,
    CAST(`x0`.sum_before AS DECIMAL(38, 0)) AS `kanon_cross_sum_0`
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY) ORDER BY COALESCE(`kanon_in_class_2`, 0) DESC) AS `kanon_rank_2`,
    SUM(`kanon_in_class_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0` ROWS UNBOUNDED PRECEDING) AS `kanon_running_0`,
    COALESCE(LEAD(`kanon_place_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0`), `kanon_in_all_0`) AS `kanon_next_place_0`,
    COALESCE(LEAD(`kanon_sum_before_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0`), `kanon_sum_of_all_0`) AS `kanon_next_sum_0`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥` ORDER BY `r`.`ward 🏥`) = 1
          THEN SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(`w0`.place AS DECIMAL(38, 0)) AS `kanon_place_0`,
    CAST(`w0`.sum_before AS DECIMAL(38, 0)) AS `kanon_sum_before_0`,
    CAST(`w0`.sum_of_all AS DECIMAL(38, 0)) AS `kanon_sum_of_all_0`,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥` ORDER BY `r`.`ward 🏥`) = 1
          THEN SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_1`,
    CAST(
      SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_1`,
    CAST(`w1`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_1`,
    CAST(`w1`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_1`,
    `w1`.table_values AS `kanon_in_all_1`,
    CAST(
      CASE
        WHEN `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease` ORDER BY `r`.`dis'ease`) = 1
          THEN SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_2`,
    CAST(
      SUM(CASE WHEN `r`.`dis'ease` IS NOT NULL THEN 1 END) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_2`
  FROM `staged'` AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  `t`.`ward 🏥` AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN `t`.`ward 🏥` IS NULL THEN 0 ELSE 1 END, CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY)) - 1 AS place,
  SUM(CASE WHEN `t`.`ward 🏥` IS NOT NULL AND CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY) IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM `staged'` AS t
GROUP BY `t`.`ward 🏥`
  ) AS v
) AS u
) AS `w0`
  ON `r`.`ward 🏥` IS NOT DISTINCT FROM `w0`.`value`
LEFT JOIN (SELECT
  `t`.`ward 🏥` AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `staged'` AS t
GROUP BY `t`.`ward 🏥`
) AS `w1`
  ON `r`.`ward 🏥` IS NOT DISTINCT FROM `w1`.`value`
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  `t`.`ward 🏥` AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN `t`.`ward 🏥` IS NULL THEN 0 ELSE 1 END, CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY)) - 1 AS place,
  SUM(CASE WHEN `t`.`ward 🏥` IS NOT NULL AND CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY) IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM `staged'` AS t
GROUP BY `t`.`ward 🏥`
  ) AS v
) AS u
) AS `x0`
  ON `x0`.rows_up_to - `x0`.value_rows <= CAST(ROUND((r.`kanon_running_0` * r.`kanon_of_table_0` - (r.`kanon_running_0` * r.`kanon_of_table_0`) % r.`kanon_of_class_0`) / r.`kanon_of_class_0`) AS DECIMAL(38, 0)) AND CAST(ROUND((r.`kanon_running_0` * r.`kanon_of_table_0` - (r.`kanon_running_0` * r.`kanon_of_table_0`) % r.`kanon_of_class_0`) / r.`kanon_of_class_0`) AS DECIMAL(38, 0)) < `x0`.rows_up_to
) AS t
    GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY),
      CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
`counted_2` AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest
  FROM (
    SELECT COUNT(*) AS class_size
    FROM `staged'` AS t
    GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY)
  ) AS classes
),
-- The columns of the release: how many are missing or unexpected.
matched AS (
  SELECT COUNT(*) + 11 - 2 * COALESCE(SUM(CASE WHEN name IN ('na\'me', 's.s.n', 'se"x', 'zip; --', 'age\nof 👩_low', 'age\nof 👩_high', 'SELECT', 'dis\'ease', 'ward 🏥', 'vis.it', '_kanon_entity') THEN 1 ELSE 0 END), 0) AS others
  FROM (
  SELECT EXPLODE(JSON_OBJECT_KEYS(TO_JSON(STRUCT(t.*), MAP('ignoreNullFields', 'false')))) AS name
  FROM (SELECT * FROM `staged'` AS r LIMIT 1) AS t
  ) AS n
)
-- How the values of each class are distributed, by themselves or compared with all released rows.
SELECT 1 AS number, CASE WHEN `worst_1` <= 500000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 0.5' AS required,
  CONCAT(`worst_1` * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'ordered distance of ward 🏥, NULL counted as a value from the released rows in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
SELECT 2 AS number, CASE WHEN `worst_2` <= 2000000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2' AS required,
  CONCAT(`worst_2` * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'gain of a value of ward 🏥, NULL counted as a value over its share in the released rows in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
SELECT 3 AS number, CASE WHEN `worst_3` <= 2250000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 2.25' AS required,
  CONCAT(`worst_3` * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'c of recursive (c, 2)-diversity of dis\'ease (NULL not counted) in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- k-anonymity: no class is smaller than k.
SELECT 4 AS number, CASE WHEN `smallest` >= 2 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST(`smallest` AS STRING) AS found, 'distinct values of who in every class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM `counted_1` AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 5 AS number, CASE WHEN `distinct_4` >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST(`distinct_4` AS STRING) AS found, 'distinct values of dis\'ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- There are as many classes as were certified.
SELECT 6 AS number, CASE WHEN `classes` = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST(`classes` AS STRING) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 7 AS number, CASE WHEN `smallest` >= 4 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST(`smallest` AS STRING) AS found, 'distinct values of who in the smallest class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM `counted_1` AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 8 AS number, CASE WHEN `row_count` = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST(`row_count` AS STRING) AS found, 'rows of the release' AS claim FROM `counted_1` AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 9 AS number, CASE WHEN `suppressed` <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST(`suppressed` AS STRING) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM `counted_1` AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 10 AS number, CASE WHEN `others` = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST(`others` AS STRING) AS found, 'missing or unexpected columns' AS claim FROM `matched` AS c

) AS c
ORDER BY number
