-- class_sizes-node
SELECT
  "row_count" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST(? AS BIGINT) AS "key_1",
      f."key_2" & CAST(? AS BIGINT) AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    GROUP BY 2, 3
  ) AS "p0"
) AS c
WHERE "row_count" >= 2
GROUP BY node, "row_count"
ORDER BY node, class_size
