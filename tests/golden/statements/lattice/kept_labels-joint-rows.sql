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
    t.node,
    t."key_1",
    t."key_2",
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every-rows" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "left again-rows" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2"  ) AS c
  WHERE "kept" >= 1
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
    t.node,
    t."key_1",
    t."key_2",
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every-rows" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "left again-rows" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2"  ) AS c
  WHERE "kept" >= 1
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
    t.node,
    t.`key_1`,
    t.`key_2`,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM `every-rows` AS t
  LEFT JOIN (
    SELECT DISTINCT node, `key_1`, `key_2`
    FROM `left again-rows` AS d
  ) AS k
    ON t.node = k.node AND t.`key_1` = k.`key_1` AND t.`key_2` = k.`key_2`
  GROUP BY t.node, t.`key_1`, t.`key_2`  ) AS c
  WHERE `kept` >= 1
  GROUP BY c.`key_1` & CAST(24 AS BIGINT), c.`key_2` & CAST(6 AS BIGINT)
) AS m
JOIN `weights` AS `l1`
  ON `l1`.item = 1 AND `l1`.`key_1` = (m.`key_1` & CAST(24 AS BIGINT)) AND `l1`.`key_2` = (m.`key_2` & CAST(0 AS BIGINT))
JOIN `weights` AS `l2`
  ON `l2`.item = 2 AND `l2`.`key_1` = (m.`key_1` & CAST(0 AS BIGINT)) AND `l2`.`key_2` = (m.`key_2` & CAST(6 AS BIGINT))
