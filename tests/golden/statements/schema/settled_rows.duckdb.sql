-- settled_rows
CREATE TEMP TABLE "sett'led" AS
SELECT
  "s"."pa.tient" AS "pa.tient",
  "s"."wa;rd" AS "wa;rd"
FROM "vis;its" AS s
JOIN "peo;ple of all" AS "o"
  ON "o"."i'd" = "s"."pa.tient"
