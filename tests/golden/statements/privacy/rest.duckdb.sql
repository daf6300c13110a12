-- rest-keys
CREATE TEMP TABLE "le'ft" AS
SELECT t.*
FROM "frequency ""set"" 2" AS t
JOIN (
  SELECT
    "key_1" & CAST(24 AS BIGINT) AS "key_1",
    "key_2" & CAST(6 AS BIGINT) AS "key_2"
  FROM "frequency ""set"" 2" AS b
  GROUP BY 1, 2
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "sensitive_1") >= 2 AND
    COUNT(DISTINCT "sensitive_2") >= 1
  )
) AS s
  ON (t."key_1" & CAST(24 AS BIGINT)) = s."key_1" AND (t."key_2" & CAST(6 AS BIGINT)) = s."key_2"
