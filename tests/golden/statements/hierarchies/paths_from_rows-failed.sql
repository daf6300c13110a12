-- duckdb, postgres
CREATE TEMP TABLE "failed --" AS
SELECT *
FROM (
  VALUES
    ('16')
) AS p (value)

-- spark
CREATE TEMP VIEW `failed --` AS
SELECT *
FROM (
  VALUES
    ('16')
) AS p (value)
