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
  FROM "as shown-rows" AS t
  WHERE NOT EXISTS (
    SELECT 1
    FROM "short of-rows" AS w
    WHERE w."blanked" = t."blanked" AND w."shown_key_1" = t."shown_key_1" AND w."shown_key_2" = t."shown_key_2"
  )
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
  FROM `as shown-rows` AS t
  WHERE NOT EXISTS (
    SELECT 1
    FROM `short of-rows` AS w
    WHERE w.`blanked` = t.`blanked` AND w.`shown_key_1` = t.`shown_key_1` AND w.`shown_key_2` = t.`shown_key_2`
  )
  GROUP BY `blanked`, `shown_key_1`, `shown_key_2`
) AS c
GROUP BY `blanked`
ORDER BY `blanked`
