-- apportioned_common
CREATE TEMP TABLE "common'" AS
WITH lacking AS (
  SELECT
    r.quasi,
    r.region,
    r.row_count,
    r.place
  FROM "rows of ra're" AS r
  JOIN "spots'" AS s
    ON s.region = r.region
    AND s.row_count = r.row_count
),
places AS (
  SELECT
    quasi,
    place,
    MAX(CASE WHEN is_common = 1 THEN place END) OVER (PARTITION BY quasi ORDER BY place ROWS UNBOUNDED PRECEDING) AS below,
    MIN(CASE WHEN is_common = 1 THEN place END) OVER (PARTITION BY quasi ORDER BY place DESC ROWS UNBOUNDED PRECEDING) AS above
  FROM (
    SELECT
      p.quasi,
      p.place,
      CASE WHEN h.place IS NULL THEN 1 ELSE 0 END AS is_common
    FROM (
      SELECT DISTINCT
        quasi,
        place
      FROM "counts'" AS c
      WHERE place >= 0
        AND quasi IN (SELECT quasi FROM lacking)
    ) AS p
    LEFT JOIN "ra're-entity" AS h
      ON h.axis = p.quasi
      AND h.place = p.place
  ) AS m
)
SELECT
  c.quasi,
  c.region,
  c.place,
  c.row_count
FROM "counts'" AS c
LEFT JOIN "ra're-entity" AS h
  ON h.axis = c.quasi
  AND h.place = c.place
WHERE h.place IS NULL
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
