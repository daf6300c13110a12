-- roll_up
CREATE TEMP TABLE "coarser" AS
SELECT
  "key_1" & CAST(24 AS BIGINT) AS "key_1",
  "key_2" & CAST(6 AS BIGINT) AS "key_2",
  CAST(SUM("row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 0" AS f
GROUP BY 1, 2
ORDER BY "key_1", "key_2"
