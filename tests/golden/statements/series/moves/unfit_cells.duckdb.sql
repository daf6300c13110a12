-- unfit_cells
CREATE TEMP TABLE "held; --" AS
SELECT DISTINCT "class_hash"
FROM (
  SELECT
    "class_hash",
    COUNT(DISTINCT "person_hash") AS "class_size",
    COUNT(DISTINCT "dis'ease") AS "measure_1"
  FROM "fresh; --" AS t
  GROUP BY "class_hash"
) AS c
WHERE CASE WHEN "class_size" >= 2 AND "measure_1" >= 2 THEN 0 ELSE 1 END = 1
