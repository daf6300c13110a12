-- duckdb
SELECT
  0 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST("s"."age
of 👩" AS DOUBLE) AS measure
  FROM "the source; DROP TABLE x" AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  1 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CASE WHEN CASE WHEN regexp_full_match(CAST("s"."ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DOUBLE) END AS measure
  FROM "the source; DROP TABLE x" AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  2 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST(DATE_DIFF('day', DATE '1970-01-01', "day") AS DOUBLE) AS measure
  FROM (
    SELECT CASE WHEN regexp_full_match(CAST("s"."vis.it" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."vis.it" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
    FROM "the source; DROP TABLE x" AS s
  ) AS d
) AS m
WHERE ABS(measure) < 1000000000000000
ORDER BY number

-- postgres
SELECT
  0 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST("s"."age
of 👩" AS DOUBLE PRECISION) AS measure
  FROM "the source; DROP TABLE x" AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  1 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CASE WHEN CASE WHEN CASE WHEN CAST("s"."ward 🏥" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("s"."ward 🏥" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("s"."ward 🏥" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1) END IS NOT NULL THEN CAST(CAST("s"."ward 🏥" AS TEXT) AS DOUBLE PRECISION) END AS measure
  FROM "the source; DROP TABLE x" AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  2 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST(("day" - DATE '1970-01-01') AS DOUBLE PRECISION) AS measure
  FROM (
    SELECT CASE WHEN CAST("s"."vis.it" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."vis.it" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END AS day
    FROM "the source; DROP TABLE x" AS s
  ) AS d
) AS m
WHERE ABS(measure) < 1000000000000000
ORDER BY number

-- spark
SELECT
  0 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS `share_0`,
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS `share_1`,
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS `share_2`,
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS `share_3`,
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS `share_4`
FROM (
  SELECT CAST(`s`.`age
of 👩` AS DOUBLE) AS measure
  FROM `the source; DROP TABLE x` AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  1 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS `share_0`,
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS `share_1`,
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS `share_2`,
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS `share_3`,
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS `share_4`
FROM (
  SELECT CASE WHEN CASE WHEN REGEXP_EXTRACT(CAST(`s`.`ward 🏥` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`s`.`ward 🏥` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`s`.`ward 🏥` AS STRING) AS DECIMAL(30, 15)) * 1) AS DECIMAL(38, 0)) END IS NOT NULL THEN CAST(CAST(`s`.`ward 🏥` AS STRING) AS DOUBLE) END AS measure
  FROM `the source; DROP TABLE x` AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  2 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS `share_0`,
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS `share_1`,
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS `share_2`,
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS `share_3`,
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS `share_4`
FROM (
  SELECT CAST(DATEDIFF(`day`, DATE '1970-01-01') AS DOUBLE) AS measure
  FROM (
    SELECT CASE WHEN REGEXP_EXTRACT(CAST(`s`.`vis.it` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`s`.`vis.it` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`s`.`vis.it` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`s`.`vis.it` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
    FROM `the source; DROP TABLE x` AS s
  ) AS d
) AS m
WHERE ABS(measure) < 1000000000000000
ORDER BY number
