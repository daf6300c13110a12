-- paths_complete
CREATE TEMP TABLE "complete se""x" AS
WITH labelled AS (
  SELECT
    value,
    "level_1"
  FROM "paths se""x" AS p
  UNION ALL
  SELECT
    NULL, CASE WHEN MIN("r"."level_1") = MAX("r"."level_1") THEN MAX("r"."level_1") END
  FROM "paths se""x" AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM "domain se""x" AS d WHERE d.value IS NULL) > 0
)
SELECT
  v.value,
  v."level_1",
  l."leaves_1"
FROM labelled AS v
JOIN (
  SELECT
    "level_1",
    CAST(SUM(many) OVER (PARTITION BY "level_1") AS BIGINT) AS "leaves_1"
  FROM (
    SELECT "level_1", COUNT(*) AS many
    FROM labelled AS w
    GROUP BY "level_1"
  ) AS c
) AS l
  ON "v"."level_1" IS NOT DISTINCT FROM "l"."level_1"
