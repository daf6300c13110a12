-- sections
CREATE TEMP TABLE "coun'ted" AS
SELECT
  section,
  runs,
  slack,
  LEAST(slack, 10) AS steps
FROM (
  SELECT
    section,
    runs,
    row_count - runs * 2 AS slack
  FROM (
    SELECT
      region AS section,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      CASE
        WHEN COUNT(*) = 1 THEN 1
        ELSE GREATEST(CAST((CAST(SUM(row_count) AS BIGINT) - CAST(SUM(row_count) AS BIGINT) % 2) / 2 AS BIGINT), 1)
      END AS runs
    FROM "sec'tions" AS p
    GROUP BY region
  ) AS c
) AS s
