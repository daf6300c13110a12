-- label_type
CREATE TEMP TYPE "la;bels" AS ENUM (
  SELECT label
  FROM (
    SELECT decode(encode(CAST("t"."label" AS VARCHAR))) AS label
    FROM "released se""x" AS t
    WHERE "t"."label" IS NOT NULL
  ) AS l
  GROUP BY label
  ORDER BY label
)
