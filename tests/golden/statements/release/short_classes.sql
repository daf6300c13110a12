-- duckdb
CREATE TEMP TABLE "short'classes" AS
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5"
FROM (
  SELECT
    encode(CAST("se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("SELECT" AS VARCHAR)) AS "key_5",
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS c
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

-- postgres
CREATE TEMP TABLE "short'classes" AS
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5"
FROM (
  SELECT
    (CAST("se""x" AS TEXT) COLLATE "C") AS "key_1",
    (CAST("zip; --" AS TEXT) COLLATE "C") AS "key_2",
    (CAST("age
of 👩_low" AS TEXT) COLLATE "C") AS "key_3",
    (CAST("age
of 👩_high" AS TEXT) COLLATE "C") AS "key_4",
    (CAST("SELECT" AS TEXT) COLLATE "C") AS "key_5",
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS c
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

-- spark
CREATE TEMP VIEW `short'classes` AS
SELECT
  `key_1`,
  `key_2`,
  `key_3`,
  `key_4`,
  `key_5`
FROM (
  SELECT
    CAST(CAST(`se"x` AS STRING) AS BINARY) AS `key_1`,
    CAST(CAST(`zip; --` AS STRING) AS BINARY) AS `key_2`,
    CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY) AS `key_3`,
    CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY) AS `key_4`,
    CAST(CAST(`SELECT` AS STRING) AS BINARY) AS `key_5`,
    COUNT(*) AS `class_size`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS c
WHERE CASE WHEN `class_size` >= 2 THEN 0 ELSE 1 END = 1
