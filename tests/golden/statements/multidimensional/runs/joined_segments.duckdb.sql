-- joined_segments
CREATE TEMP TABLE "pai'rs" AS
SELECT begins, ends, MIN(loss) AS loss
FROM (
  SELECT
    l.begins,
    r.ends,
    (l.loss & -16) + (r.loss & -16) + (l.ends & 15) AS loss
  FROM "los'ses" AS l
  JOIN "los'ses" AS r ON r.begins = l.ends
  WHERE (l.begins & 16) = 0
) AS p
GROUP BY begins, ends
UNION ALL
SELECT begins, ends, loss | 15 AS loss
FROM "los'ses" AS l
WHERE (begins & 16) = 0 AND (ends & 112) = 112
