-- duckdb
CREATE TEMP TABLE "report'ed values" AS
SELECT
  "part_0",
  "part_1",
  "part_2",
  "part_3",
  "part_4",
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "part_0",
    decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "part_1",
    decode(encode(CAST("t"."age
of 👩" AS VARCHAR))) AS "part_2",
    decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "part_3",
    decode(encode(CAST("t"."SELECT" AS VARCHAR))) AS "part_4",
    decode(encode(CAST("t"."dis'ease" AS VARCHAR))) AS value
  FROM "the source; DROP TABLE x" AS t
) AS v
WHERE value IS NOT NULL
GROUP BY "part_0", "part_1", "part_2", "part_3", "part_4", value

-- postgres
CREATE TEMP TABLE "report'ed values" AS
SELECT
  "part_0",
  "part_1",
  "part_2",
  "part_3",
  "part_4",
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "part_0",
    (CAST("t"."zip; --" AS TEXT) COLLATE "default") AS "part_1",
    (CAST("t"."age
of 👩" AS TEXT) COLLATE "default") AS "part_2",
    (CAST("t"."zip; --" AS TEXT) COLLATE "default") AS "part_3",
    (CAST("t"."SELECT" AS TEXT) COLLATE "default") AS "part_4",
    (CAST("t"."dis'ease" AS TEXT) COLLATE "default") AS value
  FROM "the source; DROP TABLE x" AS t
) AS v
WHERE value IS NOT NULL
GROUP BY "part_0", "part_1", "part_2", "part_3", "part_4", value

-- spark
CREATE TEMP VIEW `report'ed values` AS
SELECT
  `part_0`,
  `part_1`,
  `part_2`,
  `part_3`,
  `part_4`,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `part_0`,
    (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY) AS `part_1`,
    (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY) AS `part_2`,
    (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY) AS `part_3`,
    (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY) AS `part_4`,
    (CAST(`t`.`dis'ease` AS STRING) COLLATE UTF8_BINARY) AS value
  FROM `the source; DROP TABLE x` AS t
) AS v
WHERE value IS NOT NULL
GROUP BY `part_0`, `part_1`, `part_2`, `part_3`, `part_4`, value
