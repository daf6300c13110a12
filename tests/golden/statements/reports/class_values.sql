-- duckdb
CREATE TEMP TABLE "report'ed values" AS
SELECT
  part_0,
  part_1,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
HASH(encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))) AS part_0,
HASH(encode(CAST("t"."SELECT" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."se""x" AS VARCHAR))) AS part_1,
    encode(CAST("t"."dis'ease" AS VARCHAR)) AS value
  FROM "the source; DROP TABLE x" AS t
  WHERE "t"."dis'ease" IS NOT NULL
) AS h
GROUP BY part_0, part_1, value

-- postgres
CREATE TEMP TABLE "report'ed values" AS
SELECT
  (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "part_0",
  (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "part_1",
  (CAST("t"."age
of 👩" AS TEXT) COLLATE "C") AS "part_2",
  (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "part_3",
  (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "part_4",
  (CAST("t"."dis'ease" AS TEXT) COLLATE "C") AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."SELECT" AS TEXT) COLLATE "C"), (CAST("t"."dis'ease" AS TEXT) COLLATE "C")

-- spark
CREATE TEMP VIEW `report'ed values` AS
SELECT
  CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `part_0`,
  CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `part_1`,
  CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY) AS `part_2`,
  CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `part_3`,
  CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `part_4`,
  CAST(CAST(`t`.`dis'ease` AS STRING) AS BINARY) AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS t
WHERE `t`.`dis'ease` IS NOT NULL
GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY), CAST(CAST(`t`.`dis'ease` AS STRING) AS BINARY)
