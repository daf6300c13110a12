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
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN("entities") AS smallest,
  COALESCE(MIN(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN "entities" END), 0) AS smallest_kept,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM("entities") AS BIGINT) AS "entities",
  CAST(SUM("measure_1") AS BIGINT) AS "measure_1",
  CAST(SUM("measure_2") AS BIGINT) AS "measure_2"
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
GROUP BY node

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
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN("entities") AS smallest,
  COALESCE(MIN(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN "entities" END), 0) AS smallest_kept,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM("entities") AS BIGINT) AS "entities",
  CAST(SUM("measure_1") AS BIGINT) AS "measure_1",
  CAST(SUM("measure_2") AS BIGINT) AS "measure_2"
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
GROUP BY node

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
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN(`entities`) AS smallest,
  COALESCE(MIN(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN `entities` END), 0) AS smallest_kept,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM(`entities`) AS BIGINT) AS `entities`,
  CAST(SUM(`measure_1`) AS BIGINT) AS `measure_1`,
  CAST(SUM(`measure_2`) AS BIGINT) AS `measure_2`
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
GROUP BY node
