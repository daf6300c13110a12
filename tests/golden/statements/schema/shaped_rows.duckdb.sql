-- shaped_rows
CREATE TEMP VIEW "sha;ped" AS
SELECT
  "s"."pa.tient" AS "pa.tient",
  CAST("s"."day" AS INTEGER) AS "day",
  CAST("s"."wa;rd" AS VARCHAR(9)) AS "wa;rd"
FROM "vis;its" AS s
