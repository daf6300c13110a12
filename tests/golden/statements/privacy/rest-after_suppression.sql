-- duckdb, postgres
CREATE TEMP TABLE "short of" AS
SELECT t.*
FROM "as shown" AS t
JOIN (
  SELECT
    "suppressed" AS "suppressed",
    "shown_key_1" AS "shown_key_1",
    "shown_key_2" AS "shown_key_2"
  FROM "as shown" AS b
  GROUP BY 1, 2, 3
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "sensitive_1") >= 2 AND
    COUNT(DISTINCT "sensitive_2") >= 1
  )
) AS s
  ON t."suppressed" = s."suppressed" AND t."shown_key_1" = s."shown_key_1" AND t."shown_key_2" = s."shown_key_2"

-- spark
CREATE TEMP VIEW `short of` AS
SELECT t.*
FROM `as shown` AS t
JOIN (
  SELECT
    `suppressed` AS `suppressed`,
    `shown_key_1` AS `shown_key_1`,
    `shown_key_2` AS `shown_key_2`
  FROM `as shown` AS b
  GROUP BY 1, 2, 3
  HAVING NOT (
    COUNT(DISTINCT `entity`) >= 2 AND
    COUNT(DISTINCT `sensitive_1`) >= 2 AND
    COUNT(DISTINCT `sensitive_2`) >= 1
  )
) AS s
  ON t.`suppressed` = s.`suppressed` AND t.`shown_key_1` = s.`shown_key_1` AND t.`shown_key_2` = s.`shown_key_2`
