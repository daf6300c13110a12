-- code_labels
CREATE TEMP TABLE "co'ded" AS
SELECT
  t.*,
  CAST(decode(encode(CAST("t"."label" AS VARCHAR))) AS "la;bels") AS "kanon_code_2_0"
FROM "released se""x" AS t
