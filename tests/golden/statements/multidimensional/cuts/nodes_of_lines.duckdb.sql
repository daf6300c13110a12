-- nodes_of_lines
CREATE TEMP TABLE "cover'ing" AS
SELECT
  r.region,
  CASE
    WHEN l.place = h.place THEN l.label
    WHEN l.place < 0 THEN '*'
    WHEN "l"."level_1" = "h"."level_1" THEN "l"."level_1"
    ELSE '*'
  END AS label,
  CASE
    WHEN l.place = h.place THEN CAST(0 AS DOUBLE)
    WHEN l.place < 0 THEN CAST(1 AS DOUBLE)
    WHEN "l"."level_1" = "h"."level_1" THEN CAST("l"."leaves_1" AS DOUBLE) / CAST("l"."leaves" AS DOUBLE)
    ELSE CAST(1 AS DOUBLE)
  END AS share
FROM "en'ds" AS r
JOIN "above the li'ne" AS l ON l.place = r."low_1"
JOIN "above the li'ne" AS h ON h.place = r."high_1"
