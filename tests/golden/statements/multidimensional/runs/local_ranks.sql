-- duckdb, postgres
CREATE TEMP TABLE "ra'nks" AS
SELECT
  region,
  axis,
  place,
  ROW_NUMBER() OVER (PARTITION BY region, axis ORDER BY place) - 1 AS local_rank
FROM (
  SELECT DISTINCT region, 0 AS axis, "place_0" AS place
  FROM "wor'king" AS w
  UNION ALL
  SELECT DISTINCT region, 1 AS axis, "place_1" AS place
  FROM "wor'king" AS w
  UNION ALL
  SELECT DISTINCT region, 2 AS axis, "place_2" AS place
  FROM "wor'king" AS w
) AS p

-- spark
CREATE TEMP VIEW `ra'nks` AS
SELECT
  region,
  axis,
  place,
  ROW_NUMBER() OVER (PARTITION BY region, axis ORDER BY place) - 1 AS local_rank
FROM (
  SELECT DISTINCT region, 0 AS axis, `place_0` AS place
  FROM `wor'king` AS w
  UNION ALL
  SELECT DISTINCT region, 1 AS axis, `place_1` AS place
  FROM `wor'king` AS w
  UNION ALL
  SELECT DISTINCT region, 2 AS axis, `place_2` AS place
  FROM `wor'king` AS w
) AS p
