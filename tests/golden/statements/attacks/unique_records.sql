-- duckdb
SELECT
  "key_0",
  "key_1"
FROM (
SELECT
  "key_0",
  "key_1",
  COUNT(candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "key_0",
    decode(encode(CAST("t"."age
of 👩" AS VARCHAR))) AS "key_1",
    1 AS candidate,
    0 AS known_record
  FROM "the source; DROP TABLE x" AS t
  UNION ALL
  SELECT
    decode(encode(CAST("k"."se""x" AS VARCHAR))) AS "key_0",
    decode(encode(CAST("k"."age
of 👩" AS VARCHAR))) AS "key_1",
    NULL AS candidate,
    1 AS known_record
  FROM "the source; DROP TABLE x" AS k
) AS r
GROUP BY "key_0", "key_1"
) AS l
WHERE known_records > 0 AND candidates = 1
ORDER BY encode(CAST("key_0" AS VARCHAR)) NULLS FIRST, encode(CAST("key_1" AS VARCHAR)) NULLS FIRST
LIMIT 3

-- postgres
SELECT
  "key_0",
  "key_1"
FROM (
SELECT
  "key_0",
  "key_1",
  COUNT(candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "key_0",
    (CAST("t"."age
of 👩" AS TEXT) COLLATE "default") AS "key_1",
    1 AS candidate,
    0 AS known_record
  FROM "the source; DROP TABLE x" AS t
  UNION ALL
  SELECT
    (CAST("k"."se""x" AS TEXT) COLLATE "default") AS "key_0",
    (CAST("k"."age
of 👩" AS TEXT) COLLATE "default") AS "key_1",
    NULL AS candidate,
    1 AS known_record
  FROM "the source; DROP TABLE x" AS k
) AS r
GROUP BY "key_0", "key_1"
) AS l
WHERE known_records > 0 AND candidates = 1
ORDER BY (CAST("key_0" AS TEXT) COLLATE "C") NULLS FIRST, (CAST("key_1" AS TEXT) COLLATE "C") NULLS FIRST
LIMIT 3

-- spark
SELECT
  `key_0`,
  `key_1`
FROM (
SELECT
  `key_0`,
  `key_1`,
  COUNT(candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `key_0`,
    (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY) AS `key_1`,
    1 AS candidate,
    0 AS known_record
  FROM `the source; DROP TABLE x` AS t
  UNION ALL
  SELECT
    (CAST(`k`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `key_0`,
    (CAST(`k`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY) AS `key_1`,
    NULL AS candidate,
    1 AS known_record
  FROM `the source; DROP TABLE x` AS k
) AS r
GROUP BY `key_0`, `key_1`
) AS l
WHERE known_records > 0 AND candidates = 1
ORDER BY CAST(CAST(`key_0` AS STRING) AS BINARY) NULLS FIRST, CAST(CAST(`key_1` AS STRING) AS BINARY) NULLS FIRST
LIMIT 3
