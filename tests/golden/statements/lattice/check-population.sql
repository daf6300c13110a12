-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN 0 ELSE row_count END) AS suppressed,
  8 - CAST(SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN in_population ELSE 0 END) AS BIGINT) AS beyond
FROM (
SELECT
    p0.*,
    COALESCE(g.in_population, 0) AS in_population,
    COALESCE("g"."in_population", 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0))
      - 1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_3",
    CAST(8 - SUM(COALESCE("g"."in_population", 0)) OVER (PARTITION BY "p0"."node") AS BIGINT) AS "measure_4"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  LEFT JOIN (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM(f.row_count) AS BIGINT) AS in_population
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS g
    ON p0.node = g.node AND p0."key_1" = g."key_1" AND p0."key_2" = g."key_2"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN 0 ELSE row_count END) AS suppressed,
  8 - CAST(SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 THEN in_population ELSE 0 END) AS BIGINT) AS beyond
FROM (
SELECT
    p0.*,
    COALESCE(g.in_population, 0) AS in_population,
    COALESCE("g"."in_population", 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0))
      - 1000000000 * CAST("p0"."row_count" AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE("g"."in_population", 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_3",
    CAST(8 - SUM(COALESCE("g"."in_population", 0)) OVER (PARTITION BY "p0"."node") AS BIGINT) AS "measure_4"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT)), (2, CAST($5 AS BIGINT), CAST($6 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  LEFT JOIN (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM(f.row_count) AS BIGINT) AS in_population
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST($7 AS BIGINT), CAST($8 AS BIGINT)), (1, CAST($9 AS BIGINT), CAST($10 AS BIGINT)), (2, CAST($11 AS BIGINT), CAST($12 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS g
    ON p0.node = g.node AND p0."key_1" = g."key_1" AND p0."key_2" = g."key_2"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `row_count` >= 1 AND `measure_1` >= 2 AND `measure_2` <= 750000000 AND `measure_3` >= 100000000 AND `measure_4` <= 0 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `row_count` >= 1 AND `measure_1` >= 2 AND `measure_2` <= 750000000 AND `measure_3` >= 100000000 AND `measure_4` <= 0 THEN 0 ELSE row_count END) AS suppressed,
  8 - CAST(SUM(CASE WHEN `row_count` >= 1 AND `measure_1` >= 2 AND `measure_2` <= 750000000 AND `measure_3` >= 100000000 AND `measure_4` <= 0 THEN in_population ELSE 0 END) AS BIGINT) AS beyond
FROM (
SELECT
    p0.*,
    COALESCE(g.in_population, 0) AS in_population,
    COALESCE(`g`.`in_population`, 0) AS `measure_1`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(`p0`.`row_count` AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(`p0`.`row_count` AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS `measure_2`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(`p0`.`row_count` AS DECIMAL(38, 0))
      - 1000000000 * CAST(`p0`.`row_count` AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(`g`.`in_population`, 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS `measure_3`,
    CAST(8 - SUM(COALESCE(`g`.`in_population`, 0)) OVER (PARTITION BY `p0`.`node`) AS BIGINT) AS `measure_4`
  FROM (
    SELECT
      v.node,
      f.`key_1` & v.`mask_1` AS `key_1`,
      f.`key_2` & v.`mask_2` AS `key_2`,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 0` AS f
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
  ) AS `p0`
  LEFT JOIN (
    SELECT
      v.node,
      f.`key_1` & v.`mask_1` AS `key_1`,
      f.`key_2` & v.`mask_2` AS `key_2`,
      CAST(SUM(f.row_count) AS BIGINT) AS in_population
    FROM `frequency "set" 0` AS f
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
  ) AS g
    ON p0.node = g.node AND p0.`key_1` = g.`key_1` AND p0.`key_2` = g.`key_2`
) AS c
GROUP BY node
