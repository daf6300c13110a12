-- duckdb, postgres
CREATE TEMP TABLE "si'des of parts" AS
SELECT
  u.region,
  u.child,
  u.axis,
  u.side,
  u.row_count,
  "l0"."value" AS "low_0",
  "h0"."last_value" AS "high_0",
  CASE WHEN u.axis = 1 THEN u.level END AS "level_1",
  "t1".label AS "label_1"
FROM (
  SELECT
    region,
    CAST(NULL AS BIGINT) AS child,
    CAST(0 AS INTEGER) AS axis,
    CAST(NULL AS INTEGER) AS side,
    row_count,
    CAST(low_0 AS BIGINT) AS low,
    CAST(high_0 AS BIGINT) AS high,
    CAST(NULL AS INTEGER) AS level,
    CAST(NULL AS BIGINT) AS node
  FROM "ends 0" AS p
  UNION ALL
  SELECT
    region,
    CAST(NULL AS BIGINT) AS child,
    CAST(1 AS INTEGER) AS axis,
    CAST(NULL AS INTEGER) AS side,
    row_count,
    CAST(NULL AS BIGINT) AS low,
    CAST(NULL AS BIGINT) AS high,
    CAST(level_0 AS INTEGER) AS level,
    CAST(node_0 AS BIGINT) AS node
  FROM "ends 1" AS p
) AS u
LEFT JOIN "val'ues 0" AS "l0" ON u.axis = 0 AND "l0".place = u.low
LEFT JOIN "val'ues 0" AS "h0" ON u.axis = 0 AND "h0".place = u.high
LEFT JOIN "no'des" AS "t1" ON u.axis = 1 AND "t1".level = u.level AND "t1".node = u.node

-- spark
CREATE TEMP VIEW `si'des of parts` AS
SELECT
  u.region,
  u.child,
  u.axis,
  u.side,
  u.row_count,
  `l0`.`value` AS `low_0`,
  `h0`.`last_value` AS `high_0`,
  CASE WHEN u.axis = 1 THEN u.level END AS `level_1`,
  `t1`.label AS `label_1`
FROM (
  SELECT
    region,
    CAST(NULL AS BIGINT) AS child,
    CAST(0 AS INTEGER) AS axis,
    CAST(NULL AS INTEGER) AS side,
    row_count,
    CAST(low_0 AS BIGINT) AS low,
    CAST(high_0 AS BIGINT) AS high,
    CAST(NULL AS INTEGER) AS level,
    CAST(NULL AS BIGINT) AS node
  FROM `ends 0` AS p
  UNION ALL
  SELECT
    region,
    CAST(NULL AS BIGINT) AS child,
    CAST(1 AS INTEGER) AS axis,
    CAST(NULL AS INTEGER) AS side,
    row_count,
    CAST(NULL AS BIGINT) AS low,
    CAST(NULL AS BIGINT) AS high,
    CAST(level_0 AS INTEGER) AS level,
    CAST(node_0 AS BIGINT) AS node
  FROM `ends 1` AS p
) AS u
LEFT JOIN `val'ues 0` AS `l0` ON u.axis = 0 AND `l0`.place = u.low
LEFT JOIN `val'ues 0` AS `h0` ON u.axis = 0 AND `h0`.place = u.high
LEFT JOIN `no'des` AS `t1` ON u.axis = 1 AND `t1`.level = u.level AND `t1`.node = u.node
