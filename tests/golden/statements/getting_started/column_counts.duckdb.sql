-- column_counts
SELECT
  0 AS number,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL THEN row_count END), 0) AS present,
  COUNT(label) AS label_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL AND row_count = 1 THEN 1 ELSE 0 END), 0) AS unique_rows,
  0 AS padded,
  COUNT(label) AS trimmed_count,
  COUNT(label) AS folded_count,
  0 AS digits,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL THEN row_count ELSE 0 END), 0) AS numbers,
  COALESCE(SUM(CASE WHEN measure <> FLOOR(measure) THEN row_count ELSE 0 END), 0) AS fractions,
  COALESCE(SUM(CASE WHEN is_day = 1 THEN row_count ELSE 0 END), 0) AS dates,
  COALESCE(SUM(CASE WHEN is_day = 1 AND LENGTH(plain) > 10 AND plain NOT LIKE '%00:00:00%' THEN row_count ELSE 0 END), 0) AS clocks,
  COALESCE(MIN(LENGTH(plain)), 0) AS shortest,
  COALESCE(MAX(LENGTH(plain)), 0) AS longest,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL AND NOT ABS(measure) < 1000000000000000 THEN row_count ELSE 0 END), 0) AS unbounded, COALESCE(SUM(CASE WHEN ABS(measure) >= 1000000000000000 AND ABS(measure) < 1e300 THEN row_count ELSE 0 END), 0) AS huge
FROM (
  SELECT
    label,
    row_count,
    label AS plain,
    CAST("label" AS DOUBLE) AS measure,
    0 AS is_day
  FROM (
    SELECT CAST("s"."age
of 👩" AS VARCHAR) AS label, COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    GROUP BY CAST("s"."age
of 👩" AS VARCHAR)
  ) AS v
) AS m
UNION ALL
SELECT
  1 AS number,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL THEN row_count END), 0) AS present,
  COUNT(label) AS label_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL AND row_count = 1 THEN 1 ELSE 0 END), 0) AS unique_rows,
  COALESCE(SUM(CASE WHEN label <> plain THEN row_count ELSE 0 END), 0) AS padded,
  COUNT(DISTINCT plain) AS trimmed_count,
  COUNT(DISTINCT UPPER(plain)) AS folded_count,
  COALESCE(SUM(CASE WHEN plain <> '' AND UPPER(plain) = LOWER(plain) AND TRANSLATE(plain, '0123456789', '') = '' THEN row_count ELSE 0 END), 0) AS digits,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL THEN row_count ELSE 0 END), 0) AS numbers,
  COALESCE(SUM(CASE WHEN measure <> FLOOR(measure) THEN row_count ELSE 0 END), 0) AS fractions,
  COALESCE(SUM(CASE WHEN is_day = 1 THEN row_count ELSE 0 END), 0) AS dates,
  COALESCE(SUM(CASE WHEN is_day = 1 AND LENGTH(plain) > 10 AND plain NOT LIKE '%00:00:00%' THEN row_count ELSE 0 END), 0) AS clocks,
  COALESCE(MIN(LENGTH(plain)), 0) AS shortest,
  COALESCE(MAX(LENGTH(plain)), 0) AS longest,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL AND NOT ABS(measure) < 1000000000000000 THEN row_count ELSE 0 END), 0) AS unbounded, COALESCE(SUM(CASE WHEN ABS(measure) >= 1000000000000000 AND ABS(measure) < 1e300 THEN row_count ELSE 0 END), 0) AS huge
