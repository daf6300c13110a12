-- duckdb, postgres
SELECT
  suppressed,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM (
  SELECT
    suppressed,
    "shown_key_1",
    "shown_key_2",
    SUM(row_count) AS row_count
  FROM "short of-rows" AS t
  GROUP BY suppressed, "shown_key_1", "shown_key_2"
) AS c
GROUP BY suppressed
ORDER BY suppressed

-- spark
SELECT
  suppressed,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM (
  SELECT
    suppressed,
    `shown_key_1`,
    `shown_key_2`,
    SUM(row_count) AS row_count
  FROM `short of-rows` AS t
  GROUP BY suppressed, `shown_key_1`, `shown_key_2`
) AS c
GROUP BY suppressed
ORDER BY suppressed
