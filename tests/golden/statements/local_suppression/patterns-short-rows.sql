-- duckdb, postgres
SELECT
  "blanked",
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM (
  SELECT
    "blanked",
    "shown_key_1",
    "shown_key_2",
    SUM(row_count) AS row_count
  FROM "short of-rows" AS t
  GROUP BY "blanked", "shown_key_1", "shown_key_2"
) AS c
GROUP BY "blanked"
ORDER BY "blanked"

-- spark
SELECT
  `blanked`,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM (
  SELECT
    `blanked`,
    `shown_key_1`,
    `shown_key_2`,
    SUM(row_count) AS row_count
  FROM `short of-rows` AS t
  GROUP BY `blanked`, `shown_key_1`, `shown_key_2`
) AS c
GROUP BY `blanked`
ORDER BY `blanked`
