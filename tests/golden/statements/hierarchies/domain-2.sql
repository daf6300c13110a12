-- duckdb, postgres
CREATE TEMP TABLE "domain age
of 👩" AS
SELECT
  "age
of 👩" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "age
of 👩"

-- spark
CREATE TEMP VIEW `domain age
of 👩` AS
SELECT
  `age
of 👩` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `age
of 👩`
