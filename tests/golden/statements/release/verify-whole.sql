-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "average_risk",
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "sample_uniqueness",
  CASE WHEN COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 500000000 AND COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 0 THEN COALESCE(SUM(CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END), 0) ELSE COUNT(*) END AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "average_risk",
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS "sample_uniqueness",
  CASE WHEN COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 500000000 AND COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 0 THEN COALESCE(SUM(CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END), 0) ELSE COUNT(*) END AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS `average_risk`,
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) AS `sample_uniqueness`,
  CASE WHEN COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 500000000 AND COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0))
      + (SUM(class_rows) - 1000000000 * CAST(SUM(CASE WHEN class_rows = 1 THEN 1 ELSE 0 END) AS DECIMAL(38, 0)) % (SUM(class_rows))) % (SUM(class_rows))
    ) / (SUM(class_rows))) AS BIGINT), 0) <= 0 THEN COALESCE(SUM(CASE WHEN `class_size` >= 2 THEN 0 ELSE 1 END), 0) ELSE COUNT(*) END AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS `class_size`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
