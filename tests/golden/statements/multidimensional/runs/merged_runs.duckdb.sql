-- merged_runs-far
CREATE TEMP TABLE "merged fa'r" AS
SELECT
  region,
  MAX(CASE WHEN joins = 0 THEN region END) OVER (PARTITION BY leaf ORDER BY region ROWS UNBOUNDED PRECEDING) AS merged
FROM (
  SELECT
    leaf,
    region,
    CASE
      WHEN nth = 1 THEN 0
      WHEN fits = 0 AND nth = many THEN 1
      WHEN fits_near = 0 THEN 1
      ELSE 0
    END AS joins
  FROM (
    SELECT
      p.*,
      MIN(fits) OVER (PARTITION BY leaf ORDER BY nth ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS fits_near
    FROM (
      SELECT
        s.*,
        ROW_NUMBER() OVER (PARTITION BY leaf, fits, streak ORDER BY nth) AS place
      FROM (
        SELECT
          r.*,
          nth - ROW_NUMBER() OVER (PARTITION BY leaf, fits ORDER BY nth) AS streak
        FROM (
          SELECT
            d.leaf,
            d.region,
            CASE WHEN u.region IS NULL THEN 1 ELSE 0 END AS fits,
            ROW_NUMBER() OVER (PARTITION BY d.leaf ORDER BY d.region) AS nth,
            COUNT(*) OVER (PARTITION BY d.leaf) AS many
          FROM (SELECT DISTINCT leaf, region FROM "ru'ns" AS t) AS d
          LEFT JOIN "un'fit runs" AS u ON u.region = d.region
        ) AS r
      ) AS s
    ) AS p
  ) AS q
) AS j
