-- duckdb
SELECT
  candidates,
  SUM(known_records) AS known_records
FROM (
SELECT
  "key_0",
  "key_1",
  COUNT(DISTINCT candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "key_0",
    decode(encode(CAST("t"."age
of 👩" AS VARCHAR))) AS "key_1",
    decode(encode(CAST("t"."who" AS VARCHAR))) AS candidate,
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
WHERE known_records > 0
GROUP BY candidates
ORDER BY candidates

-- postgres
SELECT
  candidates,
  SUM(known_records) AS known_records
FROM (
SELECT
  "key_0",
  "key_1",
  COUNT(DISTINCT candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "key_0",
    (CAST("t"."age
of 👩" AS TEXT) COLLATE "default") AS "key_1",
    (CAST("t"."who" AS TEXT) COLLATE "default") AS candidate,
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
WHERE known_records > 0
GROUP BY candidates
ORDER BY candidates

-- spark
SELECT
  candidates,
  SUM(known_records) AS known_records
FROM (
SELECT
  `key_0`,
  `key_1`,
  COUNT(DISTINCT candidate) AS candidates,
  SUM(known_record) AS known_records
FROM (
  SELECT
    (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `key_0`,
    (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY) AS `key_1`,
    (CAST(`t`.`who` AS STRING) COLLATE UTF8_BINARY) AS candidate,
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
WHERE known_records > 0
GROUP BY candidates
ORDER BY candidates
