-- store_verdicts
CREATE TEMP TABLE "kanon_claims" AS
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
),
-- The rows themselves, in whatever order: the hash of the hashes of all rows.
sealed AS (
SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(STRING_SPLIT(STRING_AGG("heap_hash", ','), ','), 'ASC', 'NULLS LAST'), ','), '')) AS seal FROM (
  SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(STRING_SPLIT(STRING_AGG("entry", ','), ','), 'ASC', 'NULLS LAST'), ','), '')) AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT sha256("row_text") AS row_hash FROM (
  SELECT
    CONCAT(
      COALESCE(STRLEN(CAST("s"."na'me" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."na'me" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."s.s.n" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."s.s.n" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."se""x" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."zip; --" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."age
of 👩_low" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."age
of 👩_low" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."age
of 👩_high" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."age
of 👩_high" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."SELECT" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."SELECT" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."dis'ease" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."dis'ease" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."ward 🏥" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."ward 🏥" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."vis.it" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."vis.it" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."_kanon_entity" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."_kanon_entity" AS VARCHAR), ''), ','
    ) AS "row_text"
  FROM "staged'" AS s
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
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
  CAST("rows_above" AS VARCHAR) AS found, 'rows of a re-identification risk above 0.2, in classes smaller than 5, over all quasi-identifiers' AS claim FROM "counted_1" AS c UNION ALL
-- The rows are those that were certified, to the last cell.
SELECT 12 AS number, CASE WHEN seal = '90dfb2ef096d602aa469ee93d09760623fb2757fe425c05715f3f7b08a992697' THEN 'PASS' ELSE 'FAIL' END AS verdict, 'the same' AS required,
  SUBSTR(seal, 1, 16) AS found, 'hash of all rows' AS claim FROM sealed AS c
