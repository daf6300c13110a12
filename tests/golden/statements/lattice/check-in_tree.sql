-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 2 AND "measure_1" <= 500000000 * "base_1" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 2 AND "measure_1" <= 500000000 * "base_1" THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2) > 0 THEN 1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0")) END, 1) AS "measure_1",
      COALESCE((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2), 0) AS "base_1"
    FROM (
  SELECT
    r.*,
    SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_moved_0_1",
    SUM(CASE WHEN "kanon_first_0_1" = 1 THEN GREATEST("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0", 0) ELSE 0 END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END) AS "kanon_moved_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_in_class_0_1",
    ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1" ORDER BY "kanon_in_class_0") AS "kanon_first_0_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    "w0"."node_1" AS "kanon_own_node_0_1",
    CAST("w0"."node_rows_1" AS DECIMAL(38, 0)) AS "kanon_in_table_0_1"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1"
  ) AS r
LEFT JOIN "values' counts 4" AS "w0"
  ON "r"."sensitive" IS NOT DISTINCT FROM "w0"."value"
  ) AS r
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS "p0"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 2 AND "measure_1" <= 500000000 * "base_1" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 2 AND "measure_1" <= 500000000 * "base_1" THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2) > 0 THEN 1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0")) END, 1) AS "measure_1",
      COALESCE((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2), 0) AS "base_1"
    FROM (
  SELECT
    r.*,
    SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_moved_0_1",
    SUM(CASE WHEN "kanon_first_0_1" = 1 THEN GREATEST("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0", 0) ELSE 0 END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END) AS "kanon_moved_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_in_class_0_1",
    ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1" ORDER BY "kanon_in_class_0") AS "kanon_first_0_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    "w0"."node_1" AS "kanon_own_node_0_1",
    CAST("w0"."node_rows_1" AS DECIMAL(38, 0)) AS "kanon_in_table_0_1"
  FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT)), (2, CAST($5 AS BIGINT), CAST($6 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1"
  ) AS r
LEFT JOIN "values' counts 4" AS "w0"
  ON ARRAY["r"."sensitive"] = ARRAY["w0"."value"]
  ) AS r
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS "p0"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `row_count` >= 2 AND `measure_1` <= 500000000 * `base_1` THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `row_count` >= 2 AND `measure_1` <= 500000000 * `base_1` THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2) > 0 THEN 1000000000 * (1 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL AND `kanon_first_0_1` = 1 THEN LEAST(`kanon_moved_0_1`, `kanon_moved_0_1` - (`kanon_in_class_0_1` * `kanon_of_table_0` - `kanon_in_table_0_1` * `kanon_of_class_0`)) ELSE 0 END) + 2 * MAX(`kanon_moved_0`)) END, 1) AS `measure_1`,
      COALESCE((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2), 0) AS `base_1`
    FROM (
  SELECT
    r.*,
    SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1`) AS `kanon_moved_0_1`,
    SUM(CASE WHEN `kanon_first_0_1` = 1 THEN GREATEST(`kanon_in_class_0_1` * `kanon_of_table_0` - `kanon_in_table_0_1` * `kanon_of_class_0`, 0) ELSE 0 END) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END) AS `kanon_moved_0`
  FROM (
  SELECT
    r.*,
    SUM(`kanon_in_class_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1`) AS `kanon_in_class_0_1`,
    ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1` ORDER BY `kanon_in_class_0`) AS `kanon_first_0_1`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    `w0`.`node_1` AS `kanon_own_node_0_1`,
    CAST(`w0`.`node_rows_1` AS DECIMAL(38, 0)) AS `kanon_in_table_0_1`
  FROM (
      SELECT
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.`sensitive_1` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_1`
  ) AS r
LEFT JOIN `values' counts 4` AS `w0`
  ON `r`.`sensitive` IS NOT DISTINCT FROM `w0`.`value`
  ) AS r
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS `p0`
) AS c
GROUP BY node
