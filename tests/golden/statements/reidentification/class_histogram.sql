-- duckdb
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5",
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("t"."SELECT" AS VARCHAR)) AS "key_5"
  FROM "staged'" AS t
) AS p
GROUP BY "key_1", "key_2", "key_3", "key_4", "key_5"
) AS c
GROUP BY class_size
ORDER BY class_size

-- postgres
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5",
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "key_1",
    (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "key_2",
    (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "key_3",
    (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "key_4",
    (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "key_5"
  FROM "staged'" AS t
) AS p
GROUP BY "key_1", "key_2", "key_3", "key_4", "key_5"
) AS c
GROUP BY class_size
ORDER BY class_size

-- spark
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
SELECT
  `key_1`,
  `key_2`,
  `key_3`,
  `key_4`,
  `key_5`,
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `key_1`,
    CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `key_2`,
    CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `key_3`,
    CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `key_4`,
    CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `key_5`
  FROM `staged'` AS t
) AS p
GROUP BY `key_1`, `key_2`, `key_3`, `key_4`, `key_5`
) AS c
GROUP BY class_size
ORDER BY class_size
