-- duckdb
CREATE TEMP TABLE "many in order" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN "value" IS NULL THEN 0 ELSE 1 END, CASE decode(encode(CAST("value" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, encode(CAST("value" AS VARCHAR))) AS INTEGER) AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- postgres
CREATE TEMP TABLE "many in order" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN "value" IS NULL THEN 0 ELSE 1 END, CASE (CAST("value" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, (CAST("value" AS TEXT) COLLATE "C")) AS INTEGER) AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `many in order` AS
SELECT
  r.value,
  CAST(r.nth + o.before AS INTEGER) AS code
FROM (
  SELECT
    value,
    in_order,
    DENSE_RANK() OVER (PARTITION BY in_order ORDER BY CASE WHEN `value` IS NULL THEN 0 ELSE 1 END, CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, CAST(CAST(`value` AS STRING) AS BINARY)) AS nth
  FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT
            value,
            CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END AS sort_key
          FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d        ) AS k
        LEFT JOIN (
          SELECT
            low,
            LEAD(low) OVER (ORDER BY low) AS high,
            ROW_NUMBER() OVER (ORDER BY low) AS nth
          FROM (
            SELECT
              sort_key AS low,
              ROW_NUMBER() OVER (ORDER BY sort_key) AS place
            FROM (
              SELECT sort_key
              FROM (
SELECT
            value,
            CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END AS sort_key
          FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
  ) AS f
) AS r
JOIN (
SELECT
    in_order,
    SUM(numbered) OVER (ORDER BY in_order ROWS UNBOUNDED PRECEDING) - numbered AS before
  FROM (
    SELECT
      in_order,
      COUNT(*) AS numbered
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT
            value,
            CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END AS sort_key
          FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d        ) AS k
        LEFT JOIN (
          SELECT
            low,
            LEAD(low) OVER (ORDER BY low) AS high,
            ROW_NUMBER() OVER (ORDER BY low) AS nth
          FROM (
            SELECT
              sort_key AS low,
              ROW_NUMBER() OVER (ORDER BY sort_key) AS place
            FROM (
              SELECT sort_key
              FROM (
SELECT
            value,
            CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END AS sort_key
          FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
    ) AS f
    GROUP BY in_order
  ) AS c
) AS o ON r.in_order = o.in_order
