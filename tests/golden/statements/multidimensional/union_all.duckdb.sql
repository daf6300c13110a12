-- union_all
CREATE TEMP TABLE "ho'mes" AS
SELECT * FROM "do'ne" AS p
UNION ALL
SELECT * FROM "af'ter" AS p
