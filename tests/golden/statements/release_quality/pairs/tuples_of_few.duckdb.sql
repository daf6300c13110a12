-- tuples_of_few
CREATE TEMP TABLE "measu'red few values" AS
SELECT
  "c"."key_0" AS "key_0",
  "c"."key_2" AS "key_2",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 1, 2
