-- measured_columns
SELECT
  COUNT(*) AS all_rows,
  COUNT("s"."pa.tient"),
  NULL,
  NULL,
  COUNT("s"."day"),
  CAST(MIN("s"."day") AS DOUBLE PRECISION),
  CAST(MAX("s"."day") AS DOUBLE PRECISION),
  COUNT("s"."wa;rd"),
  MAX(LENGTH("s"."wa;rd")),
  MAX(LENGTH("s"."wa;rd"))
FROM "vis;its" AS s
