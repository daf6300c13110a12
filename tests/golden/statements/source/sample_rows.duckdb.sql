-- sample_rows
CREATE TEMP TABLE "sample" AS
SELECT *
FROM (
  SELECT *
  FROM "the source; DROP TABLE x" AS s
  USING SAMPLE 100.0000 PERCENT (bernoulli, 1)
) AS t
USING SAMPLE reservoir(5 ROWS) REPEATABLE (1)
