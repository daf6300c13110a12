-- labels_to_raise-1
CREATE TEMP TABLE "raised; 1" AS
SELECT
  t.class_id,
  t.label_id
FROM (
  SELECT
    c.class_id,
    c.label_id,
    CAST((c.sets * 1000 - MOD(c.sets * 1000, p.people)) / p.people AS BIGINT) AS weight,
    MAX(CAST((c.sets * 1000 - MOD(c.sets * 1000, p.people)) / p.people AS BIGINT)) OVER (PARTITION BY c.class_id) AS greatest
  FROM (
    SELECT
      u.class_id,
      u.label_id,
      COUNT(*) AS sets
    FROM (
      SELECT class_id, label_1 AS label_id FROM "short; 1" AS a
    ) AS u
    GROUP BY u.class_id, u.label_id
  ) AS c
  JOIN (
    SELECT class_id, label_id, COUNT(*) AS people FROM "li'st items" AS i GROUP BY class_id, label_id
  ) AS p ON p.class_id = c.class_id AND p.label_id = c.label_id
) AS t
WHERE 2 * t.weight >= t.greatest
