-- check_thresholds
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM("short_1") AS "failing_1",
  SUM("short_1" * row_count) AS "suppressed_1",
  SUM((1 - "short_1") * row_count * row_count) AS "kept_1",
  SUM("short_2") AS "failing_2",
  SUM("short_2" * row_count) AS "suppressed_2",
  SUM((1 - "short_2") * row_count * row_count) AS "kept_2"
FROM (
  SELECT
    node,
    CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END AS "short_1",
    CASE WHEN "row_count" >= 0 THEN 0 ELSE 1 END AS "short_2",
    row_count
  FROM (
SELECT
    p0.*
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
  ) AS c
) AS b
GROUP BY node
