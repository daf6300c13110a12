-- duckdb
SELECT
  "key_0",
  "key_1",
  value_text,
  valued
FROM (
SELECT
  "key_0",
  "key_1",
  SUM(row_count) AS row_count,
  SUM(valued) AS valued,
  MAX(valued) AS most_frequent,
  SUM(CASE WHEN place <= 2 THEN valued ELSE 0 END) AS of_first,
  MAX(CASE WHEN place = 1 THEN value_text END) AS value_text
FROM (
  SELECT
    v.*,
    ROW_NUMBER() OVER (
      PARTITION BY "key_0", "key_1"
      ORDER BY valued DESC, encode(CAST("value_text" AS VARCHAR)) NULLS LAST
    ) AS place
  FROM (
    SELECT
      decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "key_0",
      decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "key_1",
      MAX(decode(encode(CAST("t"."ward 🏥" AS VARCHAR)))) AS value_text,
      COUNT(*) AS row_count,
      COUNT(*) AS valued
    FROM "the source; DROP TABLE x" AS t
    GROUP BY decode(encode(CAST("t"."se""x" AS VARCHAR))), decode(encode(CAST("t"."zip; --" AS VARCHAR))), "t"."ward 🏥"
  ) AS v
) AS p
GROUP BY "key_0", "key_1"
) AS i
WHERE valued > 0 AND valued = of_first
ORDER BY encode(CAST("key_0" AS VARCHAR)) NULLS FIRST, encode(CAST("key_1" AS VARCHAR)) NULLS FIRST
LIMIT 3

-- postgres
SELECT
  "key_0",
  "key_1",
  value_text,
  valued
FROM (
SELECT
  "key_0",
  "key_1",
  SUM(row_count) AS row_count,
  SUM(valued) AS valued,
  MAX(valued) AS most_frequent,
  SUM(CASE WHEN place <= 2 THEN valued ELSE 0 END) AS of_first,
  MAX(CASE WHEN place = 1 THEN value_text END) AS value_text
FROM (
  SELECT
    v.*,
    ROW_NUMBER() OVER (
      PARTITION BY "key_0", "key_1"
      ORDER BY valued DESC, (CAST("value_text" AS TEXT) COLLATE "C") NULLS LAST
    ) AS place
  FROM (
    SELECT
      (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "key_0",
      (CAST("t"."zip; --" AS TEXT) COLLATE "default") AS "key_1",
      MAX((CAST("t"."ward 🏥" AS TEXT) COLLATE "default")) AS value_text,
      COUNT(*) AS row_count,
      COUNT(*) AS valued
    FROM "the source; DROP TABLE x" AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "default"), (CAST("t"."zip; --" AS TEXT) COLLATE "default"), "t"."ward 🏥"
  ) AS v
) AS p
GROUP BY "key_0", "key_1"
) AS i
WHERE valued > 0 AND valued = of_first
ORDER BY (CAST("key_0" AS TEXT) COLLATE "C") NULLS FIRST, (CAST("key_1" AS TEXT) COLLATE "C") NULLS FIRST
LIMIT 3

-- spark
SELECT
  `key_0`,
  `key_1`,
  value_text,
  valued
FROM (
SELECT
  `key_0`,
  `key_1`,
  SUM(row_count) AS row_count,
  SUM(valued) AS valued,
  MAX(valued) AS most_frequent,
  SUM(CASE WHEN place <= 2 THEN valued ELSE 0 END) AS of_first,
  MAX(CASE WHEN place = 1 THEN value_text END) AS value_text
FROM (
  SELECT
    v.*,
    ROW_NUMBER() OVER (
      PARTITION BY `key_0`, `key_1`
      ORDER BY valued DESC, CAST(CAST(`value_text` AS STRING) AS BINARY) NULLS LAST
    ) AS place
  FROM (
    SELECT
      (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `key_0`,
      (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY) AS `key_1`,
      MAX((CAST(`t`.`ward 🏥` AS STRING) COLLATE UTF8_BINARY)) AS value_text,
      COUNT(*) AS row_count,
      COUNT(*) AS valued
    FROM `the source; DROP TABLE x` AS t
    GROUP BY (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), `t`.`ward 🏥`
  ) AS v
) AS p
GROUP BY `key_0`, `key_1`
) AS i
WHERE valued > 0 AND valued = of_first
ORDER BY CAST(CAST(`key_0` AS STRING) AS BINARY) NULLS FIRST, CAST(CAST(`key_1` AS STRING) AS BINARY) NULLS FIRST
LIMIT 3
