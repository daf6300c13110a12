-- duckdb, postgres
CREATE TEMP TABLE "lo'aded" AS
SELECT *
FROM (
  VALUES
    ('0', '0', '-1', '9')
) AS p (value, "part", "low", "high")

-- spark
CREATE TEMP VIEW `lo'aded` AS
SELECT *
FROM (
  VALUES
    ('0', '0', '-1', '9')
) AS p (value, `part`, `low`, `high`)
