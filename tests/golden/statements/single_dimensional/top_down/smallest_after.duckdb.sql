-- smallest_after
SELECT
  0 AS requirement,
  0 AS quasi,
  s.part,
  MIN(s.size) AS smallest
FROM (
  SELECT
    l."part_0" AS part,
    CAST(SUM("l".row_count) AS BIGINT) AS size
  FROM "linked" AS l
  WHERE l."child_0" IS NOT NULL
  GROUP BY "l"."part_0", "l"."part_1", l."child_0"
) AS s
GROUP BY s.part
UNION ALL
SELECT
  0 AS requirement,
  1 AS quasi,
  s.part,
  MIN(s.size) AS smallest
FROM (
  SELECT
    l."part_1" AS part,
    CAST(SUM("l".row_count) AS BIGINT) AS size
  FROM "linked" AS l
  WHERE l."child_1" IS NOT NULL
  GROUP BY "l"."part_0", "l"."part_1", l."child_1"
) AS s
GROUP BY s.part
UNION ALL
SELECT
  1 AS requirement,
  1 AS quasi,
  s.part,
  MIN(s.size) AS smallest
FROM (
  SELECT
    l."part_1" AS part,
    CAST(SUM("l".row_count) AS BIGINT) AS size
  FROM "linked" AS l
  WHERE l."child_1" IS NOT NULL
  GROUP BY "l"."part_1", l."child_1"
) AS s
GROUP BY s.part
