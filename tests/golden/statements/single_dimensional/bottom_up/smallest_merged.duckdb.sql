-- smallest_merged
SELECT
  0 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT CAST(SUM("t".row_count) AS BIGINT) AS size
  FROM (
    SELECT
      CASE WHEN c."part_0" BETWEEN 0 AND 2 THEN 0 ELSE c."part_0" END AS "part_0",
      c."part_2",
      c.row_count
    FROM "fewer" AS c
  ) AS t
  GROUP BY "t"."part_0", "t"."part_2"
) AS s
UNION ALL
SELECT
  1 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT CAST(SUM("t".row_count) AS BIGINT) AS size
  FROM (
    SELECT
      CASE WHEN c."part_2" BETWEEN 0 AND 1 THEN 0 ELSE c."part_2" END AS "part_2",
      c.row_count
    FROM "fewer" AS c
  ) AS t
  GROUP BY "t"."part_2"
) AS s
