-- first_steps
SELECT
  CAST(rows_up_to AS BIGINT) AS rows_up_to
FROM "values' counts 3"
ORDER BY place
LIMIT 33
