-- candidate_values-nulls
CREATE TEMP TABLE "candi'dates-nulls" AS
SELECT
  o.first_class,
  o.second_class,
  v.value
FROM "over'laps" AS o
JOIN "attacked val'ues-nulls 1" AS v ON v.class = o.first_class
JOIN "attacked val'ues-nulls 1" AS w
  ON w.class = o.second_class AND "w"."value" IS NOT DISTINCT FROM "v"."value"
UNION ALL
SELECT
  class AS first_class,
  '' AS second_class,
  value
FROM (
SELECT
  v.class,
  v.value
FROM (
  SELECT
    e.*,
    SUM(at_least) OVER (PARTITION BY class) AS all_at_least
  FROM (
    SELECT
      v.class,
      v.value,
      GREATEST(
        v.row_count - COALESCE(SUM(LEAST(o.persons, COALESCE(w.row_count, 0) + c.without_value)), 0),
        0
      ) AS at_least
    FROM "attacked val'ues-nulls 1" AS v
    LEFT JOIN "over'laps" AS o ON o."first_class" = v.class AND o."second_class" <> ''
    LEFT JOIN "attacked clas'ses-nulls 1" AS c ON c.class = o."second_class"
    LEFT JOIN "attacked val'ues-nulls 1" AS w
      ON w.class = o."second_class" AND "w"."value" IS NOT DISTINCT FROM "v"."value"
    GROUP BY v.class, v.value, v.row_count
  ) AS e
) AS v
JOIN (
  SELECT
    c.class,
    c.row_count - COALESCE(SUM(CASE WHEN o."second_class" <> '' THEN o.persons ELSE 0 END), 0) AS others
  FROM "attacked clas'ses-nulls 1" AS c
  JOIN "over'laps" AS o ON o."first_class" = c.class
  GROUP BY c.class, c.row_count
  HAVING MAX(CASE WHEN o."second_class" = '' THEN 1 ELSE 0 END) = 1
) AS f ON f.class = v.class
WHERE v.all_at_least - v.at_least < f.others
) AS r
UNION ALL
SELECT
  '' AS first_class,
  class AS second_class,
  value
FROM (
SELECT
  v.class,
  v.value
FROM (
  SELECT
    e.*,
    SUM(at_least) OVER (PARTITION BY class) AS all_at_least
  FROM (
    SELECT
      v.class,
      v.value,
      GREATEST(
        v.row_count - COALESCE(SUM(LEAST(o.persons, COALESCE(w.row_count, 0) + c.without_value)), 0),
        0
      ) AS at_least
    FROM "attacked val'ues-nulls 1" AS v
    LEFT JOIN "over'laps" AS o ON o."second_class" = v.class AND o."first_class" <> ''
    LEFT JOIN "attacked clas'ses-nulls 1" AS c ON c.class = o."first_class"
    LEFT JOIN "attacked val'ues-nulls 1" AS w
      ON w.class = o."first_class" AND "w"."value" IS NOT DISTINCT FROM "v"."value"
    GROUP BY v.class, v.value, v.row_count
  ) AS e
) AS v
JOIN (
  SELECT
    c.class,
    c.row_count - COALESCE(SUM(CASE WHEN o."first_class" <> '' THEN o.persons ELSE 0 END), 0) AS others
  FROM "attacked clas'ses-nulls 1" AS c
  JOIN "over'laps" AS o ON o."second_class" = c.class
  GROUP BY c.class, c.row_count
  HAVING MAX(CASE WHEN o."first_class" = '' THEN 1 ELSE 0 END) = 1
) AS f ON f.class = v.class
WHERE v.all_at_least - v.at_least < f.others
) AS r
