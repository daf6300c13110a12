-- duckdb
CREATE TEMP TYPE "writ;ten" AS ENUM (
  SELECT label
  FROM (
    SELECT decode(encode(CAST("t"."se""x" AS VARCHAR))) AS label
    FROM (SELECT DISTINCT "t"."se""x" FROM "staged; co'des" AS t) AS t
    WHERE "t"."se""x" IS NOT NULL
  ) AS l
  GROUP BY label
  ORDER BY label
)
