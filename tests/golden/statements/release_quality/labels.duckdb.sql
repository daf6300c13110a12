-- labels-measured
CREATE TEMP TABLE "measu'red labels se""x" AS
SELECT
  label,
  CASE WHEN MIN(level) = MAX(level) THEN MIN(level) END AS level,
  CASE WHEN MIN(leaves) = MAX(leaves) THEN MIN(leaves) END AS leaves,
  MAX(row_count) AS row_count
FROM (
  SELECT
    0 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label,
      1 AS leaves,
      d.row_count
    FROM "domain se""x" AS d
    JOIN "complete se""x" AS p
      ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    1 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '') AS label,
      "p"."leaves_1" AS leaves,
      d.row_count
    FROM "domain se""x" AS d
    JOIN "complete se""x" AS p
      ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
) AS l
GROUP BY label
