-- duckdb
CREATE TEMP TABLE "attacked val'ues 1" AS
SELECT
  class,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE(LENGTH(decode(encode(CAST("t"."se""x" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."se""x" AS VARCHAR))), 'NULL'), ',', COALESCE(LENGTH(decode(encode(CAST("t"."zip; --" AS VARCHAR)))) || ':' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), 'NULL'), ',') AS class,
    decode(encode(CAST("t"."dis'ease" AS VARCHAR))) AS value
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY class, value

-- postgres
CREATE TEMP TABLE "attacked val'ues 1" AS
SELECT
  class,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE(LENGTH((CAST("t"."se""x" AS TEXT) COLLATE "default")) || ':' || (CAST("t"."se""x" AS TEXT) COLLATE "default"), 'NULL'), ',', COALESCE(LENGTH((CAST("t"."zip; --" AS TEXT) COLLATE "default")) || ':' || (CAST("t"."zip; --" AS TEXT) COLLATE "default"), 'NULL'), ',') AS class,
    (CAST("t"."dis'ease" AS TEXT) COLLATE "default") AS value
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY class, value

-- spark
CREATE TEMP VIEW `attacked val'ues 1` AS
SELECT
  class,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE(LENGTH((CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY)) || ':' || (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), 'NULL'), ',', COALESCE(LENGTH((CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY)) || ':' || (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), 'NULL'), ',') AS class,
    (CAST(`t`.`dis'ease` AS STRING) COLLATE UTF8_BINARY) AS value
  FROM `the source; DROP TABLE x` AS t
) AS r
GROUP BY class, value
