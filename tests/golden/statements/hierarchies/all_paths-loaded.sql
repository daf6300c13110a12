-- duckdb, postgres
CREATE TEMP TABLE "all loaded" AS
SELECT
  quasi,
  value,
  "level_1",
  "level_2"FROM "all written" AS p
UNION ALL
SELECT
  '0' AS quasi,
  value,
  "level_1",
  NULL AS "level_2"FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, "level_1")

-- spark
CREATE TEMP VIEW `all loaded` AS
SELECT
  quasi,
  value,
  `level_1`,
  `level_2`FROM `all written` AS p
UNION ALL
SELECT
  '0' AS quasi,
  value,
  `level_1`,
  NULL AS `level_2`FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, `level_1`)
