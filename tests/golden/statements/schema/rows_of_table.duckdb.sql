-- rows_of_table
CREATE TEMP TABLE "vis;its with people" AS
SELECT
  s.*,
  "o"."i'd" AS "kanon_person"
FROM "vis;its" AS s
JOIN "peo;ple of all" AS o ON "o"."i'd" = "s"."pa.tient"
WHERE TRUE
  AND ("s"."pa.tient" IS NULL OR EXISTS (
    SELECT 1
    FROM "peo;ple of all" AS p
    WHERE "p"."i'd" = "s"."pa.tient"
  ))
