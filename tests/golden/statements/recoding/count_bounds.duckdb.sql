-- count_bounds
SELECT b.axis, COUNT(*) AS bounds, COUNT(r.place) AS rare
FROM (
  SELECT CAST(0 AS INTEGER) AS axis, "low_0" AS place
  FROM "en'ds" AS s
  WHERE "low_0" >= 0
  UNION
  SELECT CAST(0 AS INTEGER) AS axis, "high_0" AS place
  FROM "en'ds" AS s
  WHERE "low_0" >= 0
  UNION
  SELECT CAST(1 AS INTEGER) AS axis, "low_1" AS place
  FROM "en'ds" AS s
  WHERE "low_1" >= 0
  UNION
  SELECT CAST(1 AS INTEGER) AS axis, "high_1" AS place
  FROM "en'ds" AS s
  WHERE "low_1" >= 0
) AS b
LEFT JOIN "ra're-entity" AS r ON r.axis = b.axis AND r.place = b.place
GROUP BY b.axis
ORDER BY b.axis
