-- smallest_released
SELECT MIN(entities) AS smallest
FROM (
  SELECT COUNT(DISTINCT h.entity) AS entities
  FROM "ho'mes" AS h
  JOIN "box'es" AS b ON b.region = h.region
  GROUP BY "low_of_0", "high_of_0", "label_of_1", "label_of_2"
) AS c
