-- heads
SELECT
  c.node,
  COUNT(*) AS all_classes,
  CAST(SUM((1 - c.fits) * c.row_count) AS BIGINT) AS suppressed,
  CAST(SUM(CASE WHEN c.fits = 1 THEN c.row_count * c.row_count ELSE c.row_count * CAST(8 AS BIGINT) END) AS BIGINT) AS cost,
  CAST(SUM(CASE WHEN c.fits = 1 THEN CASE WHEN 2 * c.even < 8 THEN GREATEST(c.bound, c.even * (c.row_count + c.row_count % c.parts) + c.row_count % c.parts) ELSE c.bound END ELSE c.row_count * CAST(8 AS BIGINT) END) AS BIGINT) AS bound
FROM (
  SELECT
    p.*,
    CAST((p.row_count - p.row_count % p.parts) / p.parts AS BIGINT) AS even
  FROM (
    SELECT
      g.*,
      GREATEST(1, CAST((g.row_count - g.row_count % 2) / 2 AS BIGINT)) AS parts,
      CASE WHEN "row_count" >= 2 THEN 1 ELSE 0 END AS fits
    FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        CAST(SUM(f.bound) AS BIGINT) AS bound,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM "all;set" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3
    ) AS g
  ) AS p
) AS c
GROUP BY c.node
