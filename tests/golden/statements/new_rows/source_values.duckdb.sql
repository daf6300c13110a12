-- source_values
CREATE TEMP TABLE "se'en" AS
SELECT DISTINCT
  CAST("s"."age
of 👩" AS VARCHAR) AS "age
of 👩"
FROM "the source; DROP TABLE x" AS s