FROM (
  SELECT
    label,
    row_count,
    TRIM(label) AS plain,
    CASE WHEN CASE WHEN regexp_full_match(CAST("label" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("label" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("label" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("label" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN CAST("label" AS DOUBLE) END AS measure,
    CASE WHEN CASE WHEN regexp_full_match(CAST("label" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("label" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("label" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END IS NOT NULL THEN 1 ELSE 0 END AS is_day
  FROM (
    SELECT CAST("s"."ward 🏥" AS VARCHAR) AS label, COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    GROUP BY CAST("s"."ward 🏥" AS VARCHAR)
  ) AS v
) AS m
UNION ALL
SELECT
  2 AS number,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL THEN row_count END), 0) AS present,
  COUNT(label) AS label_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL AND row_count = 1 THEN 1 ELSE 0 END), 0) AS unique_rows,
  0 AS padded,
  COUNT(label) AS trimmed_count,
  COUNT(label) AS folded_count,
  0 AS digits,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL THEN row_count ELSE 0 END), 0) AS numbers,
  COALESCE(SUM(CASE WHEN measure <> FLOOR(measure) THEN row_count ELSE 0 END), 0) AS fractions,
  COALESCE(SUM(CASE WHEN is_day = 1 THEN row_count ELSE 0 END), 0) AS dates,
  COALESCE(SUM(CASE WHEN is_day = 1 AND LENGTH(plain) > 10 AND plain NOT LIKE '%00:00:00%' THEN row_count ELSE 0 END), 0) AS clocks,
  COALESCE(MIN(LENGTH(plain)), 0) AS shortest,
  COALESCE(MAX(LENGTH(plain)), 0) AS longest,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL AND NOT ABS(measure) < 1000000000000000 THEN row_count ELSE 0 END), 0) AS unbounded, COALESCE(SUM(CASE WHEN ABS(measure) >= 1000000000000000 AND ABS(measure) < 1e300 THEN row_count ELSE 0 END), 0) AS huge
FROM (
  SELECT
    label,
    row_count,
    label AS plain,
    CAST(NULL AS INTEGER) AS measure,
    CASE WHEN label IS NOT NULL THEN 1 ELSE 0 END AS is_day
  FROM (
    SELECT CAST("s"."vis.it" AS VARCHAR) AS label, COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    GROUP BY CAST("s"."vis.it" AS VARCHAR)
  ) AS v
) AS m
UNION ALL
SELECT
  3 AS number,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL THEN row_count END), 0) AS present,
  COUNT(label) AS label_count,
  COALESCE(SUM(CASE WHEN label IS NOT NULL AND row_count = 1 THEN 1 ELSE 0 END), 0) AS unique_rows,
  0 AS padded,
  COUNT(label) AS trimmed_count,
  COUNT(label) AS folded_count,
  0 AS digits,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL THEN row_count ELSE 0 END), 0) AS numbers,
  COALESCE(SUM(CASE WHEN measure <> FLOOR(measure) THEN row_count ELSE 0 END), 0) AS fractions,
  COALESCE(SUM(CASE WHEN is_day = 1 THEN row_count ELSE 0 END), 0) AS dates,
  COALESCE(SUM(CASE WHEN is_day = 1 AND LENGTH(plain) > 10 AND plain NOT LIKE '%00:00:00%' THEN row_count ELSE 0 END), 0) AS clocks,
  COALESCE(MIN(LENGTH(plain)), 0) AS shortest,
  COALESCE(MAX(LENGTH(plain)), 0) AS longest,
  COALESCE(SUM(CASE WHEN measure IS NOT NULL AND NOT ABS(measure) < 1000000000000000 THEN row_count ELSE 0 END), 0) AS unbounded, COALESCE(SUM(CASE WHEN ABS(measure) >= 1000000000000000 AND ABS(measure) < 1e300 THEN row_count ELSE 0 END), 0) AS huge
FROM (
  SELECT
    label,
    row_count,
    label AS plain,
    CAST(NULL AS INTEGER) AS measure,
    0 AS is_day
  FROM (
    SELECT CAST("s"."se""x" AS VARCHAR) AS label, COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    GROUP BY CAST("s"."se""x" AS VARCHAR)
  ) AS v
) AS m
UNION ALL
SELECT
  4 AS number,
  COUNT(*) AS row_count,
  COUNT("s"."na'me") AS present,
  0 AS label_count,
  0 AS unique_rows,
  0 AS padded,
  0 AS trimmed_count,
  0 AS folded_count,
  0 AS digits,
  0 AS numbers,
  0 AS fractions,
  0 AS dates,
  0 AS clocks,
  0 AS shortest,
  0 AS longest,
  0 AS unbounded, 0 AS huge
FROM "the source; DROP TABLE x" AS s
ORDER BY number
