-- release_view
CREATE VIEW "se'en" WITH (security_barrier = TRUE) AS
SELECT
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "q0"."label" AS "se""x",
  "q1"."label" AS "zip; --",
  "q2"."low" AS "age
of 👩_low",
  "q2"."high" AS "age
of 👩_high",
  "q3"."label" AS "SELECT",
  "s"."dis'ease" AS "dis'ease",
  "s"."ward 🏥" AS "ward 🏥",
  "s"."vis.it" AS "vis.it"
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON ARRAY["s"."se""x"] = ARRAY["q0"."value"]
JOIN "released zip; --" AS "q1" ON ARRAY["s"."zip; --"] = ARRAY["q1"."value"]
JOIN "released age
of 👩" AS "q2" ON ARRAY["s"."age
of 👩"] = ARRAY["q2"."value"]
JOIN "released SELECT" AS "q3" ON ARRAY["s"."SELECT"] = ARRAY["q3"."value"]
WHERE EXISTS (
  SELECT 1
  FROM "kept classes" AS k
  WHERE k."class_0" = "q0"."code" AND k."class_1" = "q1"."code" AND k."class_2" = "q2"."code" AND k."class_3" = "q3"."code"
)
ORDER BY random()
