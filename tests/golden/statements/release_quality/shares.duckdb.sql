-- shares
CREATE TEMP TABLE "measu'red shares se""x" AS
SELECT
  query,
  label,
  CAST("taken" AS DOUBLE) / CAST("under" AS DOUBLE) AS share
FROM (
  SELECT
    q.query,
    v.label,
    MAX(u.under) AS under,
    COUNT(DISTINCT v.place) AS taken
  FROM (
    SELECT
      value AS query,
      CAST(first_place AS BIGINT) AS first_place,
      CAST(last_place AS BIGINT) AS last_place
    FROM "measu'red ranges"
    WHERE quasi = '0'
  ) AS q
  JOIN (
    SELECT
      "own" AS label,
      place
    FROM "measu'red values se""x"
  ) AS v ON v.place BETWEEN q.first_place AND q.last_place
  JOIN (
    SELECT
      "own" AS label,
      COUNT(DISTINCT place) AS under
    FROM "measu'red values se""x"
    GROUP BY "own"
  ) AS u ON u.label = v.label
  GROUP BY q.query, v.label
) AS s
