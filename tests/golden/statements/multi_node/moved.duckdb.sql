-- moved
CREATE TEMP TABLE "mo'ved" AS
SELECT
  c."class_0",
  c."class_1",
  c."class_2",
  c."class_3",
  v."level_0",
  v."level_1",
  v."level_2",
  v."level_3"
FROM (
  SELECT "class_0", "class_1", "class_2", "class_3", MAX(step) AS step
  FROM (
    SELECT "class_0", "class_1", "class_2", "class_3", 1 AS step
    FROM "layer 1" AS r
    UNION ALL
    SELECT "class_0", "class_1", "class_2", "class_3", 2 AS step
    FROM "layer 2" AS r
  ) AS u
  GROUP BY "class_0", "class_1", "class_2", "class_3"
) AS c
JOIN (
  VALUES
    (1, 1, 0, 0, 2),
    (2, 1, 2, 3, 2)
) AS v (step, "level_0", "level_1", "level_2", "level_3") ON v.step = c.step
