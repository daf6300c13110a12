-- stage-weighted
CREATE TEMP TABLE "staged 'classes" AS
SELECT
  "q0"."label" AS "se""x",
  "q1"."label" AS "zip; --",
  "q2"."low" AS "age
of 👩_low",
  "q2"."high" AS "age
of 👩_high",
  "q3"."label" AS "SELECT",
  "s"."rows""" AS "rows"""
FROM "a row; a class" AS s
JOIN "released se""x" AS "q0" ON ARRAY["s"."se""x"] = ARRAY["q0"."value"]
JOIN "released zip; --" AS "q1" ON ARRAY["s"."zip; --"] = ARRAY["q1"."value"]
JOIN "released age
of 👩" AS "q2" ON ARRAY["s"."age
of 👩"] = ARRAY["q2"."value"]
JOIN "released SELECT" AS "q3" ON ARRAY["s"."SELECT"] = ARRAY["q3"."value"]
ORDER BY CAST(random() * 9007199254740992 AS BIGINT)
