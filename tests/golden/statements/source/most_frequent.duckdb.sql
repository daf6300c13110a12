-- most_frequent
SELECT
  0 AS number,
  COALESCE(MAX(alike), 0) AS row_count
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."vis.it" IS NOT NULL
  GROUP BY "s"."vis.it"
) AS c
UNION ALL
SELECT
  1 AS number,
  COALESCE(MAX(alike), 0) AS row_count
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."ward 🏥" IS NOT NULL
  GROUP BY "s"."ward 🏥"
) AS c
ORDER BY number
