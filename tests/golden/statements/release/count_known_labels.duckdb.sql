-- count_known_labels
SELECT
  0 AS number,
  COUNT(r.label) AS labels,
  COUNT(p.label) AS known
FROM (
  SELECT DISTINCT decode(encode(CAST("r"."zip; --" AS VARCHAR))) AS label
  FROM "the source; DROP TABLE x" AS r
) AS r
LEFT JOIN (
  SELECT DISTINCT label
  FROM "la'bels 0" AS p
) AS p
  ON p.label = r.label
UNION ALL
SELECT
  1 AS number,
  COUNT(r.label) AS labels,
  COUNT(p.label) AS known
FROM (
  SELECT DISTINCT decode(encode(CAST("r"."age
of 👩" AS VARCHAR))) AS label
  FROM "the source; DROP TABLE x" AS r
) AS r
LEFT JOIN (
  SELECT DISTINCT label
  FROM "la'bels 1" AS p
) AS p
  ON p.label = r.label
ORDER BY number
