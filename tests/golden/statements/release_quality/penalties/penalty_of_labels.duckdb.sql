-- penalty_of_labels
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN e.different = 1 THEN 0
    ELSE CAST("e"."different" AS DOUBLE) / CAST("d"."different" AS DOUBLE)
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    label,
    SUM(row_count) AS row_count
  FROM "weigh'ed se""x"
  GROUP BY label
) AS l
JOIN (
  SELECT
    label,
    COUNT(*) AS different,
    SUM(CASE WHEN spot IS NULL THEN 1 ELSE 0 END) AS without,
    MAX(spot) - MIN(spot) AS width
  FROM (
    SELECT
      v.label,
      CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM (
      SELECT
        label,
        value
      FROM "weigh'ed se""x"
      UNION
      SELECT
        COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '') AS label,
        d.value
      FROM "domain se""x" AS d
      JOIN "complete se""x" AS p
        ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"    ) AS v
  ) AS s
  GROUP BY label
) AS e ON e.label = l.label
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM "domain se""x" AS v
  ) AS s
) AS d
