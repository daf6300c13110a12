-- duckdb, postgres
CREATE TEMP TABLE "al'l" AS
SELECT begins, ends, MIN(loss) AS loss
FROM (
  SELECT
    l.begins,
    r.ends,
    (l.loss & -16) + (r.loss & -16) + (l.ends & 15) AS loss
  FROM "pai'rs" AS l
  JOIN "pai'rs" AS r ON r.begins = l.ends
  WHERE (l.begins & 32) = 0
) AS p
GROUP BY begins, ends
UNION ALL
SELECT begins, ends, loss | 15 AS loss
FROM "pai'rs" AS l
WHERE (begins & 32) = 0 AND (ends & 112) = 112

-- spark
CREATE TEMP VIEW `al'l` AS
SELECT begins, ends, MIN(loss) AS loss
FROM (
  SELECT
    l.begins,
    r.ends,
    (l.loss & -16) + (r.loss & -16) + (l.ends & 15) AS loss
  FROM `pai'rs` AS l
  JOIN `pai'rs` AS r ON r.begins = l.ends
  WHERE (l.begins & 32) = 0
) AS p
GROUP BY begins, ends
UNION ALL
SELECT begins, ends, loss | 15 AS loss
FROM `pai'rs` AS l
WHERE (begins & 32) = 0 AND (ends & 112) = 112
