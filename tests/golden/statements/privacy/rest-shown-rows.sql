-- duckdb, postgres
CREATE TEMP TABLE "short of-rows" AS
SELECT t.*
FROM "as shown-rows" AS t
JOIN (
  SELECT
    "blanked" AS "blanked",
    "shown_key_1" AS "shown_key_1",
    "shown_key_2" AS "shown_key_2"
  FROM "as shown-rows" AS b
  GROUP BY 1, 2, 3
  HAVING NOT (
    SUM(row_count) >= 2
  )
) AS s
  ON t."blanked" = s."blanked" AND t."shown_key_1" = s."shown_key_1" AND t."shown_key_2" = s."shown_key_2"

-- spark
CREATE TEMP VIEW `short of-rows` AS
SELECT t.*
FROM `as shown-rows` AS t
JOIN (
  SELECT
    `blanked` AS `blanked`,
    `shown_key_1` AS `shown_key_1`,
    `shown_key_2` AS `shown_key_2`
  FROM `as shown-rows` AS b
  GROUP BY 1, 2, 3
  HAVING NOT (
    SUM(row_count) >= 2
  )
) AS s
  ON t.`blanked` = s.`blanked` AND t.`shown_key_1` = s.`shown_key_1` AND t.`shown_key_2` = s.`shown_key_2`
