-- duckdb
WITH persons AS (
  SELECT
    node,
    entity,
    ARRAY_TO_STRING(LIST_SORT(LIST("tuple_text")), ',') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST("key_1" AS VARCHAR), ' ', CAST("key_2" AS VARCHAR), ' ', CAST("row_count" AS VARCHAR)) AS tuple_text,
      row_count
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  COALESCE(SUM(CAST("m"."row_count" AS DOUBLE) * CAST("l1"."leaves" AS DOUBLE) * CAST("l2"."leaves" AS DOUBLE)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN "l1"."leaves" > 1 THEN m.row_count * "l1"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_1",
  CAST(COALESCE(SUM(CASE WHEN "l2"."leaves" > 1 THEN m.row_count * "l2"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_2"
FROM (
  SELECT
    f."key_1" & CAST(24 AS BIGINT) AS "key_1",
    f."key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_1") AS "measure_1"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p1"
    ON p0.node = "p1".node AND p0.signature = "p1".signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_2") AS "measure_2"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p2"
    ON p0.node = "p2".node AND p0.signature = "p2".signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN "frequency ""set"" 2" AS f ON f.entity = p.entity
  WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
  GROUP BY f."key_1" & CAST(24 AS BIGINT), f."key_2" & CAST(6 AS BIGINT)
) AS m
JOIN "weights" AS "l1"
  ON "l1".item = 1 AND "l1"."key_1" = (m."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (m."key_2" & CAST(0 AS BIGINT))
JOIN "weights" AS "l2"
  ON "l2".item = 2 AND "l2"."key_1" = (m."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (m."key_2" & CAST(6 AS BIGINT))

-- postgres
WITH persons AS (
  SELECT
    node,
    entity,
    COALESCE(STRING_AGG("tuple_text", ',' ORDER BY "tuple_text" COLLATE "C"), '') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST("key_1" AS TEXT), ' ', CAST("key_2" AS TEXT), ' ', CAST("row_count" AS TEXT)) AS tuple_text,
      row_count
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($1 AS BIGINT) AS "key_1",
        f."key_2" & CAST($2 AS BIGINT) AS "key_2",
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  COALESCE(SUM(CAST("m"."row_count" AS DOUBLE PRECISION) * CAST("l1"."leaves" AS DOUBLE PRECISION) * CAST("l2"."leaves" AS DOUBLE PRECISION)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN "l1"."leaves" > 1 THEN m.row_count * "l1"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_1",
  CAST(COALESCE(SUM(CASE WHEN "l2"."leaves" > 1 THEN m.row_count * "l2"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_2"
FROM (
  SELECT
    f."key_1" & CAST(24 AS BIGINT) AS "key_1",
    f."key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_1") AS "measure_1"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p1"
    ON p0.node = "p1".node AND p0.signature = "p1".signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_2") AS "measure_2"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p2"
    ON p0.node = "p2".node AND p0.signature = "p2".signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN "frequency ""set"" 2" AS f ON f.entity = p.entity
  WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
  GROUP BY f."key_1" & CAST(24 AS BIGINT), f."key_2" & CAST(6 AS BIGINT)
) AS m
JOIN "weights" AS "l1"
  ON "l1".item = 1 AND "l1"."key_1" = (m."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (m."key_2" & CAST(0 AS BIGINT))
JOIN "weights" AS "l2"
  ON "l2".item = 2 AND "l2"."key_1" = (m."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (m."key_2" & CAST(6 AS BIGINT))

-- spark
WITH persons AS (
  SELECT
    node,
    entity,
    ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`tuple_text`)), ',') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST(`key_1` AS STRING), ' ', CAST(`key_2` AS STRING), ' ', CAST(`row_count` AS STRING)) AS tuple_text,
      row_count
    FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  COALESCE(SUM(CAST(`m`.`row_count` AS DOUBLE) * CAST(`l1`.`leaves` AS DOUBLE) * CAST(`l2`.`leaves` AS DOUBLE)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN `l1`.`leaves` > 1 THEN m.row_count * `l1`.`leaves` ELSE 0 END), 0) AS BIGINT) AS `wide_1`,
  CAST(COALESCE(SUM(CASE WHEN `l2`.`leaves` > 1 THEN m.row_count * `l2`.`leaves` ELSE 0 END), 0) AS BIGINT) AS `wide_2`
FROM (
  SELECT
    f.`key_1` & CAST(24 AS BIGINT) AS `key_1`,
    f.`key_2` & CAST(6 AS BIGINT) AS `key_2`,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p2`.`measure_2`
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT `sensitive_1`) AS `measure_1`
    FROM `frequency "set" 2` AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS `p1`
    ON p0.node = `p1`.node AND p0.signature = `p1`.signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT `sensitive_2`) AS `measure_2`
    FROM `frequency "set" 2` AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.signature = `p2`.signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN `frequency "set" 2` AS f ON f.entity = p.entity
  WHERE `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1
  GROUP BY f.`key_1` & CAST(24 AS BIGINT), f.`key_2` & CAST(6 AS BIGINT)
) AS m
JOIN `weights` AS `l1`
  ON `l1`.item = 1 AND `l1`.`key_1` = (m.`key_1` & CAST(24 AS BIGINT)) AND `l1`.`key_2` = (m.`key_2` & CAST(0 AS BIGINT))
JOIN `weights` AS `l2`
  ON `l2`.item = 2 AND `l2`.`key_1` = (m.`key_1` & CAST(0 AS BIGINT)) AND `l2`.`key_2` = (m.`key_2` & CAST(6 AS BIGINT))
