-- duckdb, postgres
SELECT b.axis, COUNT(*) AS bounds, COUNT(r.place) AS rare
FROM (
  SELECT DISTINCT CAST(0 AS INTEGER) AS axis, place
  FROM "o'ne-median" AS s
  WHERE place >= 0
) AS b
LEFT JOIN "ra're-entity" AS r ON r.axis = b.axis AND r.place = b.place
GROUP BY b.axis
ORDER BY b.axis

-- spark
SELECT b.axis, COUNT(*) AS bounds, COUNT(r.place) AS rare
FROM (
  SELECT DISTINCT CAST(0 AS INTEGER) AS axis, place
  FROM `o'ne-median` AS s
  WHERE place >= 0
) AS b
LEFT JOIN `ra're-entity` AS r ON r.axis = b.axis AND r.place = b.place
GROUP BY b.axis
ORDER BY b.axis
