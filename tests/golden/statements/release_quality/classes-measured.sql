-- duckdb
CREATE TEMP TABLE "measu'red classes" AS
SELECT
  "key_0",
  "key_1",
  "key_2",
  "key_3",
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."se""x" AS VARCHAR))), '') AS "key_0",
    COALESCE('v' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), '') AS "key_1",
    COALESCE('v' || decode(encode(CAST("t"."age
of 👩" AS VARCHAR))), '') AS "key_2",
    COALESCE('v' || decode(encode(CAST("t"."SELECT" AS VARCHAR))), '') AS "key_3"
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY "key_0", "key_1", "key_2", "key_3"

-- postgres
CREATE TEMP TABLE "measu'red classes" AS
SELECT
  "key_0",
  "key_1",
  "key_2",
  "key_3",
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."se""x" AS TEXT) COLLATE "default"), '') AS "key_0",
    COALESCE('v' || (CAST("t"."zip; --" AS TEXT) COLLATE "default"), '') AS "key_1",
    COALESCE('v' || (CAST("t"."age
of 👩" AS TEXT) COLLATE "default"), '') AS "key_2",
    COALESCE('v' || (CAST("t"."SELECT" AS TEXT) COLLATE "default"), '') AS "key_3"
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY "key_0", "key_1", "key_2", "key_3"

-- spark
CREATE TEMP VIEW `measu'red classes` AS
SELECT
  `key_0`,
  `key_1`,
  `key_2`,
  `key_3`,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), '') AS `key_0`,
    COALESCE('v' || (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), '') AS `key_1`,
    COALESCE('v' || (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY), '') AS `key_2`,
    COALESCE('v' || (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY), '') AS `key_3`
  FROM `the source; DROP TABLE x` AS t
) AS r
GROUP BY `key_0`, `key_1`, `key_2`, `key_3`
