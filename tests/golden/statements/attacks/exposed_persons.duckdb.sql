-- exposed_persons
SELECT
  p.person,
  e.value
FROM "per'sons" AS p
JOIN (
  SELECT
    first_class,
    second_class,
    MAX(value) AS value
  FROM "candi'dates-nulls"
  GROUP BY first_class, second_class
  HAVING COUNT(*) = 1
) AS e ON e.first_class = p.first_class AND e.second_class = p.second_class
ORDER BY encode(CAST("p"."person" AS VARCHAR))
LIMIT 3
