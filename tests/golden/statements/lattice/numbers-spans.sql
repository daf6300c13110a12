-- duckdb, postgres
CREATE TEMP TABLE "up't o" AS
SELECT
  CAST("number" AS BIGINT) AS "number"
FROM (
  VALUES
    (0),
    (1),
    (2),
    (3),
    (4),
    (5),
    (6),
    (7),
    (8),
    (9),
    (10)
) AS v ("number")

-- spark
CREATE TEMP VIEW `up't o` AS
SELECT
  CAST(`number` AS BIGINT) AS `number`
FROM (
  VALUES
    (0),
    (1),
    (2),
    (3),
    (4),
    (5),
    (6),
    (7),
    (8),
    (9),
    (10)
) AS v (`number`)
