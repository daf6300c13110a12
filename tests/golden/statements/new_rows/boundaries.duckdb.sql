-- boundaries
CREATE TEMP TABLE "kept si'des" AS
SELECT
  r.region,
  CAST(NULL AS BIGINT) AS child,
  CAST(NULL AS INTEGER) AS axis,
  CAST(NULL AS INTEGER) AS side,
  r.row_count,
  "l0".value AS "low_0",
  "h0".last_value AS "high_0",
  "l1".value AS "low_1",
  "h1".last_value AS "high_1",
  CAST(r."level_2" AS INTEGER) AS "level_2",
  "t2".label AS "label_2"
FROM "en'ds" AS r
LEFT JOIN "val'ues 0" AS "l0" ON "l0".place = r."low_0"
LEFT JOIN "val'ues 0" AS "h0" ON "h0".place = r."high_0"
LEFT JOIN "val'ues 1" AS "l1" ON "l1".place = r."low_1"
LEFT JOIN "val'ues 1" AS "h1" ON "h1".place = r."high_1"
LEFT JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"
UNION ALL
SELECT
  u.region,
  u.child,
  u.axis,
  u.side,
  u.row_count,
  "l0".value AS "low_0",
  "h0".last_value AS "high_0",
  "l1".value AS "low_1",
  "h1".last_value AS "high_1",
  CASE WHEN u.axis = 2 THEN u.level END AS "level_2",
  "t2".label AS "label_2"
FROM (
  SELECT
    region,
    child,
    CAST(axis AS INTEGER) AS axis,
    CAST(CASE WHEN axis IN (2) THEN NULL WHEN low = -1 THEN 0 ELSE 1 END AS INTEGER) AS side,
    CAST(NULL AS BIGINT) AS row_count,
    CASE WHEN axis NOT IN (2) AND low > -1 THEN low - 1 END AS low,
    CASE WHEN axis NOT IN (2) AND low = -1 THEN high END AS high,
    CAST(CASE axis WHEN 2 THEN CASE high - low WHEN 0 THEN 0 WHEN 576460752303423488 THEN 1 WHEN 4035225266123964416 THEN 2 END END AS INTEGER) AS level,
    low AS node
  FROM "bran'ches" AS b
) AS u
LEFT JOIN "val'ues 0" AS "l0" ON u.axis = 0 AND "l0".place = u.low
LEFT JOIN "val'ues 0" AS "h0" ON u.axis = 0 AND "h0".place = u.high
LEFT JOIN "val'ues 1" AS "l1" ON u.axis = 1 AND "l1".place = u.low
LEFT JOIN "val'ues 1" AS "h1" ON u.axis = 1 AND "h1".place = u.high
LEFT JOIN "no'des" AS "t2" ON u.axis = 2 AND "t2".level = u.level AND "t2".node = u.node
