-- duckdb
SELECT
  class_rows,
  COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS class_rows
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS c
GROUP BY class_rows

-- postgres
SELECT
  class_rows,
  COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS class_rows
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS c
GROUP BY class_rows

-- spark
SELECT
  class_rows,
  COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS class_rows
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS c
GROUP BY class_rows
