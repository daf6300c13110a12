-- duckdb
CREATE TEMP TABLE "co'ded regions" AS
SELECT
  t.* EXCLUDE ("label"),
  CAST(decode(encode(CAST("t"."label" AS VARCHAR))) AS "la;bels") AS "kanon_code_2_0"
FROM "released se""x" AS t
