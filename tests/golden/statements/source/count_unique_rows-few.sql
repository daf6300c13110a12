-- duckdb
SELECT
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM (
    SELECT
      HASH(encode(CAST("s"."vis.it" AS VARCHAR)), encode(CAST("s"."ward 🏥" AS VARCHAR))) AS row_hash
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  GROUP BY row_hash
) AS u

-- postgres
SELECT
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM (
    SELECT
      (CAST("s"."vis.it" AS TEXT) COLLATE "C") AS "value_1",
      (CAST("s"."ward 🏥" AS TEXT) COLLATE "C") AS "value_2"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  GROUP BY "value_1", "value_2"
) AS u

-- spark
SELECT
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM (
    SELECT
      XXHASH64(1, CAST(CAST(`s`.`vis.it` AS STRING) AS BINARY), `s`.`vis.it` IS NULL, CAST(CAST(`s`.`ward 🏥` AS STRING) AS BINARY), `s`.`ward 🏥` IS NULL) AS `hash_1`
    FROM `the source; DROP TABLE x` AS s
  ) AS t
  GROUP BY `hash_1`
) AS u
