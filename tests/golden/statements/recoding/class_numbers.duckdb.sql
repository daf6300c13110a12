-- class_numbers-nodes
CREATE TEMP TABLE "class_numbers 1-nodes" AS
SELECT
  t."class_0",
  t."class_1",
  t."class_2",
  t."class_3",
  DENSE_RANK() OVER (ORDER BY t."label_0", t."label_1", t."label_2", t."label_3") AS region
FROM (
  SELECT
    "q0"."code" AS "class_0",
    "q1"."code_0" AS "class_1",
    "q2"."code_0" AS "class_2",
    "q3"."code" AS "class_3",
    "q0"."label" AS "label_0",
    CASE "m"."level_1"
    WHEN 0 THEN CAST("q1"."value" AS VARCHAR)
    WHEN 2 THEN "q1"."label_2"
    ELSE "q1"."label_1"
  END AS "label_1",
    CASE "m"."level_2"
    WHEN 0 THEN CAST("q2"."value" AS VARCHAR)
    WHEN 3 THEN "q2"."label_3"
    ELSE "q2"."label_2"
  END AS "label_2",
    "q3"."label" AS "label_3",
    COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS s
  JOIN "in layers se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
  JOIN "in layers zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
  JOIN "in layers age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
  JOIN "in layers SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
  LEFT JOIN "mo'ved" AS m
    ON m."class_0" = "q0"."code" AND m."class_1" = "q1"."code_0" AND m."class_2" = "q2"."code_0" AND m."class_3" = "q3"."code"
  WHERE NOT EXISTS (
    SELECT 1
    FROM "left at last" AS f
    WHERE f."class_0" = "q0"."code" AND f."class_1" = "q1"."code_0" AND f."class_2" = "q2"."code_0" AND f."class_3" = "q3"."code"
  )
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
) AS t
