-- duckdb
SELECT
  class_size,
  row_count AS class_rows,
  COUNT(*) AS classes
FROM (
  SELECT
    COUNT(*) AS row_count,
    COUNT(*) AS class_size
  FROM (
    SELECT
HASH(encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))) AS part_0,
HASH(encode(CAST("t"."SELECT" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."se""x" AS VARCHAR))) AS part_1
    FROM "the source; DROP TABLE x" AS t
  ) AS h
  GROUP BY part_0, part_1
) AS c
GROUP BY class_size, row_count
ORDER BY class_size, class_rows

-- postgres
SELECT
  class_size,
  row_count AS class_rows,
  COUNT(*) AS classes
FROM (
SELECT
  (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "part_0",
  (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "part_1",
  (CAST("t"."age
of 👩" AS TEXT) COLLATE "C") AS "part_2",
  (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "part_3",
  COUNT(*) AS row_count,
  COUNT(*) AS class_size
FROM "the source; DROP TABLE x" AS t
GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩" AS TEXT) COLLATE "C"), (CAST("t"."SELECT" AS TEXT) COLLATE "C")
) AS c
GROUP BY class_size, row_count
ORDER BY class_size, class_rows

-- spark
SELECT
  class_size,
  row_count AS class_rows,
  COUNT(*) AS classes
FROM (
SELECT
  CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `part_0`,
  CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `part_1`,
  CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY) AS `part_2`,
  CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `part_3`,
  COUNT(*) AS row_count,
  COUNT(*) AS class_size
FROM `the source; DROP TABLE x` AS t
GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY), CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
) AS c
GROUP BY class_size, row_count
ORDER BY class_size, class_rows
