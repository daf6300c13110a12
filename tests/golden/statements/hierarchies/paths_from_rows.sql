-- duckdb, postgres
CREATE TEMP TABLE "paths se""x" AS
SELECT *
FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, "level_1")

-- spark
CREATE TEMP VIEW `paths se"x` AS
SELECT *
FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, `level_1`)
