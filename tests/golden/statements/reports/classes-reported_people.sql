-- duckdb
CREATE TEMP TABLE "report'ed people" AS
SELECT
  COALESCE('v' || decode(encode(CAST("c"."part_0" AS VARCHAR))), '') AS "key_0",
  COALESCE('v' || decode(encode(CAST("c"."part_1" AS VARCHAR))), '') AS "key_1",
  CONCAT(COALESCE('v' || decode(encode(CAST("c"."part_2" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("c"."part_3" AS VARCHAR))), '')) AS "key_2",
  COALESCE('v' || decode(encode(CAST("c"."part_4" AS VARCHAR))), '') AS "key_3",
  row_count,
  class_size
FROM (
  SELECT
    decode("g"."part_0") AS "part_0",
    decode("g"."part_1") AS "part_1",
    decode("g"."part_2") AS "part_2",
    decode("g"."part_3") AS "part_3",
    decode("g"."part_4") AS "part_4",
    row_count,
    class_size
  FROM (
SELECT
  "part_0",
  "part_1",
  "part_2",
  "part_3",
  "part_4",
  SUM(row_count) AS row_count,
  COUNT(*) AS class_size
FROM (
  SELECT
    encode(CAST("t"."se""x" AS VARCHAR)) AS "part_0",
    encode(CAST("t"."zip; --" AS VARCHAR)) AS "part_1",
    encode(CAST("t"."age
of 👩" AS VARCHAR)) AS "part_2",
    encode(CAST("t"."zip; --" AS VARCHAR)) AS "part_3",
    encode(CAST("t"."SELECT" AS VARCHAR)) AS "part_4",
    COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS t
  GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR)), "t"."vis.it"
) AS p
GROUP BY "part_0", "part_1", "part_2", "part_3", "part_4"
  ) AS g
) AS c

-- postgres
CREATE TEMP TABLE "report'ed people" AS
SELECT
  COALESCE('v' || (CAST("c"."part_0" AS TEXT) COLLATE "default"), '') AS "key_0",
  COALESCE('v' || (CAST("c"."part_1" AS TEXT) COLLATE "default"), '') AS "key_1",
  CONCAT(COALESCE('v' || (CAST("c"."part_2" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("c"."part_3" AS TEXT) COLLATE "default"), '')) AS "key_2",
  COALESCE('v' || (CAST("c"."part_4" AS TEXT) COLLATE "default"), '') AS "key_3",
  row_count,
  class_size
FROM (
  SELECT
    ("g"."part_0" COLLATE "default") AS "part_0",
    ("g"."part_1" COLLATE "default") AS "part_1",
    ("g"."part_2" COLLATE "default") AS "part_2",
    ("g"."part_3" COLLATE "default") AS "part_3",
    ("g"."part_4" COLLATE "default") AS "part_4",
    row_count,
    class_size
  FROM (
SELECT
  "part_0",
  "part_1",
  "part_2",
  "part_3",
  "part_4",
  SUM(row_count) AS row_count,
  COUNT(*) AS class_size
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "part_0",
    (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "part_1",
    (CAST("t"."age
of 👩" AS TEXT) COLLATE "C") AS "part_2",
    (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "part_3",
    (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "part_4",
    COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS t
  GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."SELECT" AS TEXT) COLLATE "C"), "t"."vis.it"
) AS p
GROUP BY "part_0", "part_1", "part_2", "part_3", "part_4"
  ) AS g
) AS c

-- spark
CREATE TEMP VIEW `report'ed people` AS
SELECT
  COALESCE('v' || (CAST(`c`.`part_0` AS STRING) COLLATE UTF8_BINARY), '') AS `key_0`,
  COALESCE('v' || (CAST(`c`.`part_1` AS STRING) COLLATE UTF8_BINARY), '') AS `key_1`,
  CONCAT(COALESCE('v' || (CAST(`c`.`part_2` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`c`.`part_3` AS STRING) COLLATE UTF8_BINARY), '')) AS `key_2`,
  COALESCE('v' || (CAST(`c`.`part_4` AS STRING) COLLATE UTF8_BINARY), '') AS `key_3`,
  row_count,
  class_size
FROM (
  SELECT
    (CAST(`g`.`part_0` AS STRING) COLLATE UTF8_BINARY) AS `part_0`,
    (CAST(`g`.`part_1` AS STRING) COLLATE UTF8_BINARY) AS `part_1`,
    (CAST(`g`.`part_2` AS STRING) COLLATE UTF8_BINARY) AS `part_2`,
    (CAST(`g`.`part_3` AS STRING) COLLATE UTF8_BINARY) AS `part_3`,
    (CAST(`g`.`part_4` AS STRING) COLLATE UTF8_BINARY) AS `part_4`,
    row_count,
    class_size
  FROM (
SELECT
  `part_0`,
  `part_1`,
  `part_2`,
  `part_3`,
  `part_4`,
  SUM(row_count) AS row_count,
  COUNT(*) AS class_size
FROM (
  SELECT
    CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `part_0`,
    CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `part_1`,
    CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY) AS `part_2`,
    CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `part_3`,
    CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `part_4`,
    COUNT(*) AS row_count
  FROM `the source; DROP TABLE x` AS t
  GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY), `t`.`vis.it`
) AS p
GROUP BY `part_0`, `part_1`, `part_2`, `part_3`, `part_4`
  ) AS g
) AS c
