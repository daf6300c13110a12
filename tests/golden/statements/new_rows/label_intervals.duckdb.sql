-- label_intervals
CREATE TEMP TABLE "label no'des" AS
SELECT
  0 AS level,
  CAST("a"."value" AS VARCHAR) AS label,
  place AS low,
  place AS high
FROM "ranked lea'ves" AS a
UNION ALL
SELECT
  1 AS level,
  "level_1" AS label,
  MIN(place) AS low,
  MAX(place) AS high
FROM "ranked lea'ves" AS a
GROUP BY "level_1"
UNION ALL
SELECT
  2 AS level,
  "level_2" AS label,
  MIN(place) AS low,
  MAX(place) AS high
FROM "ranked lea'ves" AS a
GROUP BY "level_2"
