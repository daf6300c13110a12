-- duckdb, postgres
CREATE TEMP TABLE "cu't 1" AS
SELECT
  m.place,
  -2 AS part,
  -1 AS child
FROM "line of; --" AS m
GROUP BY m.place

-- spark
CREATE TEMP VIEW `cu't 1` AS
SELECT
  m.place,
  -2 AS part,
  -1 AS child
FROM `line of; --` AS m
GROUP BY m.place
