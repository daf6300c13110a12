-- leaf_orders
CREATE TEMP TABLE "ord'ers" AS
SELECT
  r.region,
  r.row_count AS leaf_rows,
  CAST(SUM(r.row_count) OVER (ORDER BY r.region ROWS UNBOUNDED PRECEDING) AS BIGINT) - r.row_count AS first_row,
  a."axis_0",
  a."radix_0",
  a."axis_1",
  a."radix_1",
  a."axis_2",
  a."radix_2"
FROM "re'gions" AS r
JOIN (
  SELECT
    region,
    MAX(CASE WHEN nth = 1 THEN axis END) AS "axis_0",
    MAX(CASE WHEN nth = 1 THEN radix END) AS "radix_0",
    MAX(CASE WHEN nth = 2 THEN axis END) AS "axis_1",
    MAX(CASE WHEN nth = 2 THEN radix END) AS "radix_1",
    MAX(CASE WHEN nth = 3 THEN axis END) AS "axis_2",
    MAX(CASE WHEN nth = 3 THEN radix END) AS "radix_2"
  FROM (
    SELECT
      region,
      axis,
      radix,
      ROW_NUMBER() OVER (
        PARTITION BY region
        ORDER BY CASE axis WHEN 1 THEN CAST(1.5 AS DOUBLE) ELSE 1 END * alike DESC, radix, axis
      ) AS nth
    FROM (
      SELECT
        k.region,
        k.axis,
        k.radix,
        k.alike
      FROM "leaf val'ues" AS k
    ) AS c
  ) AS o
  GROUP BY region
) AS a
  ON a.region = r.region
