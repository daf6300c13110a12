-- shared_values
SELECT COUNT(*) AS shared
FROM (
  SELECT v.place
  FROM "measu'red values se""x" AS v
  JOIN (
    SELECT DISTINCT "key_0" AS label
    FROM "measu'red classes"
  ) AS g ON g.label = v.label
  GROUP BY v.place
  HAVING COUNT(DISTINCT v.label) > 1
) AS s
