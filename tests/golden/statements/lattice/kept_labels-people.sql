-- duckdb
SELECT
  COALESCE(SUM(CAST("m"."row_count" AS DOUBLE) * CAST("l1"."leaves" AS DOUBLE) * CAST("l2"."leaves" AS DOUBLE)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN "l1"."leaves" > 1 THEN m.row_count * "l1"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_1",
  CAST(COALESCE(SUM(CASE WHEN "l2"."leaves" > 1 THEN m.row_count * "l2"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_2"
FROM (
  SELECT
    c."key_1" & CAST(24 AS BIGINT) AS "key_1",
    c."key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST(? AS BIGINT) AS "key_1",
      f."key_2" & CAST(? AS BIGINT) AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    GROUP BY 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_1"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_2"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
  ) AS c
  WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
  GROUP BY c."key_1" & CAST(24 AS BIGINT), c."key_2" & CAST(6 AS BIGINT)
) AS m
JOIN "weights" AS "l1"
  ON "l1".item = 1 AND "l1"."key_1" = (m."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (m."key_2" & CAST(0 AS BIGINT))
JOIN "weights" AS "l2"
  ON "l2".item = 2 AND "l2"."key_1" = (m."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (m."key_2" & CAST(6 AS BIGINT))

-- postgres
SELECT
  COALESCE(SUM(CAST("m"."row_count" AS DOUBLE PRECISION) * CAST("l1"."leaves" AS DOUBLE PRECISION) * CAST("l2"."leaves" AS DOUBLE PRECISION)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN "l1"."leaves" > 1 THEN m.row_count * "l1"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_1",
  CAST(COALESCE(SUM(CASE WHEN "l2"."leaves" > 1 THEN m.row_count * "l2"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_2"
FROM (
  SELECT
    c."key_1" & CAST(24 AS BIGINT) AS "key_1",
    c."key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST($1 AS BIGINT) AS "key_1",
      f."key_2" & CAST($2 AS BIGINT) AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    GROUP BY 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_1"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($3 AS BIGINT) AS "key_1",
        f."key_2" & CAST($4 AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_2"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($5 AS BIGINT) AS "key_1",
        f."key_2" & CAST($6 AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
  ) AS c
  WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
  GROUP BY c."key_1" & CAST(24 AS BIGINT), c."key_2" & CAST(6 AS BIGINT)
) AS m
JOIN "weights" AS "l1"
  ON "l1".item = 1 AND "l1"."key_1" = (m."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (m."key_2" & CAST(0 AS BIGINT))
JOIN "weights" AS "l2"
  ON "l2".item = 2 AND "l2"."key_1" = (m."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (m."key_2" & CAST(6 AS BIGINT))

-- spark
SELECT
  COALESCE(SUM(CAST(`m`.`row_count` AS DOUBLE) * CAST(`l1`.`leaves` AS DOUBLE) * CAST(`l2`.`leaves` AS DOUBLE)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN `l1`.`leaves` > 1 THEN m.row_count * `l1`.`leaves` ELSE 0 END), 0) AS BIGINT) AS `wide_1`,
  CAST(COALESCE(SUM(CASE WHEN `l2`.`leaves` > 1 THEN m.row_count * `l2`.`leaves` ELSE 0 END), 0) AS BIGINT) AS `wide_2`
FROM (
  SELECT
    c.`key_1` & CAST(24 AS BIGINT) AS `key_1`,
    c.`key_2` & CAST(6 AS BIGINT) AS `key_2`,
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p2`.`measure_2`
  FROM (
    SELECT
      0 AS node,
      f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
      f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 2` AS f
    GROUP BY 2, 3
  ) AS `p0`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT(`sensitive`) AS `measure_1`
    FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_1` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_1`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p1`
    ON p0.node = `p1`.node AND p0.`key_1` = `p1`.`key_1` AND p0.`key_2` = `p1`.`key_2`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT(`sensitive`) AS `measure_2`
    FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_2` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_2`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.`key_1` = `p2`.`key_1` AND p0.`key_2` = `p2`.`key_2`
  ) AS c
  WHERE `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1
  GROUP BY c.`key_1` & CAST(24 AS BIGINT), c.`key_2` & CAST(6 AS BIGINT)
) AS m
JOIN `weights` AS `l1`
  ON `l1`.item = 1 AND `l1`.`key_1` = (m.`key_1` & CAST(24 AS BIGINT)) AND `l1`.`key_2` = (m.`key_2` & CAST(0 AS BIGINT))
JOIN `weights` AS `l2`
  ON `l2`.item = 2 AND `l2`.`key_1` = (m.`key_1` & CAST(0 AS BIGINT)) AND `l2`.`key_2` = (m.`key_2` & CAST(6 AS BIGINT))
