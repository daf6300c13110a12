-- smallest_classes
SELECT
  0 AS requirement,
  MIN(s."part_0") AS "low_0",
  MAX(s."part_0") AS "high_0",
  MIN(s."part_2") AS "low_2",
  MAX(s."part_2") AS "high_2",
  s.size
FROM (
  SELECT
    t.*,
    MIN(t.size) OVER () AS smallest
  FROM (
    SELECT
      "c"."part_0",
      "c"."part_2",
      c.row_count AS size
    FROM "fewer" AS c
  ) AS t
) AS s
WHERE s.size = s.smallest
GROUP BY s.size
UNION ALL
SELECT
  1 AS requirement,
  CAST(NULL AS INTEGER) AS "low_0",
  CAST(NULL AS INTEGER) AS "high_0",
  MIN(s."part_2") AS "low_2",
  MAX(s."part_2") AS "high_2",
  s.size
FROM (
  SELECT
    t.*,
    MIN(t.size) OVER () AS smallest
  FROM (
    SELECT
      "c"."part_2",
      CAST(SUM("c".row_count) AS BIGINT) AS size
    FROM "fewer" AS c
    GROUP BY "c"."part_2"
  ) AS t
) AS s
WHERE s.size = s.smallest
GROUP BY s.size
