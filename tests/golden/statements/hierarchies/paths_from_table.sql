-- duckdb
CREATE TEMP TABLE "copied" AS
SELECT DISTINCT
  decode(encode(CAST("SELECT" AS VARCHAR))) AS value,
  decode(encode(CAST("ward 🏥" AS VARCHAR))) AS "level_1",
  decode(encode(CAST("se""x" AS VARCHAR))) AS "level_2"
FROM "from table" AS o

-- postgres
CREATE TEMP TABLE "copied" AS
SELECT DISTINCT
  (CAST("SELECT" AS TEXT) COLLATE "default") AS value,
  (CAST("ward 🏥" AS TEXT) COLLATE "default") AS "level_1",
  (CAST("se""x" AS TEXT) COLLATE "default") AS "level_2"
FROM "from table" AS o

-- spark
CREATE TEMP VIEW `copied` AS
SELECT DISTINCT
  (CAST(`SELECT` AS STRING) COLLATE UTF8_BINARY) AS value,
  (CAST(`ward 🏥` AS STRING) COLLATE UTF8_BINARY) AS `level_1`,
  (CAST(`se"x` AS STRING) COLLATE UTF8_BINARY) AS `level_2`
FROM `from table` AS o
