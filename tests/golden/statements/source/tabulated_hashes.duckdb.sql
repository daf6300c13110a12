-- tabulated_hashes
CREATE TEMP TABLE "has'hes" AS
SELECT
  v.value,
  sha256(getvariable('kanon_outer_7191c3cf') || unhex(sha256(getvariable('kanon_inner_7191c3cf') || encode(CAST(decode("v"."value") AS VARCHAR))))) AS hash
FROM (
  SELECT DISTINCT encode(CAST("s"."se""x" AS VARCHAR)) AS value
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."se""x" IS NOT NULL
) AS v
