-- ranks_of_values
CREATE TEMP TABLE "place ra'nks" AS
SELECT
  region,
  axis,
  place,
  row_count,
  ROW_NUMBER() OVER (PARTITION BY axis ORDER BY place) - 1 AS local_rank
FROM (
  SELECT 0 AS region, 0 AS axis, a.place, CAST(SUM(d.row_count) AS BIGINT) AS row_count
  FROM "domain of ages" AS d
  JOIN "line; 0" AS a ON "a"."value" = "d"."value"
  GROUP BY a.place
  UNION ALL
  SELECT 0 AS region, 1 AS axis, a.place, CAST(SUM(d.row_count) AS BIGINT) AS row_count
  FROM "domain se""x" AS d
  JOIN "line; 2" AS a ON "a"."value" IS NOT DISTINCT FROM "d"."value"
  GROUP BY a.place
  UNION ALL
  SELECT 0 AS region, 2 AS axis, a.place, CAST(SUM(d.row_count) AS BIGINT) AS row_count
  FROM "domain zip; --" AS d
  JOIN "tr'ee" AS a ON "a"."value" IS NOT DISTINCT FROM "d"."value"
  GROUP BY a.place
) AS p
