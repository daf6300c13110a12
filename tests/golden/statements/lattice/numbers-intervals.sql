-- duckdb, postgres
CREATE TEMP TABLE "cu'ts" AS
SELECT
  CAST("quasi" AS INTEGER) AS "quasi",
  CAST("part" AS INTEGER) AS "part",
  CAST("low" AS INTEGER) AS "low",
  CAST("high" AS INTEGER) AS "high"
FROM (
  VALUES
    (0, 0, -1, -1),
    (0, 1, 0, 1),
    (1, 0, 0, 0),
    (1, 1, 1, 2)
) AS v ("quasi", "part", "low", "high")

-- spark
CREATE TEMP VIEW `cu'ts` AS
SELECT
  CAST(`quasi` AS INTEGER) AS `quasi`,
  CAST(`part` AS INTEGER) AS `part`,
  CAST(`low` AS INTEGER) AS `low`,
  CAST(`high` AS INTEGER) AS `high`
FROM (
  VALUES
    (0, 0, -1, -1),
    (0, 1, 0, 1),
    (1, 0, 0, 0),
    (1, 1, 1, 2)
) AS v (`quasi`, `part`, `low`, `high`)
