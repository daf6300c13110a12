-- count_dangling
SELECT COUNT(*) AS dangling
FROM "vis;its" AS s
WHERE "s"."pa.tient" IS NOT NULL AND NOT EXISTS (
  SELECT 1
  FROM "peo;ple of all" AS p
  WHERE "p"."i'd" = "s"."pa.tient"
)
