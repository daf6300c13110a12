-- apportioned_common
CREATE TEMP TABLE "common'" AS
WITH marked AS (
  SELECT
    c.quasi,
    c.region,
    c.place,
    c.row_count,
    CASE WHEN r.place IS NULL THEN 1 ELSE 0 END AS is_common
  FROM "counts'" AS c
  LEFT JOIN "ra're-entity" AS r
    ON r.axis = c.quasi
    AND r.place = c.place
),
lacking AS (
  SELECT
    quasi,
    region,
    CAST(SUM(row_count) AS BIGINT) AS row_count,
    MIN(place) AS place
  FROM marked AS m
  GROUP BY quasi, region
  HAVING MAX(is_common) = 0
),
places AS (
  SELECT
    quasi,
    place,
    MAX(CASE WHEN is_common = 1 THEN place END) OVER (PARTITION BY quasi ORDER BY place ROWS UNBOUNDED PRECEDING) AS below,
    MIN(CASE WHEN is_common = 1 THEN place END) OVER (PARTITION BY quasi ORDER BY place DESC ROWS UNBOUNDED PRECEDING) AS above
  FROM (
    SELECT
      quasi,
      place,
      MAX(is_common) AS is_common
    FROM marked AS m
    WHERE place >= 0
    GROUP BY quasi, place
  ) AS p
)
SELECT
  quasi,
  region,
  place,
  row_count
FROM marked AS m
WHERE is_common = 1
UNION ALL
SELECT
  k.quasi,
  k.region,
  CASE
    WHEN p.below IS NULL THEN p.above
    WHEN p.above - p.place < p.place - p.below THEN p.above
    ELSE p.below
  END AS place,
  k.row_count
FROM lacking AS k
JOIN places AS p
  ON p.quasi = k.quasi
  AND p.place = k.place
WHERE p.below IS NOT NULL
  OR p.above IS NOT NULL
