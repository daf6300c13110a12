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
    8 - SUM(class_rows) AS suppressed,
    SUM(CASE WHEN class_size < 2 THEN class_rows ELSE 0 END) AS "unique_rows",
    SUM(CASE WHEN class_size < 5 THEN class_rows ELSE 0 END) AS "rows_above", MIN("distinct_1") AS "distinct_1"
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(DISTINCT "t"."_kanon_entity") AS class_size,
      COUNT(DISTINCT "t"."dis'ease") AS "distinct_1"
    FROM "staged'" AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)),
      encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
"counted_2" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, MIN("distinct_1") AS "distinct_1"
  FROM (
    SELECT COUNT(DISTINCT "t"."_kanon_entity") AS class_size,
      COUNT(DISTINCT "t"."ward 🏥")
    + MAX(CASE WHEN "t"."ward 🏥" IS NULL THEN 1 ELSE 0 END) AS "distinct_1"
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
-- k-anonymity: no class is smaller than k.
SELECT 1 AS number, CASE WHEN "smallest" >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 2 AS number, CASE WHEN "distinct_1" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_1" AS VARCHAR) AS found, 'distinct values of dis''ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many classes as were certified.
SELECT 3 AS number, CASE WHEN "classes" = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST("classes" AS VARCHAR) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 4 AS number, CASE WHEN "smallest" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in the smallest class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 5 AS number, CASE WHEN "smallest" >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS VARCHAR) AS found, 'distinct values of who in every class over se"x, zip; --' AS claim FROM "counted_2" AS c UNION ALL
SELECT 6 AS number, CASE WHEN "distinct_1" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_1" AS VARCHAR) AS found, 'distinct values of ward 🏥, NULL counted as a value, in every class over se"x, zip; --' AS claim FROM "counted_2" AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 7 AS number, CASE WHEN "row_count" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("row_count" AS VARCHAR) AS found, 'rows of the release' AS claim FROM "counted_1" AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 8 AS number, CASE WHEN "suppressed" <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST("suppressed" AS VARCHAR) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM "counted_1" AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 9 AS number, CASE WHEN "others" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("others" AS VARCHAR) AS found, 'missing or unexpected columns' AS claim FROM "matched" AS c UNION ALL
-- As many rows are alone in their class as were certified.
SELECT 10 AS number, CASE WHEN "unique_rows" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("unique_rows" AS VARCHAR) AS found, 'unique rows over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- As many rows are in classes so small that their re-identification risk, 1 / size, is above a threshold.
SELECT 11 AS number, CASE WHEN "rows_above" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("rows_above" AS VARCHAR) AS found, 'rows of a re-identification risk above 0.2, in classes smaller than 5, over all quasi-identifiers' AS claim FROM "counted_1" AS c

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
    8 - SUM(class_rows) AS suppressed,
    SUM(CASE WHEN class_size < 2 THEN class_rows ELSE 0 END) AS "unique_rows",
    SUM(CASE WHEN class_size < 5 THEN class_rows ELSE 0 END) AS "rows_above", MIN("distinct_1") AS "distinct_1"
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(DISTINCT "t"."_kanon_entity") AS class_size,
      COUNT(DISTINCT "t"."dis'ease") AS "distinct_1"
    FROM "staged'" AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C"),
      (CAST("t"."SELECT" AS TEXT) COLLATE "C")
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
"counted_2" AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, MIN("distinct_1") AS "distinct_1"
  FROM (
    SELECT COUNT(DISTINCT "t"."_kanon_entity") AS class_size,
      COUNT(DISTINCT "t"."ward 🏥")
    + MAX(CASE WHEN "t"."ward 🏥" IS NULL THEN 1 ELSE 0 END) AS "distinct_1"
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
-- k-anonymity: no class is smaller than k.
SELECT 1 AS number, CASE WHEN "smallest" >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS TEXT) AS found, 'distinct values of who in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 2 AS number, CASE WHEN "distinct_1" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_1" AS TEXT) AS found, 'distinct values of dis''ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- There are as many classes as were certified.
SELECT 3 AS number, CASE WHEN "classes" = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST("classes" AS TEXT) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 4 AS number, CASE WHEN "smallest" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("smallest" AS TEXT) AS found, 'distinct values of who in the smallest class over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
SELECT 5 AS number, CASE WHEN "smallest" >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST("smallest" AS TEXT) AS found, 'distinct values of who in every class over se"x, zip; --' AS claim FROM "counted_2" AS c UNION ALL
SELECT 6 AS number, CASE WHEN "distinct_1" >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST("distinct_1" AS TEXT) AS found, 'distinct values of ward 🏥, NULL counted as a value, in every class over se"x, zip; --' AS claim FROM "counted_2" AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 7 AS number, CASE WHEN "row_count" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("row_count" AS TEXT) AS found, 'rows of the release' AS claim FROM "counted_1" AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 8 AS number, CASE WHEN "suppressed" <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST("suppressed" AS TEXT) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM "counted_1" AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 9 AS number, CASE WHEN "others" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("others" AS TEXT) AS found, 'missing or unexpected columns' AS claim FROM "matched" AS c UNION ALL
-- As many rows are alone in their class as were certified.
SELECT 10 AS number, CASE WHEN "unique_rows" = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST("unique_rows" AS TEXT) AS found, 'unique rows over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- As many rows are in classes so small that their re-identification risk, 1 / size, is above a threshold.
SELECT 11 AS number, CASE WHEN "rows_above" = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST("rows_above" AS TEXT) AS found, 'rows of a re-identification risk above 0.2, in classes smaller than 5, over all quasi-identifiers' AS claim FROM "counted_1" AS c

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
    8 - SUM(class_rows) AS suppressed,
    SUM(CASE WHEN class_size < 2 THEN class_rows ELSE 0 END) AS `unique_rows`,
    SUM(CASE WHEN class_size < 5 THEN class_rows ELSE 0 END) AS `rows_above`, MIN(`distinct_1`) AS `distinct_1`
  FROM (
    SELECT COUNT(*) AS class_rows, COUNT(DISTINCT `t`.`_kanon_entity`) AS class_size,
      COUNT(DISTINCT `t`.`dis'ease`) AS `distinct_1`
    FROM `staged'` AS t
    GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY),
      CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
  ) AS classes
),
-- The classes of a reader who knows only these quasi-identifiers, and so on for each set of them.
`counted_2` AS (
  SELECT COUNT(*) AS classes, MIN(class_size) AS smallest, MIN(`distinct_1`) AS `distinct_1`
  FROM (
    SELECT COUNT(DISTINCT `t`.`_kanon_entity`) AS class_size,
      COUNT(DISTINCT `t`.`ward 🏥`)
    + MAX(CASE WHEN `t`.`ward 🏥` IS NULL THEN 1 ELSE 0 END) AS `distinct_1`
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
-- k-anonymity: no class is smaller than k.
SELECT 1 AS number, CASE WHEN `smallest` >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST(`smallest` AS STRING) AS found, 'distinct values of who in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- Distinct l-diversity: no class has fewer distinct values of a sensitive attribute than l.
SELECT 2 AS number, CASE WHEN `distinct_1` >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST(`distinct_1` AS STRING) AS found, 'distinct values of dis\'ease, NULL not counted, in every class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- There are as many classes as were certified.
SELECT 3 AS number, CASE WHEN `classes` = 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 1' AS required,
  CAST(`classes` AS STRING) AS found, 'equivalence classes over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- The smallest class is as large as was certified.
SELECT 4 AS number, CASE WHEN `smallest` = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST(`smallest` AS STRING) AS found, 'distinct values of who in the smallest class over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
SELECT 5 AS number, CASE WHEN `smallest` >= 2 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 2' AS required,
  CAST(`smallest` AS STRING) AS found, 'distinct values of who in every class over se"x, zip; --' AS claim FROM `counted_2` AS c UNION ALL
SELECT 6 AS number, CASE WHEN `distinct_1` >= 1 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at least 1' AS required,
  CAST(`distinct_1` AS STRING) AS found, 'distinct values of ward 🏥, NULL counted as a value, in every class over se"x, zip; --' AS claim FROM `counted_2` AS c UNION ALL
-- There are as many rows as the plan releases.
SELECT 7 AS number, CASE WHEN `row_count` = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST(`row_count` AS STRING) AS found, 'rows of the release' AS claim FROM `counted_1` AS c UNION ALL
-- No more rows were suppressed than the policy allows. How many rows the source had is stated by the plan alone.
SELECT 8 AS number, CASE WHEN `suppressed` <= 5 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'at most 5' AS required,
  CAST(`suppressed` AS STRING) AS found, 'suppressed rows of the 8 source rows that the plan counted' AS claim FROM `counted_1` AS c UNION ALL
-- The columns are exactly those that were certified.
SELECT 9 AS number, CASE WHEN `others` = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST(`others` AS STRING) AS found, 'missing or unexpected columns' AS claim FROM `matched` AS c UNION ALL
-- As many rows are alone in their class as were certified.
SELECT 10 AS number, CASE WHEN `unique_rows` = 0 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 0' AS required,
  CAST(`unique_rows` AS STRING) AS found, 'unique rows over all quasi-identifiers' AS claim FROM `counted_1` AS c UNION ALL
-- As many rows are in classes so small that their re-identification risk, 1 / size, is above a threshold.
SELECT 11 AS number, CASE WHEN `rows_above` = 4 THEN 'PASS' ELSE 'FAIL' END AS verdict, 'exactly 4' AS required,
  CAST(`rows_above` AS STRING) AS found, 'rows of a re-identification risk above 0.2, in classes smaller than 5, over all quasi-identifiers' AS claim FROM `counted_1` AS c

) AS c
ORDER BY number
