-- one_query
WITH "se'en" AS (

SELECT DISTINCT
  CAST("s"."age
of 👩" AS VARCHAR) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s

)

SELECT
  "age
of 👩" AS value,
  COUNT(*) AS row_count
FROM "se'en"
GROUP BY "age
of 👩"
