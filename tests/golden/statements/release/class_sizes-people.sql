-- duckdb
SELECT
  band,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    class_rows,
    CASE
      WHEN class_size < 2 THEN 0
      WHEN class_size < 4 THEN 1
      ELSE 2
    END AS band
  FROM (
    SELECT
      COUNT(*) AS class_rows,
      COUNT(DISTINCT "t"."_kanon_entity") AS class_size
    FROM "staged'" AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS c
) AS b
GROUP BY band
ORDER BY band

-- postgres
SELECT
  band,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    class_rows,
    CASE
      WHEN class_size < 2 THEN 0
      WHEN class_size < 4 THEN 1
      ELSE 2
    END AS band
  FROM (
    SELECT
      COUNT(*) AS class_rows,
      COUNT(DISTINCT "t"."_kanon_entity") AS class_size
    FROM "staged'" AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("t"."SELECT" AS TEXT) COLLATE "C")
  ) AS c
) AS b
GROUP BY band
ORDER BY band

-- spark
SELECT
  band,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    class_rows,
    CASE
      WHEN class_size < 2 THEN 0
      WHEN class_size < 4 THEN 1
      ELSE 2
    END AS band
  FROM (
    SELECT
      COUNT(*) AS class_rows,
      COUNT(DISTINCT `t`.`_kanon_entity`) AS class_size
    FROM `staged'` AS t
    GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
  ) AS c
) AS b
GROUP BY band
ORDER BY band
