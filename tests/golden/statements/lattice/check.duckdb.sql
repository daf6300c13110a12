-- check
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE row_count END) AS suppressed,
  MIN("row_count") AS smallest,
  COALESCE(MIN(CASE WHEN "row_count" >= 2 THEN "row_count" END), 0) AS smallest_kept,
  SUM(CASE WHEN "row_count" >= 2 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares
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
GROUP BY node
