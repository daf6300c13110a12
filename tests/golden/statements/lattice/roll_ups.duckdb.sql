-- roll_ups-narrow
CREATE TEMP TABLE "coarser, narrow" AS
SELECT
  v.node,
  f."key_1" & v."mask_1" AS "key_1",
  f."key_2" & v."mask_2" AS "key_2",
  CAST(SUM("f"."row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 0" AS f
CROSS JOIN (
  VALUES
    (0, CAST(127 AS BIGINT), CAST(31 AS BIGINT)),
    (1, CAST(24 AS BIGINT), CAST(6 AS BIGINT)),
    (2, CAST(0 AS BIGINT), CAST(0 AS BIGINT))
) AS v (node, "mask_1", "mask_2")
GROUP BY 1, 2, 3
