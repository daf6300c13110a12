-- compose
SELECT
  side,
  SUM(persons) AS persons,
  SUM(CASE WHEN values_left = 1 THEN persons ELSE 0 END) AS exposed,
  SUM(CASE WHEN values_left = 1 AND (first_different = 1 OR second_different = 1) THEN persons ELSE 0 END) AS exposed_alone,
  SUM(CASE WHEN values_left = 0 THEN persons ELSE 0 END) AS contradicted,
  SUM(persons * values_left) AS all_values_left,
  SUM(CASE WHEN side = 0 AND (values_left <> first_different OR values_left <> second_different) THEN persons ELSE 0 END) AS changed
FROM (
  SELECT
    CASE
      WHEN o.second_class = '' THEN 1
      WHEN o.first_class = '' THEN 2
      ELSE 0
    END AS side,
    o.persons,
    a.different AS first_different,
    b.different AS second_different,
    COALESCE(c.values_left, 0) AS values_left
  FROM "over'laps" AS o
  LEFT JOIN "attacked clas'ses 1" AS a ON a.class = o.first_class
  LEFT JOIN "attacked clas'ses 2" AS b ON b.class = o.second_class
  LEFT JOIN (
    SELECT
      first_class,
      second_class,
      COUNT(*) AS values_left
    FROM "candi'dates"
    GROUP BY first_class, second_class
  ) AS c ON c.first_class = o.first_class AND c.second_class = o.second_class
) AS g
GROUP BY side
