-- duckdb, postgres
CREATE TEMP TABLE "every class of" AS
SELECT
  v.node,
  f."key_1" & v."mask_1" AS "key_1",
  f."key_2" & v."mask_2" AS "key_2",
  f."sensitive_1",
  f."sensitive_2",
  f.entity,
  CAST(SUM("f"."row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 2" AS f
CROSS JOIN (
  VALUES
    (0, CAST(24 AS BIGINT), CAST(6 AS BIGINT))
) AS v (node, "mask_1", "mask_2")
GROUP BY 1, 2, 3, 4, 5, 6

-- spark
CREATE TEMP VIEW `every class of` AS
SELECT
  v.node,
  f.`key_1` & v.`mask_1` AS `key_1`,
  f.`key_2` & v.`mask_2` AS `key_2`,
  f.`sensitive_1`,
  f.`sensitive_2`,
  f.entity,
  CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
FROM `frequency "set" 2` AS f
CROSS JOIN (
  VALUES
    (0, CAST(24 AS BIGINT), CAST(6 AS BIGINT))
) AS v (node, `mask_1`, `mask_2`)
GROUP BY 1, 2, 3, 4, 5, 6
