-- fitting_rows
CREATE TEMP TABLE "fit; --" AS
SELECT *
FROM "staged'" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "short'classes" AS f
  WHERE "f"."key_1" IS NOT DISTINCT FROM encode(CAST("t"."se""x" AS VARCHAR)) AND "f"."key_2" IS NOT DISTINCT FROM encode(CAST("t"."zip; --" AS VARCHAR)) AND "f"."key_3" IS NOT DISTINCT FROM encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AND "f"."key_4" IS NOT DISTINCT FROM encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AND "f"."key_5" IS NOT DISTINCT FROM encode(CAST("t"."SELECT" AS VARCHAR))
)
