-- claims-whole
SELECT
  number,
  verdict,
  found
FROM (
WITH
-- The equivalence classes: rows with the same values in all quasi-identifiers. NULL is a value of its own.
"counted_1" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, SUM(class_rows) AS row_count,
    8 - SUM(class_rows) AS suppressed, MIN("distinct_3") AS "distinct_3",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "share_1",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "share_2"
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(*) AS class_size,
      COUNT(DISTINCT "t"."dis'ease") AS "distinct_3"
    FROM "staged'" AS t
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
-- How many classes or unique rows there are, for each row of the release.
SELECT 1 AS number, CASE WHEN "share_1" <= 1000000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 1' AS required,
  CONCAT("share_1" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'classes per row of the release, over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 2 AS number, CASE WHEN "share_2" <= 250000000 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 0.25' AS required,
  CONCAT("share_2" * CAST(0.000000001 AS DECIMAL(10, 9)), '') AS found, 'unique rows per row of the release, over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- k-anonymity: no class is smaller than k.
SELECT 3 AS number, CASE WHEN "smallest" >= 2 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in every class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 4 AS number, CASE WHEN "distinct_3" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_3" AS VARCHAR) AS found, 'distinct values of dis''ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many classes as were certified.
SELECT 5 AS number, CASE WHEN "classes" = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST("classes" AS VARCHAR) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 6 AS number, CASE WHEN "smallest" >= 4 THEN 'UNCHECKED' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in the smallest class over all quasi-identifiers; who is not released: rows are counted instead, and are no fewer' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 7 AS number, CASE WHEN "row_count" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("row_count" AS VARCHAR) AS found, 'rows of the release' AS claim FROM "counted_1" AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 8 AS number, CASE WHEN "suppressed" <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST("suppressed" AS VARCHAR) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM "counted_1" AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 9 AS number, CASE WHEN "others" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("others" AS VARCHAR) AS found, 'missing or unexpected columns' AS claim FROM "matched" AS c

) AS c
ORDER BY number
