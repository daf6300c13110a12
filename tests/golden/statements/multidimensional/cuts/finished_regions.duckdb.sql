-- finished_regions
CREATE TEMP TABLE "un'cut" AS
SELECT r.*
FROM (
  SELECT * FROM "re'gions" AS p
) AS r
WHERE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT region FROM "bran'ches" AS b
  ) AS c
  WHERE c.region = r.region
)
