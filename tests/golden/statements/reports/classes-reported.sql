-- duckdb
CREATE TEMP TABLE "report'ed rows" AS
SELECT
  COALESCE('v' || decode(encode(CAST("c"."part_0" AS VARCHAR))), '') AS "key_0",
  COALESCE('v' || decode(encode(CAST("c"."part_1" AS VARCHAR))), '') AS "key_1",
  COALESCE('v' || decode(encode(CAST("c"."part_2" AS VARCHAR))), '') AS "key_2",
  COALESCE('v' || decode(encode(CAST("c"."part_3" AS VARCHAR))), '') AS "key_3",
  row_count,
  class_size
FROM (
  SELECT
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "part_0",
    decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "part_1",
    decode(encode(CAST("t"."age
of 👩" AS VARCHAR))) AS "part_2",
    decode(encode(CAST("t"."SELECT" AS VARCHAR))) AS "part_3",
    COUNT(*) AS row_count,
    COUNT(*) AS class_size
  FROM "the source; DROP TABLE x" AS t
  GROUP BY decode(encode(CAST("t"."se""x" AS VARCHAR))), decode(encode(CAST("t"."zip; --" AS VARCHAR))), decode(encode(CAST("t"."age
of 👩" AS VARCHAR))), decode(encode(CAST("t"."SELECT" AS VARCHAR)))
) AS c

-- postgres
CREATE TEMP TABLE "report'ed rows" AS
SELECT
  COALESCE('v' || (CAST("c"."part_0" AS TEXT) COLLATE "default"), '') AS "key_0",
  COALESCE('v' || (CAST("c"."part_1" AS TEXT) COLLATE "default"), '') AS "key_1",
  COALESCE('v' || (CAST("c"."part_2" AS TEXT) COLLATE "default"), '') AS "key_2",
  COALESCE('v' || (CAST("c"."part_3" AS TEXT) COLLATE "default"), '') AS "key_3",
  row_count,
  class_size
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "part_0",
    (CAST("t"."zip; --" AS TEXT) COLLATE "default") AS "part_1",
    (CAST("t"."age
of 👩" AS TEXT) COLLATE "default") AS "part_2",
    (CAST("t"."SELECT" AS TEXT) COLLATE "default") AS "part_3",
    COUNT(*) AS row_count,
    COUNT(*) AS class_size
  FROM "the source; DROP TABLE x" AS t
  GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "default"), (CAST("t"."zip; --" AS TEXT) COLLATE "default"), (CAST("t"."age
of 👩" AS TEXT) COLLATE "default"), (CAST("t"."SELECT" AS TEXT) COLLATE "default")
) AS c

-- spark
CREATE TEMP VIEW `report'ed rows` AS
SELECT
  COALESCE('v' || (CAST(`c`.`part_0` AS STRING) COLLATE UTF8_BINARY), '') AS `key_0`,
  COALESCE('v' || (CAST(`c`.`part_1` AS STRING) COLLATE UTF8_BINARY), '') AS `key_1`,
  COALESCE('v' || (CAST(`c`.`part_2` AS STRING) COLLATE UTF8_BINARY), '') AS `key_2`,
  COALESCE('v' || (CAST(`c`.`part_3` AS STRING) COLLATE UTF8_BINARY), '') AS `key_3`,
  row_count,
  class_size
FROM (
  SELECT
    (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `part_0`,
    (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY) AS `part_1`,
    (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY) AS `part_2`,
    (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY) AS `part_3`,
    COUNT(*) AS row_count,
    COUNT(*) AS class_size
  FROM `the source; DROP TABLE x` AS t
  GROUP BY (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY)
) AS c
