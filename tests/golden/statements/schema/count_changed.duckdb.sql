-- count_changed
SELECT
  COUNT(CASE WHEN CAST("s"."day" AS INTEGER) <> "s"."day" THEN 1 END),
  COUNT(CASE WHEN CAST("s"."wa;rd" AS VARCHAR(9)) <> "s"."wa;rd" THEN 1 END)
FROM "vis;its" AS s
