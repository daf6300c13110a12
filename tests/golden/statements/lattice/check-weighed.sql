-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" <= 250000000 * "base_1" AND "measure_2" <= 500000000 * "base_2" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" <= 250000000 * "base_1" AND "measure_2" <= 500000000 * "base_2" THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM("entities") AS BIGINT) AS "entities"
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p1"."base_1",
    "p2"."measure_2",
    "p2"."base_2"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX("kanon_of_class_0") * MAX("kanon_of_table_0") > 0 THEN 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) END, 1) AS "measure_1",
      COALESCE(MAX("kanon_of_class_0") * MAX("kanon_of_table_0"), 0) AS "base_1"
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive" ORDER BY "r"."sensitive") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1", f.entity
  ) AS r
  ) AS r
LEFT JOIN "values' counts 0" AS "w0"
  ON "r"."sensitive" IS NOT DISTINCT FROM "w0"."value"
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
      COALESCE(CASE WHEN MAX("kanon_of_class_0") * MAX("kanon_of_table_0") > 0 THEN 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) END, 1) AS "measure_2",
      COALESCE(MAX("kanon_of_class_0") * MAX("kanon_of_table_0"), 0) AS "base_2"
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive" ORDER BY "r"."sensitive") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_2" AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2", f.entity
  ) AS r
  ) AS r
LEFT JOIN "values' counts 1" AS "w0"
  ON "r"."sensitive" IS NOT DISTINCT FROM "w0"."value"
) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" <= 250000000 * "base_1" AND "measure_2" <= 500000000 * "base_2" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" <= 250000000 * "base_1" AND "measure_2" <= 500000000 * "base_2" THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM("entities") AS BIGINT) AS "entities"
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p1"."base_1",
    "p2"."measure_2",
    "p2"."base_2"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT)), (2, CAST($5 AS BIGINT), CAST($6 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX("kanon_of_class_0") * MAX("kanon_of_table_0") > 0 THEN 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) END, 1) AS "measure_1",
      COALESCE(MAX("kanon_of_class_0") * MAX("kanon_of_table_0"), 0) AS "base_1"
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive" ORDER BY "r"."sensitive") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($7 AS BIGINT), CAST($8 AS BIGINT)), (1, CAST($9 AS BIGINT), CAST($10 AS BIGINT)), (2, CAST($11 AS BIGINT), CAST($12 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1", f.entity
  ) AS r
  ) AS r
LEFT JOIN "values' counts 0" AS "w0"
  ON ARRAY["r"."sensitive"] = ARRAY["w0"."value"]
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
      COALESCE(CASE WHEN MAX("kanon_of_class_0") * MAX("kanon_of_table_0") > 0 THEN 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) END, 1) AS "measure_2",
      COALESCE(MAX("kanon_of_class_0") * MAX("kanon_of_table_0"), 0) AS "base_2"
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive" ORDER BY "r"."sensitive") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "r"."sensitive" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", "r"."sensitive", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_2" AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($13 AS BIGINT), CAST($14 AS BIGINT)), (1, CAST($15 AS BIGINT), CAST($16 AS BIGINT)), (2, CAST($17 AS BIGINT), CAST($18 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2", f.entity
  ) AS r
  ) AS r
LEFT JOIN "values' counts 1" AS "w0"
  ON ARRAY["r"."sensitive"] = ARRAY["w0"."value"]
) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` <= 250000000 * `base_1` AND `measure_2` <= 500000000 * `base_2` THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` <= 250000000 * `base_1` AND `measure_2` <= 500000000 * `base_2` THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM(`entities`) AS BIGINT) AS `entities`
FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p1`.`base_1`,
    `p2`.`measure_2`,
    `p2`.`base_2`
  FROM (
    SELECT
      v.node,
      f.`key_1` & v.`mask_1` AS `key_1`,
      f.`key_2` & v.`mask_2` AS `key_2`,
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 2` AS f
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
  ) AS `p0`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) > 0 THEN 1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) END, 1) AS `measure_1`,
      COALESCE(MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`), 0) AS `base_1`
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `r`.`sensitive` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive` ORDER BY `r`.`sensitive`) = 1
          THEN SUM(r.`kanon_pair_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(r.`kanon_pair_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`
  FROM (
  SELECT
    r.*,
    CASE
      WHEN `r`.`entity` IS NOT NULL AND `r`.`sensitive` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive`, `r`.`entity` ORDER BY `r`.`entity`) = 1 THEN 1
    END AS `kanon_pair_0`
  FROM (
      SELECT
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.`sensitive_1` AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_1`, f.entity
  ) AS r
  ) AS r
LEFT JOIN `values' counts 0` AS `w0`
  ON `r`.`sensitive` IS NOT DISTINCT FROM `w0`.`value`
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
      COALESCE(CASE WHEN MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) > 0 THEN 1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) END, 1) AS `measure_2`,
      COALESCE(MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`), 0) AS `base_2`
    FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `r`.`sensitive` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive` ORDER BY `r`.`sensitive`) = 1
          THEN SUM(r.`kanon_pair_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(r.`kanon_pair_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`
  FROM (
  SELECT
    r.*,
    CASE
      WHEN `r`.`entity` IS NOT NULL AND `r`.`sensitive` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, `r`.`sensitive`, `r`.`entity` ORDER BY `r`.`entity`) = 1 THEN 1
    END AS `kanon_pair_0`
  FROM (
      SELECT
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.`sensitive_2` AS sensitive,
        f.entity,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_2`, f.entity
  ) AS r
  ) AS r
LEFT JOIN `values' counts 1` AS `w0`
  ON `r`.`sensitive` IS NOT DISTINCT FROM `w0`.`value`
) AS t
    GROUP BY 1, 2, 3
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.`key_1` = `p2`.`key_1` AND p0.`key_2` = `p2`.`key_2`
) AS c
GROUP BY node
